/*
 * A storm of context switches: two processes bound to one CPU that wake each other through pipes.
 *
 * Built with -rdynamic it looks like PostgreSQL to one that reads executables and memory: it
 * exports the globals of a postmaster and its backends, and the two are its children. Built
 * without, it is any program. It measures itself: the time one switch takes, by the wall clock and
 * in CPU time of the two.
 *
 * usage: storm CPU DIRECTORY     then a number on each line of standard input: round trips to make.
 *                                Answers "ns-wall ns-cpu" per switch. Ends at the end of input.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default"), used))

/* What a monitor reads of PostgreSQL 15. */
#define CLIENT_READ	 0x06000000u /* Client:ClientRead */
#define BEENTRY_BYTES	 432
#define BEENTRY_PROCPID	 4
#define BEENTRY_TYPE	 8
#define BEENTRY_START	 16
#define BEENTRY_DATABASE 48
#define BEENTRY_STATE	 232
#define STATE_ACTIVE	 2
#define TYPE_CLIENT	 3

EXPORT int PostmasterPid;
EXPORT int MyProcPid;
EXPORT bool IsUnderPostmaster;
EXPORT char *DataDir;
EXPORT char *cluster_name;
EXPORT unsigned MyDatabaseId = 5;
EXPORT int64_t MyStartTimestamp = 1;
EXPORT int MyBackendType;
EXPORT char *MyBEEntry;
EXPORT uint32_t *my_wait_event_info;
EXPORT const char version_text[] =
	"PostgreSQL 15.18 (storm) on x86_64-pc-linux-gnu, compiled by cc";

struct shared {
	uint64_t cpu_ns[2];
	char beentry[2][BEENTRY_BYTES];
	uint32_t wait_event[2];
};

static struct shared *shared;
static char name[] = "storm";

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ULL + (uint64_t)ts.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "storm: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void set_entry(char *entry, size_t offset, int64_t value, size_t size)
{
	memcpy(entry + offset, &value, size);
}

static void become_backend(int which)
{
	char *entry = shared->beentry[which];

	MyProcPid = getpid();
	IsUnderPostmaster = true;
	MyBackendType = TYPE_CLIENT;
	set_entry(entry, BEENTRY_PROCPID, MyProcPid, 4);
	set_entry(entry, BEENTRY_TYPE, TYPE_CLIENT, 4);
	set_entry(entry, BEENTRY_START, MyStartTimestamp, 8);
	set_entry(entry, BEENTRY_DATABASE, MyDatabaseId, 4);
	set_entry(entry, BEENTRY_STATE, STATE_ACTIVE, 4);
	MyBEEntry = entry;
	my_wait_event_info = &shared->wait_event[which];
}

static void wait_for_byte(int fd)
{
	char c;
	ssize_t n;

	*(volatile uint32_t *)my_wait_event_info = CLIENT_READ;
	n = read(fd, &c, 1);
	*(volatile uint32_t *)my_wait_event_info = 0;
	if (n != 1)
		_exit(0);
}

static void pass_on(int fd)
{
	if (write(fd, "x", 1) != 1)
		_exit(0);
}

/* Takes a byte from in and passes it to out, for ever. */
static void ping_pong(int which, int in, int out)
{
	become_backend(which);
	for (;;) {
		wait_for_byte(in);
		shared->cpu_ns[which] = now_ns(CLOCK_PROCESS_CPUTIME_ID);
		pass_on(out);
	}
}

/* Answers each count on the control pipe when that many round trips were made. */
static void lead(int which, int control, int answer, int in, int out)
{
	uint64_t trips;

	become_backend(which);
	while (read(control, &trips, sizeof(trips)) == sizeof(trips)) {
		uint64_t start = now_ns(CLOCK_MONOTONIC), result[2];
		uint64_t cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID), other = shared->cpu_ns[1];

		for (uint64_t i = 0; i < trips; i++) {
			pass_on(out);
			wait_for_byte(in);
		}
		result[0] = (now_ns(CLOCK_MONOTONIC) - start) * 1000 / (2 * trips);
		result[1] = (now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu + shared->cpu_ns[1] - other) *
			    1000 / (2 * trips);
		if (write(answer, result, sizeof(result)) != sizeof(result))
			break;
	}
	_exit(0);
}

static void start(int (*pipes)[2], int which)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (which == 0)
		lead(which, pipes[2][0], pipes[3][1], pipes[1][0], pipes[0][1]);
	ping_pong(which, pipes[0][0], pipes[1][1]);
}

int main(int argc, char **argv)
{
	int pipes[4][2]; /* 0 -> 1, 1 -> 0, control, answer */
	unsigned long long trips;
	uint64_t n, result[2];
	char line[64];
	cpu_set_t cpus;

	if (argc != 3) {
		fprintf(stderr, "usage: storm CPU DIRECTORY\n");
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET((size_t)atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("sched_setaffinity");
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		fail("mmap");
	DataDir = argv[2];
	cluster_name = name;
	PostmasterPid = MyProcPid = getpid();
	for (int i = 0; i < 4; i++)
		if (pipe(pipes[i]))
			fail("pipe");
	start(pipes, 0);
	start(pipes, 1);
	while (fgets(line, sizeof(line), stdin) && sscanf(line, "%llu", &trips) == 1 && trips) {
		n = trips;
		if (write(pipes[2][1], &n, sizeof(n)) != sizeof(n) ||
			read(pipes[3][0], result, sizeof(result)) != sizeof(result))
			fail("a child");
		printf("%.3f %.3f\n", (double)result[0] / 1000, (double)result[1] / 1000);
		fflush(stdout);
	}
	return 0;
}
