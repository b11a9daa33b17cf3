/* SPDX-License-Identifier: Apache-2.0 */
/* What the C programs share: a check of each status, and of results. */
#ifndef PROGRAMS_CHECK_H
#define PROGRAMS_CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with an error where a call of the library fails. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        const dnnl_status_t status_of_call = (call);                                               \
        if (status_of_call != dnnl_success) {                                                      \
            printf("line %d: status %d\n", __LINE__, (int)status_of_call);                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* The same where something is not as it must be. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition);                                 \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif
