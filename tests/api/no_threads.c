// SPDX-License-Identifier: Apache-2.0
// Put in front of the C library, it makes every creation of a thread fail.
#include <errno.h>
#include <pthread.h>

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
    void *(*start)(void *), void *restrict argument) {
    (void)thread;
    (void)attributes;
    (void)start;
    (void)argument;
    return EAGAIN;
}
