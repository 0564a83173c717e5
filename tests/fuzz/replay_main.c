/*
 * Runs a fuzzer over the files given, so that a fixed corpus can be replayed with any compiler and
 * sanitizer. A folder stands for the files in it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "util.h"

#define MAX_BYTES (16u << 20)

static int replay_file(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	_cleanup_free_ uint8_t *buf = NULL, *exact = NULL;
	size_t len;

	if (!f) {
		fprintf(stderr, "could not open \"%s\": %s\n", path, strerror(errno));
		return 1;
	}
	buf = xmalloc(MAX_BYTES);
	len = fread(buf, 1, MAX_BYTES, f);
	/* A buffer of exactly that size, so that a sanitizer sees every overrun. */
	exact = xmalloc(len);
	memcpy(exact, buf, len);
	LLVMFuzzerTestOneInput(exact, len);
	return 0;
}

static int replay(const char *path, unsigned *files)
{
	struct dirent *entry;
	struct stat st;
	int failed = 0;
	DIR *dir;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		++*files;
		return replay_file(path);
	}
	dir = opendir(path);
	if (!dir) {
		fprintf(stderr, "could not open \"%s\": %s\n", path, strerror(errno));
		return 1;
	}
	while ((entry = readdir(dir))) {
		_cleanup_free_ char *file = xasprintf("%s/%s", path, entry->d_name);

		if (entry->d_name[0] != '.')
			failed |= replay(file, files);
	}
	closedir(dir);
	return failed;
}

int main(int argc, char **argv)
{
	unsigned files = 0;
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i], &files);
	if (!files) {
		fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
		return 2;
	}
	printf("%u inputs replayed\n", files);
	return failed;
}
