/* SPDX-License-Identifier: Apache-2.0 */
/* The plain functions of C: sgemm of f32, and u8 times s8 with zero points. Matrices are row-major;
 * ld* is the distance between rows, in elements. C99. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <dnnl.h>

enum { rows = 3, columns = 5, depth = 4 };

static int fail(const char *what, dnnl_status_t status) {
    fprintf(stderr, "%s: status %d: %s\n", what, (int)status, dnnl_ext_last_error());
    return 1;
}

int main(void) {
    float a[rows * depth], b[depth * columns], c[rows * columns];
    uint8_t bytes[rows * depth];
    int8_t weights[depth * columns];
    int32_t sums[rows * columns];
    const int32_t none = 0;
    const uint8_t zero_a = 7;
    const int8_t zero_b = -3;

    for (int i = 0; i < rows * depth; ++i) bytes[i] = (uint8_t)(i * 37 % 251);
    for (int i = 0; i < depth * columns; ++i) weights[i] = (int8_t)(i * 53 % 255 - 127);
    for (int i = 0; i < rows * depth; ++i) a[i] = (float)bytes[i] / 64;
    for (int i = 0; i < depth * columns; ++i) b[i] = (float)weights[i] / 64;
    for (int i = 0; i < rows * columns; ++i) c[i] = 1;

    /* c = 2 a b + 0.5 c */
    dnnl_status_t status =
        dnnl_sgemm('N', 'N', rows, columns, depth, 2.f, a, depth, b, columns, 0.5f, c, columns);
    if (status != dnnl_success) return fail("dnnl_sgemm", status);

    /* sums = (bytes - 7) (weights + 3): exact, there is no rounding. 'F': one offset for all. */
    status = dnnl_gemm_u8s8s32('N', 'N', 'F', rows, columns, depth, 1.f, bytes, depth, zero_a,
        weights, columns, zero_b, 0.f, sums, columns, &none);
    if (status != dnnl_success) return fail("dnnl_gemm_u8s8s32", status);

    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            float real = 0;
            int32_t sum = 0;
            for (int k = 0; k < depth; ++k) {
                real += a[i * depth + k] * b[k * columns + j];
                sum += (bytes[i * depth + k] - zero_a) * (weights[k * columns + j] - zero_b);
            }
            real = 2 * real + 0.5f;
            if (fabsf(c[i * columns + j] - real) > 1e-5f * (1 + fabsf(real))) {
                fprintf(stderr, "sgemm: %g, not %g\n", c[i * columns + j], real);
                return 1;
            }
            if (sums[i * columns + j] != sum) {
                fprintf(stderr, "gemm_u8s8s32: %d, not %d\n", (int)sums[i * columns + j], (int)sum);
                return 1;
            }
        }
    printf("gemm: %d results of each kind\n", rows * columns);
    return 0;
}
