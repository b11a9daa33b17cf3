/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution by the C interface alone, step by step: engine, descriptors, primitive, memories,
 * stream, execution; each object is destroyed by the program. C99. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <dnnl.h>

/* Ends the program with the reason where a call fails. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        const dnnl_status_t status_ = (call);                                                      \
        if (status_ != dnnl_success) {                                                             \
            fprintf(stderr, "%s: status %d: %s\n", #call, (int)status_, dnnl_ext_last_error());    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { n = 1, ic = 2, h = 5, w = 5, oc = 3, k = 3 };

static dnnl_memory_desc_t tensor(int ndims, const dnnl_dims_t dims, dnnl_format_tag_t tag) {
    dnnl_memory_desc_t md;
    CHECK(dnnl_memory_desc_create_with_tag(&md, ndims, dims, dnnl_f32, tag));
    return md;
}

int main(void) {
    float src[n * ic * h * w], weights[oc * ic * k * k], bias[oc], dst[n * oc * h * w];
    for (int i = 0; i < n * ic * h * w; ++i) src[i] = (float)(i * 7 % 11) - 5;
    for (int i = 0; i < oc * ic * k * k; ++i) weights[i] = (float)(i * 5 % 7) - 3;
    for (int i = 0; i < oc; ++i) bias[i] = (float)i;

    dnnl_engine_t engine;
    CHECK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    dnnl_stream_t stream;
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));

    const dnnl_dims_t src_dims = {n, ic, h, w}, weights_dims = {oc, ic, k, k}, bias_dims = {oc},
                      dst_dims = {n, oc, h, w};
    const dnnl_dims_t ones = {1, 1}, zeros = {0, 0};
    dnnl_memory_desc_t src_md = tensor(4, src_dims, dnnl_nchw);
    dnnl_memory_desc_t weights_md = tensor(4, weights_dims, dnnl_oihw);
    dnnl_memory_desc_t bias_md = tensor(1, bias_dims, dnnl_x);
    dnnl_memory_desc_t dst_md = tensor(4, dst_dims, dnnl_nchw);

    /* Strides 1, dilations 0 (dense), padding 1 on every side; default attributes. */
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_convolution_forward_primitive_desc_create(&pd, engine, dnnl_forward_inference,
        dnnl_convolution_direct, src_md, weights_md, bias_md, dst_md, ones, zeros, ones, ones,
        NULL));
    dnnl_primitive_t convolution;
    CHECK(dnnl_primitive_create(&convolution, pd));

    /* Memories over the program's own arrays. */
    dnnl_memory_t src_m, weights_m, bias_m, dst_m;
    CHECK(dnnl_memory_create(&src_m, src_md, engine, src));
    CHECK(dnnl_memory_create(&weights_m, weights_md, engine, weights));
    CHECK(dnnl_memory_create(&bias_m, bias_md, engine, bias));
    CHECK(dnnl_memory_create(&dst_m, dst_md, engine, dst));

    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, src_m}, {DNNL_ARG_WEIGHTS, weights_m},
        {DNNL_ARG_BIAS, bias_m}, {DNNL_ARG_DST, dst_m}};
    CHECK(dnnl_primitive_execute(convolution, stream, 4, arguments));
    CHECK(dnnl_stream_wait(stream));

    for (int o = 0; o < oc; ++o)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                float sum = bias[o];
                for (int i = 0; i < ic; ++i)
                    for (int ky = 0; ky < k; ++ky)
                        for (int kx = 0; kx < k; ++kx) {
                            const int sy = y + ky - 1, sx = x + kx - 1;
                            if (sy < 0 || sy >= h || sx < 0 || sx >= w) continue;
                            sum += src[(i * h + sy) * w + sx] *
                                   weights[((o * ic + i) * k + ky) * k + kx];
                        }
                if (fabsf(dst[(o * h + y) * w + x] - sum) > 1e-4f) {
                    fprintf(stderr, "%g, not %g\n", dst[(o * h + y) * w + x], sum);
                    return 1;
                }
            }
    printf("convolution: %d results\n", n * oc * h * w);

    /* A refusal has its reason as text, of the thread's last call. */
    dnnl_primitive_desc_t refused = NULL;
    const dnnl_dims_t wrong = {oc, ic + 1, k, k};
    dnnl_memory_desc_t wrong_md = tensor(4, wrong, dnnl_oihw);
    if (dnnl_convolution_forward_primitive_desc_create(&refused, engine, dnnl_forward_inference,
            dnnl_convolution_direct, src_md, wrong_md, bias_md, dst_md, ones, zeros, ones, ones,
            NULL) != dnnl_invalid_arguments)
        return 1;
    printf("refused: %s\n", dnnl_ext_last_error());

    CHECK(dnnl_memory_destroy(src_m));
    CHECK(dnnl_memory_destroy(weights_m));
    CHECK(dnnl_memory_destroy(bias_m));
    CHECK(dnnl_memory_destroy(dst_m));
    CHECK(dnnl_primitive_destroy(convolution));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_desc_destroy(src_md));
    CHECK(dnnl_memory_desc_destroy(weights_md));
    CHECK(dnnl_memory_desc_destroy(bias_md));
    CHECK(dnnl_memory_desc_destroy(dst_md));
    CHECK(dnnl_memory_desc_destroy(wrong_md));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
    return 0;
}
