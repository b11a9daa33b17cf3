// SPDX-License-Identifier: Apache-2.0
// C entry points: life and queries of primitive descriptors; primitives.
#include "common/plan/primitive.hpp"

#include <algorithm>

#include "common/c_api/guard.hpp"
#include "dnnl/dnnl.h"
#include "dnnl/dnnl_debug.h"

using dnnl::impl::dims_t;
using dnnl::impl::primitive_desc;
namespace verbose = dnnl::impl::verbose;

dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t pd) {
    return guarded({{pd, "primitive_desc"}}, [&] {
        if (!pd->next_impl())
            throw error(dnnl_last_impl_reached, "primitive_desc: no further implementation");
    });
}

dnnl_status_t dnnl_primitive_desc_clone(
    dnnl_primitive_desc_t *out, const_dnnl_primitive_desc_t existing) {
    return guarded({{out, "primitive_desc"}, {existing, "existing_primitive_desc"}},
        [&] { *out = new primitive_desc(*existing); });
}

dnnl_status_t dnnl_primitive_desc_get_attr(
    const_dnnl_primitive_desc_t pd, const_dnnl_primitive_attr_t *attr) {
    return guarded({{pd, "primitive_desc"}, {attr, "attr"}}, [&] { *attr = &pd->resolved().attr; });
}

dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t pd) { return destroyed(pd); }

namespace {
bool is_md_query(dnnl_query_t what) {
    return (what >= dnnl_query_src_md && what <= dnnl_query_scratchpad_md) ||
           what == dnnl_query_exec_arg_md;
}

/// The argument of a normalization that a query means. Statistics are inputs beside src, or outputs
/// beside dst. Weights are the scale and the shift; without a scale the shift takes both places.
/// md_of() knows the first weights.
int argument_of_normalization(const primitive_desc &pd, dnnl_query_t what, int index) {
    const auto is_argument = [&](int arg, bool output) {
        return std::ranges::any_of(
            pd.arguments(), [&](const auto &a) { return a.arg == arg && a.is_output == output; });
    };
    const bool of_dst = what == dnnl_query_dst_md, diff = what == dnnl_query_diff_weights_md;
    // The mean has the descriptor of the variance, also where it is no argument.
    if ((what == dnnl_query_src_md || of_dst) && (index == 1 || index == 2))
        return is_argument(DNNL_ARG_VARIANCE, of_dst) ? DNNL_ARG_VARIANCE : DNNL_ARG_UNDEF;
    if ((what == dnnl_query_weights_md || diff) && (index == 0 || index == 1)) {
        const int scale = diff ? DNNL_ARG_DIFF_SCALE : DNNL_ARG_SCALE;
        const int shift = diff ? DNNL_ARG_DIFF_SHIFT : DNNL_ARG_SHIFT;
        return index == 0 && is_argument(scale, diff) ? scale : shift;
    }
    return DNNL_ARG_UNDEF;
}

/// The execution argument that an md query means; DNNL_ARG_UNDEF where there is no such tensor.
int argument_of(const primitive_desc &pd, dnnl_query_t what, int index) {
    if (what == dnnl_query_exec_arg_md) // the descriptor of mean and variance
        return index == DNNL_ARG_MEAN ? DNNL_ARG_VARIANCE : index;
    if (what == dnnl_query_scratchpad_md) return DNNL_ARG_SCRATCHPAD;
    if (what == dnnl_query_workspace_md) return DNNL_ARG_WORKSPACE;
    const bool weights = what == dnnl_query_weights_md || what == dnnl_query_diff_weights_md;
    const auto is_one = [&](const auto &test) { return std::visit(test, pd.resolved().op); };
    const bool has_bias = is_one([](const auto &d) {
        return requires { d.bias; };
    });
    const bool has_sources = is_one([](const auto &d) {
        return requires { d.srcs; };
    });
    const bool is_normalization = is_one(
        []<class Desc>(const Desc &) { return std::is_base_of_v<impl::normalization_desc, Desc>; });
    const bool second_is_bias = weights && has_bias;
    if (index < 0 || (second_is_bias && index > 1)) return DNNL_ARG_UNDEF;
    if (is_normalization && (weights || index > 0))
        return argument_of_normalization(pd, what, index);
    if (what == dnnl_query_src_md && has_sources) return DNNL_ARG_MULTIPLE_SRC + index;
    if (index > 3) return DNNL_ARG_UNDEF; // consecutive arguments come in fours
    switch (what) {
    case dnnl_query_src_md: return DNNL_ARG_SRC_0 + index;
    case dnnl_query_diff_src_md: return DNNL_ARG_DIFF_SRC_0 + index;
    case dnnl_query_dst_md: return DNNL_ARG_DST_0 + index;
    case dnnl_query_diff_dst_md: return DNNL_ARG_DIFF_DST_0 + index;
    case dnnl_query_weights_md:
        return second_is_bias && index == 1 ? DNNL_ARG_BIAS : DNNL_ARG_WEIGHTS_0 + index;
    case dnnl_query_diff_weights_md:
        return second_is_bias && index == 1 ? DNNL_ARG_DIFF_BIAS : DNNL_ARG_DIFF_WEIGHTS_0 + index;
    default: return DNNL_ARG_UNDEF;
    }
}

/// The first weights of a normalization are the vector that its flags ask for. In backward
/// propagation that may be a shift, which is no argument there: programs allocate by its
/// descriptor.
const memory_desc &md_of(const primitive_desc &pd, dnnl_query_t what, int index) {
    const auto vector_of = [&]<class Desc>(const Desc &desc) -> const memory_desc * {
        if constexpr (std::is_base_of_v<impl::normalization_desc, Desc>)
            if (what == dnnl_query_weights_md && index == 0) return &desc.scale_shift;
        return nullptr;
    };
    const memory_desc *vector = std::visit(vector_of, pd.resolved().op);
    return vector ? *vector : pd.md(argument_of(pd, what, index));
}

template <class T> void answer(void *result, T value) { *static_cast<T *>(result) = value; }
void answer(void *result, const dims_t &list) {
    answer(result, reinterpret_cast<const dnnl_dims_t *>(list.data()));
}
void answer(void *result, const std::array<float, 3> &list) { answer(result, list.data()); }

[[noreturn]] void does_not_apply() {
    throw error(dnnl_unimplemented, "what: this query does not apply to this primitive");
}

/// The number of post-ops that bring a tensor of their own.
int post_op_inputs(const primitive_desc &pd) {
    int count = 0;
    for (const auto &entry : pd.resolved().attr.post_ops.entries)
        count += std::holds_alternative<impl::prelu_post_op>(entry);
    impl::for_each_source(pd.resolved().attr.post_ops, [&](const auto &, int) { ++count; });
    return count;
}

int count_arguments(const primitive_desc &pd, bool outputs) {
    return static_cast<int>(
        std::ranges::count(pd.arguments(), outputs, &impl::tensor_argument::is_output));
}

/// Answers queries about a parameter of the operation; false where Desc has no such parameter.
template <class Desc> bool answer_parameter(const Desc &desc, dnnl_query_t what, void *result) {
#define DNNL_OFFER(query, member)                                                                  \
    if constexpr (requires { desc.member; })                                                       \
        if (what == dnnl_query_##query) return answer(result, desc.member), true
    DNNL_OFFER(prop_kind, prop);
    DNNL_OFFER(alg_kind, alg);
    DNNL_OFFER(axis_s32, axis);
    DNNL_OFFER(alpha_f32, alpha);
    DNNL_OFFER(beta_f32, beta);
    DNNL_OFFER(flags, flags);
    DNNL_OFFER(cell_kind, cell_kind);
    DNNL_OFFER(activation_kind, activation);
    DNNL_OFFER(direction, direction);
    DNNL_OFFER(epsilon_f32, epsilon);
    DNNL_OFFER(group_size_s64, groups);
    DNNL_OFFER(group_size_s64, group_size);
    DNNL_OFFER(local_size_s64, local_size);
    DNNL_OFFER(k_f32, k);
    DNNL_OFFER(factors, factors);
    DNNL_OFFER(p_f32, p);
    DNNL_OFFER(kernel, kernel);
    DNNL_OFFER(dilations, dilates);
    DNNL_OFFER(strides, strides);
    DNNL_OFFER(padding_l, padding_l);
    DNNL_OFFER(padding_r, padding_r);
#undef DNNL_OFFER
    return false;
}

void answer_query(const primitive_desc &pd, dnnl_query_t what, void *result) {
    switch (what) {
    case dnnl_query_engine: return answer(result, pd.engine());
    case dnnl_query_primitive_kind: return answer(result, pd.kind());
    case dnnl_query_num_of_inputs_s32:
        return answer(result, count_arguments(pd, false) + post_op_inputs(pd));
    case dnnl_query_num_of_outputs_s32: return answer(result, count_arguments(pd, true));
    case dnnl_query_memory_consumption_s64: {
        const bool library = !pd.user_scratchpad();
        return answer(result, static_cast<dnnl_dim_t>(library ? pd.scratchpad_bytes() : 0));
    }
    case dnnl_query_impl_info_str: return answer(result, pd.info().c_str());
    case dnnl_query_reorder_src_engine:
    case dnnl_query_reorder_dst_engine:
        if (pd.kind() != dnnl_reorder) does_not_apply();
        return answer(result, pd.engine());
    // A plan holds no generated code: a cache on disk has nothing to store under a name.
    case dnnl_query_cache_blob_id_size_s64: return answer(result, dnnl_dim_t {0});
    case dnnl_query_cache_blob_id:
        return answer(result, static_cast<const std::uint8_t *>(nullptr));
    default: break;
    }
    if (!std::visit([&](const auto &desc) { return answer_parameter(desc, what, result); },
            pd.resolved().op))
        does_not_apply();
}
} // namespace

dnnl_status_t dnnl_primitive_desc_query(
    const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index, void *result) {
    return guarded({{pd, "primitive_desc"}, {result, "result"}}, [&] {
        if (!is_md_query(what)) return answer_query(*pd, what, result);
        require(what != dnnl_query_workspace_md || index == 0, "index: there is one workspace");
        const memory_desc &md = md_of(*pd, what, index);
        answer(result, static_cast<const_dnnl_memory_desc_t>(&md));
    });
}

const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
    const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index) {
    if (!is_md_query(what)) return nullptr;
    const_dnnl_memory_desc_t md = nullptr;
    return dnnl_primitive_desc_query(pd, what, index, &md) == dnnl_success ? md : nullptr;
}

int dnnl_primitive_desc_query_s32(const_dnnl_primitive_desc_t pd, dnnl_query_t what, int index) {
    const bool is_s32 = what == dnnl_query_num_of_inputs_s32 ||
                        what == dnnl_query_num_of_outputs_s32 || what == dnnl_query_axis_s32;
    int value = 0;
    if (!is_s32 || dnnl_primitive_desc_query(pd, what, index, &value) != dnnl_success) return 0;
    return value;
}

// ---- Primitives ----

dnnl_status_t dnnl_primitive_create(
    dnnl_primitive_t *primitive, const_dnnl_primitive_desc_t primitive_desc) {
    return guarded({{primitive, "primitive"}, {primitive_desc, "primitive_desc"}}, [&] {
        const bool timed = verbose::wants(verbose::profile_create);
        const double start_ms = timed ? verbose::now_ms() : 0;
        *primitive = new dnnl_primitive(*primitive_desc);
        if (timed)
            verbose::profiled(primitive_desc->was_kept() ? "create:cache_hit" : "create:cache_miss",
                primitive_desc->chosen(), verbose::now_ms() - start_ms);
    });
}

dnnl_status_t dnnl_primitive_get_primitive_desc(
    const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t *primitive_desc) {
    return guarded({{primitive, "primitive"}, {primitive_desc, "primitive_desc"}},
        [&] { *primitive_desc = &primitive->pd(); });
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream,
    int nargs, const dnnl_exec_arg_t *args) {
    return guarded({{primitive, "primitive"}}, [&] {
        try {
            require(stream, "stream: must not be NULL");
            require(nargs >= 0, "nargs: it is negative");
            require(args || nargs == 0, "args: must not be NULL");
            primitive->execute(stream, {args, std::size_t(nargs)});
        } catch (error &e) {
            verbose::check_failed("exec", dnnl_prim_kind2str(primitive->pd().kind()), e);
            throw;
        }
    });
}

dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive) { return destroyed(primitive); }
