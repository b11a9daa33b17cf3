// SPDX-License-Identifier: Apache-2.0
// The algorithms of eltwise and their values, as the public interface promises them: X(name,
// value).
#pragma once

// clang-format off
#define ELTWISE_ALGORITHMS(X) \
    X(relu, 32) X(tanh, 33) X(elu, 34) X(square, 35) \
    X(abs, 36) X(sqrt, 37) X(linear, 38) X(soft_relu, 39) \
    X(hardsigmoid, 40) X(logistic, 41) X(exp, 42) X(gelu_tanh, 43) \
    X(swish, 44) X(log, 45) X(clip, 46) X(clip_v2, 47) \
    X(pow, 48) X(gelu_erf, 49) X(round, 50) X(mish, 51) \
    X(hardswish, 52)
#define ELTWISE_ALGORITHMS_OF_DST(X) \
    X(relu, 256) X(tanh, 257) X(elu, 258) X(sqrt, 259) \
    X(logistic, 260) X(exp, 261) X(clip_v2, 262)
// clang-format on
