/*
 * A wall clock with an offset. The offset in milliseconds is in the first eight bytes of the file
 * that FLAGFALL_CLOCK names, and takes effect as soon as it changes. LD_PRELOAD loads this library
 * before the C library into a program whose clock should jump.
 *
 * Only the wall clock has the offset; the monotonic clock stays right. The time comes from a system
 * call, not from the function that is replaced here, so nothing calls itself.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *off_ms;

__attribute__((constructor)) static void find_file(void) {
    const char *path = getenv("FLAGFALL_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *found = mmap(NULL, sizeof *off_ms, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED) off_ms = found;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    int failed = (int)syscall(SYS_clock_gettime, clock, at);
    if (failed || !off_ms || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return failed;
    int64_t ns = at->tv_nsec + *off_ms % 1000 * 1000000;
    at->tv_sec += *off_ms / 1000 + (ns >= 1000000000) - (ns < 0);
    at->tv_nsec = ns < 0 ? ns + 1000000000 : ns % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
