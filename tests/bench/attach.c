/*
 * Attaches all programs of a BPF object and holds them until standard input ends.
 *
 * usage: attach OBJECT
 */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct bpf_object *object;
	struct bpf_program *program;
	char c;

	if (argc != 2)
		return 2;
	object = bpf_object__open(argv[1]);
	if (!object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(program, object)
	{
		if (!bpf_program__attach(program))
			return 1;
	}
	return read(STDIN_FILENO, &c, 1) < 0;
}
