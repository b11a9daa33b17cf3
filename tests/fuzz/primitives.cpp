// SPDX-License-Identifier: Apache-2.0
// Random primitives with random attributes: creation, queries, iteration over the implementations
// and execution on exact buffers. Shapes are mostly consistent, so that many are accepted.
#include "bytes.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

using fuzz::bytes;
using fuzz::expect;

namespace {

// Every row of reorder, concat and sum, too.
[[maybe_unused]] const int every_row = setenv("ONEDNN_WALK_EVERY_PRIMITIVE", "1", 1);

constexpr std::size_t largest = 1 << 16; ///< bytes of a tensor that is worth an execution

/// Descriptors, attributes and memories of one input, destroyed at its end.
struct objects {
    std::vector<dnnl_memory_desc_t> mds;
    std::vector<dnnl_memory_t> memories;
    dnnl_primitive_attr_t attr = nullptr;
    dnnl_post_ops_t ops = nullptr;

    objects() {
        expect(dnnl_primitive_attr_create(&attr) == dnnl_success);
        expect(dnnl_post_ops_create(&ops) == dnnl_success);
    }
    ~objects() {
        for (dnnl_memory_t memory : memories) dnnl_memory_destroy(memory);
        for (dnnl_memory_desc_t md : mds) dnnl_memory_desc_destroy(md);
        dnnl_post_ops_destroy(ops);
        dnnl_primitive_attr_destroy(attr);
    }

    /// Null where the descriptor was refused.
    const_dnnl_memory_desc_t md(bytes &in, int ndims, const dnnl_dims_t dims) {
        static constexpr dnnl_data_type_t types[] = {
            dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8};
        static constexpr dnnl_format_tag_t blocked[] = {dnnl_aBc8b, dnnl_aBcd16b, dnnl_ABcd16b16a,
            dnnl_acdb, dnnl_ba, dnnl_acb, dnnl_BA16a64b, dnnl_aBcde4b};
        const int kind = in.byte(), type = in.byte();
        const dnnl_data_type_t dtype = types[type < 160 ? 0 : type % 6];
        dnnl_memory_desc_t made = nullptr;
        if (kind < 128)
            dnnl_memory_desc_create_with_strides(&made, ndims, dims, dtype, nullptr);
        else
            dnnl_memory_desc_create_with_tag(
                &made, ndims, dims, dtype, kind < 192 ? dnnl_format_tag_any : blocked[kind % 8]);
        if (made) mds.push_back(made);
        return made;
    }
    /// Of a select, in row-major order.
    const_dnnl_memory_desc_t condition(int ndims, const dnnl_dims_t dims) {
        dnnl_memory_desc_t made = nullptr;
        dnnl_memory_desc_create_with_strides(&made, ndims, dims, dnnl_s8, nullptr);
        if (made) mds.push_back(made);
        return made;
    }
};

/// Appends what the input decides; refusals are fine.
void set_attributes(bytes &in, objects &o, int ndims, const dnnl_dims_t dst) {
    const int count = in.below(4);
    for (int i = 0; i < count; ++i) {
        dnnl_dims_t shape = {};
        switch (in.below(9)) {
        case 0:
            dnnl_post_ops_append_sum(o.ops, in.real(), in.below(3), dnnl_data_type_undef);
            break;
        case 1:
            dnnl_post_ops_append_eltwise(o.ops,
                static_cast<dnnl_alg_kind_t>(in.below(40) + dnnl_eltwise_tanh - 2), in.real(),
                in.real());
            break;
        case 2:
            for (int d = 0; d < ndims; ++d) shape[d] = in.flag() ? 1 : dst[d];
            if (const auto md = o.md(in, ndims, shape)) {
                const auto alg = static_cast<dnnl_alg_kind_t>(in.below(16) + dnnl_binary_add - 1);
                for (int d = 0; d < ndims; ++d) shape[d] = in.flag() ? 1 : dst[d];
                dnnl_post_ops_append_binary_v2(o.ops, alg, md, o.condition(ndims, shape));
            }
            break;
        case 3: dnnl_post_ops_append_prelu(o.ops, in.below(40) - 1); break;
        case 4:
            dnnl_primitive_attr_set_scales_mask(o.attr, 1 << in.below(7), in.below(20) - 1);
            break;
        case 5: {
            const dnnl_dims_t groups = {in.dim(8), in.dim(8)};
            dnnl_primitive_attr_set_scales(
                o.attr, DNNL_ARG_WEIGHTS, in.below(16), 2, groups, dnnl_f32);
            break;
        }
        case 6:
            dnnl_primitive_attr_set_zero_points_mask(
                o.attr, in.flag() ? DNNL_ARG_SRC : DNNL_ARG_DST, in.below(5));
            break;
        case 7:
            dnnl_primitive_attr_set_scratchpad_mode(
                o.attr, static_cast<dnnl_scratchpad_mode_t>(in.below(3)));
            break;
        default:
            dnnl_post_ops_append_dw(
                o.ops, dnnl_f32, dnnl_f32, dnnl_f32, in.dim(5), in.dim(4), in.dim(4));
            break;
        }
    }
    expect(dnnl_primitive_attr_set_post_ops(o.attr, o.ops) == dnnl_success);
}

/// One spatial extent of a convolution, deconvolution or pooling: the output that belongs to the
/// others, or, now and then, another.
struct window {
    dnnl_dims_t strides = {}, kernel = {}, dilates = {}, left = {}, right = {};
    void fill(bytes &in, int spatial) {
        const auto from_one = [&](int end) {
            const dnnl_dim_t dim = in.dim(end);
            return dim == INT64_MAX ? dim : dim + 1;
        };
        for (int d = 0; d < spatial; ++d) {
            strides[d] = from_one(3);
            kernel[d] = from_one(4);
            dilates[d] = in.dim(3);
            left[d] = in.dim(3);
            right[d] = in.dim(3);
        }
    }
    dnnl_dim_t output(int d, dnnl_dim_t input, bool transposed = false) const {
        const auto fits = [](dnnl_dim_t x) { return x >= 0 && x < 1 << 20; };
        if (!fits(input) || !fits(strides[d] - 1) || !fits(kernel[d]) || !fits(dilates[d]) ||
            !fits(left[d]) || !fits(right[d]))
            return 1;
        const dnnl_dim_t extent = 1 + (kernel[d] - 1) * (dilates[d] + 1);
        if (transposed) {
            const dnnl_dim_t out = (input - 1) * strides[d] + extent - left[d] - right[d];
            return out < 0 ? 0 : out;
        }
        const dnnl_dim_t rest = input + left[d] + right[d] - extent;
        return rest < 0 ? 0 : rest / strides[d] + 1;
    }
};

struct creation {
    bytes &in;
    objects &o;
    dnnl_primitive_desc_t *out;
    int ndims;
    dnnl_dims_t src = {}, dst = {};
};

/// A convolution or deconvolution.
dnnl_status_t convolution(creation &c, bool transposed) {
    window w;
    const int spatial = c.ndims - 2;
    if (spatial < 1 || spatial > 3) return dnnl_invalid_arguments;
    w.fill(c.in, spatial);
    dnnl_dims_t weights = {c.in.dim(20), c.src[1]}, bias = {};
    bias[0] = weights[0];
    c.dst[0] = c.src[0];
    c.dst[1] = weights[0];
    for (int d = 0; d < spatial; ++d) {
        weights[2 + d] = w.kernel[d];
        c.dst[2 + d] = w.output(d, c.src[2 + d], transposed);
    }
    const auto src = c.o.md(c.in, c.ndims, c.src), wei = c.o.md(c.in, c.ndims, weights);
    const auto bia = c.in.flag() ? c.o.md(c.in, 1, bias) : nullptr,
               dst = c.o.md(c.in, c.ndims, c.dst);
    set_attributes(c.in, c.o, c.ndims, c.dst);
    const auto alg = transposed ? dnnl_deconvolution_direct : dnnl_convolution_auto;
    switch (c.in.below(3)) {
    case 0: {
        const auto create = transposed ? dnnl_deconvolution_backward_data_primitive_desc_create
                                       : dnnl_convolution_backward_data_primitive_desc_create;
        return create(c.out, fuzz::engine(), alg, src, wei, dst, w.strides, w.dilates, w.left,
            w.right, nullptr, c.o.attr);
    }
    case 1: {
        const auto create = transposed ? dnnl_deconvolution_backward_weights_primitive_desc_create
                                       : dnnl_convolution_backward_weights_primitive_desc_create;
        return create(c.out, fuzz::engine(), alg, src, wei, bia, dst, w.strides, w.dilates, w.left,
            w.right, nullptr, c.o.attr);
    }
    default: {
        const auto create = transposed ? dnnl_deconvolution_forward_primitive_desc_create
                                       : dnnl_convolution_forward_primitive_desc_create;
        return create(c.out, fuzz::engine(), dnnl_forward_training, alg, src, wei, bia, dst,
            w.strides, w.dilates, w.left, w.right, c.o.attr);
    }
    }
}

dnnl_status_t pooling(creation &c) {
    window w;
    const int spatial = c.ndims - 2;
    if (spatial < 1 || spatial > 3) return dnnl_invalid_arguments;
    w.fill(c.in, spatial);
    c.dst[0] = c.src[0];
    c.dst[1] = c.src[1];
    for (int d = 0; d < spatial; ++d) c.dst[2 + d] = w.output(d, c.src[2 + d]);
    const auto src = c.o.md(c.in, c.ndims, c.src), dst = c.o.md(c.in, c.ndims, c.dst);
    set_attributes(c.in, c.o, c.ndims, c.dst);
    const auto alg = static_cast<dnnl_alg_kind_t>(dnnl_pooling_max + c.in.below(4));
    if (c.in.flag())
        return dnnl_pooling_backward_primitive_desc_create(c.out, fuzz::engine(), alg, src, dst,
            w.strides, w.kernel, w.dilates, w.left, w.right, nullptr, c.o.attr);
    return dnnl_pooling_forward_primitive_desc_create(c.out, fuzz::engine(), dnnl_forward_inference,
        alg, src, dst, w.strides, w.kernel, w.dilates, w.left, w.right, c.o.attr);
}

dnnl_status_t matmul(creation &c) {
    if (c.ndims < 2) return dnnl_invalid_arguments;
    dnnl_dims_t weights = {}, bias = {};
    for (int d = 0; d < c.ndims; ++d) {
        const bool batch = d < c.ndims - 2;
        weights[d] = batch ? c.src[d] : 0;
        c.dst[d] = c.src[d];
        bias[d] = c.in.flag() ? 1 : c.src[d];
    }
    weights[c.ndims - 2] = c.src[c.ndims - 1];
    weights[c.ndims - 1] = c.dst[c.ndims - 1] = bias[c.ndims - 1] = c.in.dim(40);
    const auto src = c.o.md(c.in, c.ndims, c.src), wei = c.o.md(c.in, c.ndims, weights);
    const auto bia = c.in.flag() ? c.o.md(c.in, c.ndims, bias) : nullptr,
               dst = c.o.md(c.in, c.ndims, c.dst);
    set_attributes(c.in, c.o, c.ndims, c.dst);
    return dnnl_matmul_primitive_desc_create(c.out, fuzz::engine(), src, wei, bia, dst, c.o.attr);
}

dnnl_status_t inner_product(creation &c) {
    dnnl_dims_t weights = {};
    std::memcpy(weights, c.src, sizeof weights);
    weights[0] = c.in.dim(40);
    c.dst[0] = c.src[0];
    c.dst[1] = weights[0];
    const auto src = c.o.md(c.in, c.ndims, c.src), wei = c.o.md(c.in, c.ndims, weights),
               dst = c.o.md(c.in, 2, c.dst);
    set_attributes(c.in, c.o, 2, c.dst);
    switch (c.in.below(3)) {
    case 0:
        return dnnl_inner_product_backward_data_primitive_desc_create(
            c.out, fuzz::engine(), src, wei, dst, nullptr, c.o.attr);
    case 1:
        return dnnl_inner_product_backward_weights_primitive_desc_create(
            c.out, fuzz::engine(), src, wei, nullptr, dst, nullptr, c.o.attr);
    default:
        return dnnl_inner_product_forward_primitive_desc_create(
            c.out, fuzz::engine(), dnnl_forward_inference, src, wei, nullptr, dst, c.o.attr);
    }
}

dnnl_status_t rest(creation &c, int kind) {
    std::memcpy(c.dst, c.src, sizeof c.dst);
    dnnl_dims_t other = {};
    for (int d = 0; d < c.ndims; ++d) other[d] = c.in.flag() ? 1 : c.src[d];
    const auto src = c.o.md(c.in, c.ndims, c.src), dst = c.o.md(c.in, c.ndims, c.dst);
    set_attributes(c.in, c.o, c.ndims, c.dst);
    const dnnl_engine_t engine = fuzz::engine();
    const const_dnnl_memory_desc_t srcs[] = {src, dst};
    const float scales[] = {c.in.real(), c.in.real()};
    const int axis = c.in.below(14) - 1;
    switch (kind) {
    case 0:
        return dnnl_eltwise_forward_primitive_desc_create(c.out, engine, dnnl_forward_training,
            static_cast<dnnl_alg_kind_t>(c.in.below(40) + dnnl_eltwise_tanh - 2), src, dst,
            c.in.real(), c.in.real(), c.o.attr);
    case 1:
        return dnnl_softmax_forward_primitive_desc_create(c.out, engine, dnnl_forward_training,
            c.in.flag() ? dnnl_softmax_log : dnnl_softmax_accurate, src, dst, axis, c.o.attr);
    case 2:
        return dnnl_binary_primitive_desc_create(c.out, engine,
            static_cast<dnnl_alg_kind_t>(c.in.below(16) + dnnl_binary_add - 1), src,
            c.o.md(c.in, c.ndims, other), dst, c.o.attr);
    case 3: return dnnl_reorder_primitive_desc_create(c.out, src, engine, dst, engine, c.o.attr);
    case 4:
        return dnnl_sum_primitive_desc_create(c.out, engine, nullptr, 2, scales, srcs, c.o.attr);
    default:
        return dnnl_concat_primitive_desc_create(c.out, engine, nullptr, 2, axis, srcs, c.o.attr);
    }
}

/// How often nested loops over the dimensions turn where the empty ones are innermost.
std::size_t loops_of(const_dnnl_memory_desc_t md, int ndims) {
    const dnnl_dims_t *dims = nullptr;
    dnnl_memory_desc_query(md, dnnl_query_dims, &dims);
    std::size_t loops = 1;
    for (int d = 0; d < ndims && loops <= largest; ++d)
        if ((*dims)[d] > 1) loops *= std::min(static_cast<std::size_t>((*dims)[d]), largest + 1);
    return loops;
}

/// Fills args with memories for what the descriptor says it has; false where that is too much.
bool collect(objects &o, const_dnnl_primitive_desc_t pd, std::vector<dnnl_exec_arg_t> &args) {
    std::vector<int> indices;
    for (int arg = 1; arg < 512; ++arg) indices.push_back(arg);
    for (int i = 0; i < 2; ++i) indices.push_back(DNNL_ARG_MULTIPLE_SRC + i);
    for (int i = 0; i < 4; ++i)
        for (int arg : {DNNL_ARG_SRC_1, DNNL_ARG_SRC_2, DNNL_ARG_WEIGHTS})
            indices.push_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | arg);
    for (int arg : indices) {
        const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg);
        int ndims = 0;
        dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &ndims);
        if (ndims == 0) continue;
        const std::size_t size = dnnl_memory_desc_get_size(md);
        if (size > largest || loops_of(md, ndims) > largest) return false;
        dnnl_memory_t memory = nullptr;
        expect(
            dnnl_memory_create(&memory, md, fuzz::engine(), DNNL_MEMORY_ALLOCATE) == dnnl_success);
        o.memories.push_back(memory);
        void *handle = nullptr;
        dnnl_memory_get_data_handle(memory, &handle);
        if (handle) std::memset(handle, 0, size);
        args.push_back({arg, memory});
    }
    return true;
}

/// Executes; attributes may ask for more arguments, which is refused.
void execute(objects &o, const_dnnl_primitive_desc_t pd) {
    static dnnl_stream_t stream = nullptr;
    if (!stream) expect(dnnl_stream_create(&stream, fuzz::engine(), 0) == dnnl_success);
    std::vector<dnnl_exec_arg_t> args;
    if (!collect(o, pd, args)) return;
    dnnl_primitive_t primitive = nullptr;
    expect(dnnl_primitive_create(&primitive, pd) == dnnl_success);
    const dnnl_status_t status =
        dnnl_primitive_execute(primitive, stream, static_cast<int>(args.size()), args.data());
    expect(status == dnnl_success || status == dnnl_invalid_arguments);
    dnnl_primitive_destroy(primitive);
}

void visit(bytes &in, objects &o, dnnl_primitive_desc_t pd) {
    for (int implementations = 0;; ++implementations) {
        expect(implementations < 100);
        for (int queries = 0; queries < 4; ++queries) {
            std::uint64_t result[2] = {};
            const auto what = static_cast<dnnl_query_t>(in.byte() | in.flag() << 8);
            dnnl_primitive_desc_query(pd, what, in.below(4) - 1, result);
        }
        execute(o, pd);
        const dnnl_status_t status = dnnl_primitive_desc_next_impl(pd);
        if (status != dnnl_success) {
            expect(status == dnnl_last_impl_reached);
            break;
        }
    }
    dnnl_primitive_desc_destroy(pd);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    bytes in(data, size);
    objects o;
    const auto marker = reinterpret_cast<dnnl_primitive_desc_t>(std::uintptr_t {64});
    dnnl_primitive_desc_t out = marker;
    const int kind = in.below(11);
    creation c {in, o, &out, 1 + in.below(in.byte() < 240 ? 5 : DNNL_MAX_NDIMS)};
    in.dims(c.src, c.ndims, 12);
    const dnnl_status_t status = kind == 0    ? convolution(c, false)
                                 : kind == 1  ? pooling(c)
                                 : kind == 2  ? matmul(c)
                                 : kind == 3  ? inner_product(c)
                                 : kind == 10 ? convolution(c, true)
                                              : rest(c, kind - 4);
    if (status == dnnl_success)
        visit(in, o, out);
    else
        expect(out == marker);
    return 0;
}
