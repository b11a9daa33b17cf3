// SPDX-License-Identifier: Apache-2.0
// Uses every constructor and method of the classes that are not primitives, and every free
// function: errors, handles, engine, stream, memory and its descriptor, post-ops, attributes,
// service. The primitives are in every_descriptor.cpp and every_getter.cpp.

#define DNNL_EXPERIMENTAL_PROFILING

#include <cstdio>
#include <cstring>

#include "checks.hpp"
#include "oneapi/dnnl/dnnl.hpp"

#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

void errors() {
    std::string text = "words";
    error made(dnnl_runtime_error, text.c_str());
    text = "other";
    const error copy = made;
    check(std::strcmp(copy.what(), "words") == 0, "an error owns its text");
    check(copy.message == copy.what() && copy.status == dnnl_runtime_error, "members of error");
    const std::exception &base = copy;
    check(std::strcmp(base.what(), "words") == 0, "error is a std::exception");
    error::wrap_c_api(dnnl_success, "nothing");
    check(throws(dnnl_out_of_memory, [] { error::wrap_c_api(dnnl_out_of_memory, "no memory"); }),
        "wrap_c_api throws");
    const std::vector<int> two(2);
    validate_container_size(two, "size");
    validate_container_size(two, "size", 2, 2);
    check(throws(dnnl_invalid_arguments, [&] { validate_container_size(two, "size", 3); }),
        "too short a container");
    check(throws(dnnl_invalid_arguments, [&] { validate_container_size(two, "size", 0, 1); }),
        "too long a container");

    // The reason that the library gives is part of the message.
    try {
        engine(engine::kind::cpu, 1000);
        check(false, "a wrong engine index throws");
    } catch (const error &e) {
        const std::string what = e.what();
        const std::string reason = dnnl_ext_last_error();
        check(e.status == dnnl_invalid_arguments, "status of a wrong engine index");
        check(!reason.empty() && what == "cannot create an engine: " + reason,
            "what() ends in the reason");
    }
}

void handles() {
    dnnl_engine_t c_engine = nullptr;
    error::wrap_c_api(dnnl_engine_create(&c_engine, dnnl_cpu, 0), "engine");
    engine owner(c_engine);
    engine weak(c_engine, true);
    engine copy(owner), assigned, moved;
    check(!assigned, "a default handle is empty");
    assigned = owner;
    check(owner == weak && owner == copy && !(owner != assigned), "handles compare by object");
    moved = std::move(copy);
    engine constructed(std::move(assigned));
    check(!copy && !assigned && moved == owner && constructed == owner, "moved-from is empty");
    copy = assigned;
    check(static_cast<dnnl_engine_t>(owner) == c_engine, "conversion to the C handle");
    check(static_cast<bool>(owner) && owner.get() == c_engine, "get");
    check(engine().get(true) == nullptr, "get of an empty handle");
    check(throws(dnnl_invalid_arguments, [] { engine().get(); }), "get throws if empty");
    weak.reset(nullptr);
    moved.reset(c_engine, true);
    check(!weak && moved == owner, "reset");
}

void engines_and_streams(const engine &eng) {
    check(engine::get_count(engine::kind::cpu) == 1 && engine::get_count(engine::kind::gpu) == 0,
        "engine count");
    check(eng.get_kind() == engine::kind::cpu, "engine kind");
    check(convert_to_c(engine::kind::cpu) == dnnl_cpu, "engine kind to C");
    check(throws(dnnl_invalid_arguments, [] { engine().get_kind(); }), "kind of an empty engine");

    stream empty;
    check(!empty, "an empty stream");
    stream by_default(eng), with_flags(eng, stream::flags::out_of_order);
    check(by_default.get_engine() == eng, "engine of a stream");
    check(&by_default.wait() == &by_default, "wait returns the stream");
    check(throws(dnnl_invalid_arguments, [] { stream strm {engine()}; }), "no engine");

    stream::flags f = stream::flags::in_order | stream::flags::out_of_order;
    f &= stream::flags::in_order;
    f |= stream::flags::out_of_order;
    f ^= stream::flags::in_order;
    check(f == stream::flags::out_of_order && convert_to_c(f) == dnnl_stream_out_of_order,
        "operators of flags");
    check((~f & stream::flags::in_order) == stream::flags::in_order, "complement of flags");
    check((normalization_flags::use_scale ^ normalization_flags::use_scale) ==
              normalization_flags::none,
        "normalization flags");
    check(
        (rnn_flags::undef | rnn_flags::diff_weights_overwrite) == rnn_flags::diff_weights_overwrite,
        "RNN flags");
}

void descriptors() {
    const memory::desc zero;
    check(zero.is_zero() && zero.get_size() == 0 && zero.get() != nullptr, "zero descriptor");
    const memory::desc nchw({2, 3, 4, 5}, dt::f32, tag::nchw);
    const memory::desc strided({2, 3, 4, 5}, dt::f32, memory::dims {60, 20, 5, 1});
    const memory::desc dense({2, 3, 4, 5}, dt::f32, memory::dims {});
    check(nchw == strided && nchw == dense && nchw != zero, "comparison of descriptors");
    check(nchw.get_ndims() == 4 && nchw.get_size() == 480, "ndims and size");
    check(nchw.get_dims() == memory::dims({2, 3, 4, 5}) && nchw.dims() == nchw.get_dims(), "dims");
    check(nchw.get_strides() == memory::dims({60, 20, 5, 1}), "strides");
    check(nchw.get_data_type() == dt::f32 && nchw.data_type() == dt::f32, "data type");
    check(nchw.get_format_kind() == memory::format_kind::blocked, "format kind");
    check(nchw.get_padded_offsets() == memory::dims(4), "padded offsets");

    const memory::desc blocked({2, 3, 4, 5}, dt::f32, tag::nChw16c);
    check(blocked.get_padded_dims() == memory::dims({2, 16, 4, 5}), "padded dims");
    check(blocked.get_inner_nblks() == 1 && blocked.get_inner_blks() == memory::dims({16}) &&
              blocked.get_inner_idxs() == memory::dims({1}),
        "inner blocks");

    const memory::desc part = nchw.submemory_desc({1, 3, 4, 5}, {1, 0, 0, 0});
    check(part.get_submemory_offset() == 60, "submemory");
    check(nchw.reshape({6, 20}).get_strides() == memory::dims({20, 1}), "reshape");
    check(nchw.permute_axes({0, 2, 3, 1}).get_dims() == memory::dims({2, 5, 3, 4}), "permute");
    check(memory::desc(nchw.get_blob()) == nchw, "blob");

    check(!memory::desc({2, 3}, dt::f32, tag::nchw, true), "allow_empty with a tag");
    check(!memory::desc({2, 3}, dt::f32, memory::dims {-1, 1}, true), "allow_empty with strides");
    check(!nchw.reshape({7}, true), "allow_empty in reshape");
    check(!nchw.permute_axes({0, 0, 0, 0}, true), "allow_empty in permute_axes");
    check(!nchw.submemory_desc({9, 9, 9, 9}, {0, 0, 0, 0}, true), "allow_empty in submemory_desc");
    check(throws(dnnl_invalid_arguments,
              [] {
                  memory::desc({2, 3}, dt::f32, tag::nchw);
              }),
        "a tag of another size");
    check(throws(
              dnnl_invalid_arguments, [] { memory::desc(memory::dims(13, 1), dt::f32, tag::any); }),
        "13 dimensions");
    check(throws(dnnl_invalid_arguments,
              [] {
                  memory::desc({2, 3}, dt::f32, memory::dims {1});
              }),
        "too few strides");
    check(throws(dnnl_invalid_arguments, [] { memory::desc(std::vector<uint8_t>(3)); }),
        "a short blob");

    const memory::desc empty(static_cast<dnnl_memory_desc_t>(nullptr));
    check(empty.get_ndims() == 0 && empty.get_dims().empty() && empty.is_zero(), "empty getters");
    check(
        convert_to_c(std::vector<memory::desc> {nchw, zero})[0] == nchw.get(), "descriptors to C");
    check(memory::convert_to_c(tag::nhwc) == dnnl_nhwc && dnnl_nhwc == tag::nhwc &&
              tag::nhwc == dnnl_nhwc && dnnl_nhwc != tag::nchw && tag::nchw != dnnl_nhwc,
        "tags to C");
    check(memory::convert_to_c(dt::s8) == dnnl_s8 && dnnl_s8 == dt::s8 && dt::s8 == dnnl_s8 &&
              dnnl_s8 != dt::u8 && dt::u8 != dnnl_s8,
        "types to C");
    check(memory::data_type_size(dt::bf16) == 2, "size of a type");
    memory::validate_dims(memory::dims(12));
    check(throws(dnnl_invalid_arguments, [] { memory::validate_dims(memory::dims(13)); }),
        "validate_dims");
}

void memories(const engine &eng) {
    const memory::desc md({2, 3}, dt::f32, tag::ab);
    memory empty, allocated(md, eng), none(md, eng, DNNL_MEMORY_NONE);
    float buffer[6] = {};
    memory user(md, eng, buffer);
    check(!empty && none.get_data_handle() == nullptr, "memory without a buffer");
    check(allocated.get_data_handle() != nullptr, "allocated memory");
    check(user.get_desc() == md && user.get_engine() == eng, "descriptor and engine of a memory");
    check(user.get_data_handle() == buffer, "data handle");
    none.set_data_handle(buffer);
    check(none.get_data_handle() == buffer, "set_data_handle");
    none.set_data_handle(nullptr, stream(eng));
    check(none.get_data_handle() == nullptr, "set_data_handle with a stream");
    float *mapped = user.map_data<float>();
    check(mapped == buffer && user.map_data() == buffer, "map_data");
    user.unmap_data(mapped);
    check(
        throws(dnnl_invalid_arguments, [&] { memory(memory::desc({2}, dt::f32, tag::any), eng); }),
        "memory with an undecided layout");
}

void post_operations() {
    post_ops ops;
    const memory::desc md({1, 8, 1, 1}, dt::f32, tag::nchw);
    ops.append_sum();
    ops.append_sum(0.5f, 3, dt::u8);
    ops.append_sum(dt::s8);
    ops.append_eltwise(algorithm::eltwise_linear, 2.f, 1.f);
    ops.append_eltwise(algorithm::eltwise_bounded_relu, 6.f, 0.f);
    ops.append_dw(dt::s8, dt::f32, dt::u8, 3, 2, 1);
    ops.append_binary(algorithm::binary_add, md);
    ops.append_prelu(2);
    check(ops.len() == 8, "number of post-ops");
    check(ops.kind(0) == primitive::kind::sum && ops.kind(3) == primitive::kind::eltwise &&
              ops.kind(5) == primitive::kind::convolution &&
              ops.kind(6) == primitive::kind::binary && ops.kind(7) == primitive::kind::prelu,
        "kinds of post-ops");
    check(throws(dnnl_invalid_arguments, [&] { ops.kind(8); }), "kind outside");

    float scale = 0.f, alpha = 0.f, beta = 0.f;
    int32_t zero_point = 0;
    dt type = dt::undef, bias_type = dt::undef, dst_type = dt::undef;
    ops.get_params_sum(0, scale);
    check(scale == 1.f, "scale of a sum");
    ops.get_params_sum(2, scale, type);
    check(scale == 1.f && type == dt::s8, "type of a sum");
    ops.get_params_sum(1, scale, zero_point, type);
    check(scale == 0.5f && zero_point == 3 && type == dt::u8, "parameters of a sum");
    algorithm alg = algorithm::undef;
    ops.get_params_eltwise(3, alg, alpha, beta);
    check(alg == algorithm::eltwise_linear && alpha == 2.f && beta == 1.f, "eltwise");
    ops.get_params_eltwise(4, alg, alpha, beta);
    check(alg == algorithm::eltwise_clip && alpha == 0.f && beta == 6.f, "bounded relu is a clip");
    memory::dim kernel = 0, stride = 0, padding = 0;
    ops.get_params_dw(5, type, bias_type, dst_type, kernel, stride, padding);
    check(type == dt::s8 && bias_type == dt::f32 && dst_type == dt::u8 && kernel == 3 &&
              stride == 2 && padding == 1,
        "depthwise");
    memory::desc src1;
    ops.get_params_binary(6, alg, src1);
    check(alg == algorithm::binary_add && src1 == md, "binary");
    const memory::desc condition({2, 1}, dt::s8, memory::format_tag::ab);
    memory::desc src2;
    post_ops choices;
    choices.append_binary(algorithm::binary_select, md, condition);
    choices.append_binary(algorithm::binary_max, md, memory::desc());
    choices.get_params_binary(0, alg, src1, src2);
    check(alg == algorithm::binary_select && src1 == md && src2 == condition, "select");
    choices.get_params_binary(1, alg, src1, src2);
    check(alg == algorithm::binary_max && src1 == md && src2.get_size() == 0, "two sources");
    check(throws(dnnl_invalid_arguments,
              [&] { choices.append_binary(algorithm::binary_select, md, memory::desc()); }),
        "select without a condition");
    int mask = 0;
    ops.get_params_prelu(7, mask);
    check(mask == 2, "prelu");
    check(throws(dnnl_invalid_arguments, [&] { ops.get_params_prelu(0, mask); }), "another kind");

    dnnl_post_ops_t c_ops = nullptr;
    error::wrap_c_api(dnnl_post_ops_create(&c_ops), "post-ops");
    check(post_ops(c_ops).len() == 0, "post-ops from C");
}

void attributes() {
    primitive_attr attr;
    attr.set_fpmath_mode(fpmath_mode::bf16, true);
    fpmath_mode mode = fpmath_mode::strict;
    bool apply_to_int = false;
    attr.get_fpmath_mode(mode, apply_to_int);
    check(mode == fpmath_mode::bf16 && apply_to_int, "fpmath mode with integers");
    attr.set_fpmath_mode(fpmath_mode::tf32);
    check(attr.get_fpmath_mode() == fpmath_mode::tf32, "fpmath mode");
    attr.set_accumulation_mode(accumulation_mode::relaxed);
    check(attr.get_accumulation_mode() == accumulation_mode::relaxed, "accumulation mode");
    attr.set_deterministic(true);
    check(attr.get_deterministic(), "deterministic");
    attr.set_rounding_mode(DNNL_ARG_DST, rounding_mode::stochastic);
    check(attr.get_rounding_mode(DNNL_ARG_DST) == rounding_mode::stochastic, "rounding mode");
    attr.set_scratchpad_mode(scratchpad_mode::user);
    check(attr.get_scratchpad_mode() == scratchpad_mode::user, "scratchpad mode");

    const memory::desc mask_md({2, 3}, dt::u8, tag::ab);
    memory::desc got;
    attr.set_dropout(mask_md);
    attr.get_dropout(got);
    check(got == mask_md, "dropout");
    dt seed = dt::undef;
    bool use_offset = false, on_host = false;
    attr.set_dropout(mask_md, dt::s32, true, true);
    attr.get_dropout(got, seed, use_offset, on_host);
    check(got == mask_md && seed == dt::s32 && use_offset && on_host, "dropout with an offset");

    attr.set_host_scale(DNNL_ARG_SRC);
    attr.set_host_scale(DNNL_ARG_SRC, dt::bf16);
    attr.set_host_zero_point(DNNL_ARG_SRC);
    attr.set_host_zero_point(DNNL_ARG_SRC, dt::u8);
    attr.set_scales(DNNL_ARG_DST, 3, {1, 32}, dt::e8m0, false, quantization_mode::dynamic_mx);
    attr.set_precomputed_reductions(DNNL_ARG_SRC, 3, {1, 32});
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales(DNNL_ARG_WEIGHTS, 3, {32, 1}, dt::f16);
    attr.set_scales(DNNL_ARG_WEIGHTS, 2, {});
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    attr.set_zero_points(DNNL_ARG_WEIGHTS, 3, {32, 1}, dt::s8);
    attr.set_zero_points(DNNL_ARG_WEIGHTS, 2, {});
    check(throws(dnnl_invalid_arguments, [&] { attr.set_scales_mask(DNNL_ARG_SRC, -1); }),
        "a negative mask");

    post_ops ops;
    ops.append_sum(2.f);
    attr.set_post_ops(ops);
    check(attr.get_post_ops().len() == 1 && attr.get_post_ops() != ops, "post-ops are copied");

    float scale = 0.f, shift = 0.f;
    attr.set_rnn_data_qparams(127.f, 64.f);
    attr.get_rnn_data_qparams(scale, shift);
    check(scale == 127.f && shift == 64.f, "RNN data");
    int mask = -1;
    std::vector<float> scales;
    attr.set_rnn_weights_qparams(24, {1.f, 2.f});
    attr.get_rnn_weights_qparams(mask, scales);
    check(mask == 24 && scales == std::vector<float>({1.f, 2.f}), "RNN weights");
    attr.set_rnn_weights_projection_qparams(8, {3.f});
    attr.get_rnn_weights_projection_qparams(mask, scales);
    check(mask == 8 && scales == std::vector<float>({3.f}), "RNN projection weights");

    dnnl_primitive_attr_t c_attr = nullptr;
    error::wrap_c_api(dnnl_primitive_attr_create(&c_attr), "attributes");
    check(static_cast<bool>(primitive_attr(c_attr)), "attributes from C");
}

void service() {
    check(version()->major == DNNL_VERSION_MAJOR, "version");
    check(set_verbose(0) == status::success && set_verbose(7) == status::invalid_arguments,
        "verbose level");
    check(get_default_fpmath_mode() == fpmath_mode::strict, "default fpmath mode");
    check(set_default_fpmath_mode(fpmath_mode::any) == status::success &&
              primitive_attr().get_fpmath_mode() == fpmath_mode::any,
        "set_default_fpmath_mode");
    check(set_default_fpmath_mode(fpmath_mode::strict) == status::success, "and back");
    set_primitive_cache_capacity(7);
    check(get_primitive_cache_capacity() == 7, "cache capacity");
    check(throws(dnnl_invalid_arguments, [] { set_primitive_cache_capacity(-1); }), "negative");
    check(set_jit_profiling_flags(1u << 20) != status::success, "unknown profiling flags");
    (void)set_jit_dump(0);
    (void)set_jit_profiling_jitdumpdir(".");
    check(get_effective_cpu_isa() != cpu_isa::isa_default, "effective ISA");
    check(set_max_cpu_isa(cpu_isa::isa_default) != status::success, "the ISA is set once");
    (void)set_cpu_isa_hints(cpu_isa_hints::no_hints);
    check(get_cpu_isa_hints() == cpu_isa_hints::no_hints, "ISA hints");
}

void blas(const engine &eng) {
    const float a[4] = {1, 2, 3, 4}, b[4] = {1, 0, 0, 1};
    float c[4] = {};
    check(sgemm('N', 'T', 2, 2, 2, 2.f, a, 2, b, 2, 0.f, c, 2) == status::success && c[1] == 4.f,
        "sgemm");
    const uint8_t u[4] = {1, 2, 3, 4};
    const int8_t s[4] = {1, 2, 3, 4}, unit[4] = {1, 0, 0, 1};
    const int32_t offset = 5;
    int32_t r[4] = {};
    check(gemm_u8s8s32('N', 'N', 'F', 2, 2, 2, 1.f, u, 2, 1, unit, 2, 0, 0.f, r, 2, &offset) ==
                  status::success &&
              r[3] == 8,
        "gemm_u8s8s32");
    check(gemm_s8s8s32('N', 'N', 'F', 2, 2, 2, 1.f, s, 2, 1, unit, 2, 0, 0.f, r, 2, &offset) ==
                  status::success &&
              r[0] == 5,
        "gemm_s8s8s32");
    stream strm(eng);
    check(throws(dnnl_unimplemented, [&] { reset_profiling(strm); }) ||
              throws(dnnl_invalid_arguments, [&] { reset_profiling(strm); }),
        "reset_profiling on a CPU stream");
    check(
        throws(dnnl_unimplemented, [&] { get_profiling_data(strm, profiling_data_kind::time); }) ||
            throws(dnnl_invalid_arguments,
                [&] { get_profiling_data(strm, profiling_data_kind::time); }),
        "get_profiling_data on a CPU stream");
}

} // namespace

int main() {
    static_assert(std::is_same<oneapi::dnnl::engine, dnnl::engine>::value, "namespace oneapi");
    static_assert(threadpool_interop::threadpool_iface::ASYNCHRONOUS == 1, "flag of a thread pool");
    try {
        const engine eng(engine::kind::cpu, 0);
        errors();
        handles();
        engines_and_streams(eng);
        descriptors();
        memories(eng);
        post_operations();
        attributes();
        service();
        blas(eng);
    } catch (const error &e) {
        std::printf("failed: %s (status %d)\n", e.what(), static_cast<int>(e.status));
        return 1;
    }
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
