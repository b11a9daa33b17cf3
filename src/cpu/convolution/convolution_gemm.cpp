// SPDX-License-Identifier: Apache-2.0
// Convolution on the blocked GEMM: its plan, made of phases, layouts and blocks.
#include "cpu/convolution/convolution_gemm.hpp"

#include <algorithm>

#include "common/descriptors/default_layouts.hpp"
#include "common/descriptors/product_types.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/isa.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm/gemm_types.hpp"
#include "cpu/window/channels_last.hpp"

namespace dnnl::impl::cpu {

namespace {

struct packing {
    data_type type;
    bool has_groups, backward, sums;
};

/// Weights as panels of elements of `type`, or dense where groups make panels of their own: n is
/// the output channel forward, the input channel backward.
memory_desc packed_weights(memory_desc md, const packing &how) {
    const auto [type, has_groups, backward, sums] = how;
    md.dtype = type;
    const int first = has_groups ? 1 : 0;
    const int out = first, in = first + 1;
    const std::array<int, 1> group {0};
    std::array<int, 3> spatial {};
    const int spatial_count = md.ndims - first - 2;
    for (int i = 0; i < spatial_count; ++i) spatial[static_cast<std::size_t>(i)] = first + 2 + i;
    md.offset0 = 0;
    const int k_dim = backward ? out : in, n_dim = backward ? in : out;
    if (has_groups && group_panels::suit(md, k_dim, n_dim))
        md = group_panels::dense(md, k_dim, n_dim);
    else
        set_panel_layout(
            md, {k_dim, n_dim, std::span<const int>(group.data(), static_cast<std::size_t>(first)),
                    std::span<const int>(spatial.data(), static_cast<std::size_t>(spatial_count)),
                    false});
    md.column_sums_mask = sums ? (has_groups ? 3 : 1) : 0;
    return md;
}

epilogue_request request_of(const convolution_desc &op, const memory_desc &dst, bool flat) {
    const bool has_groups = shape_of(op).has_groups;
    epilogue_request r {&dst, channels_last_coordinates(dst.ndims, flat), dst.dims[1], 1,
        has_groups ? 3 : 1, is_int8(op.weights.dtype), &op.bias};
    r.src_zero_point_mask = 2;
    r.random = true;
    return r;
}

/// md itself where its elements are of this type and its channels adjacent, else a copy that is.
memory_desc source_of_type(const memory_desc &md, data_type type) {
    if (md.dtype == type) return with_dense_channels(md);
    memory_desc copy = channels_last(md);
    copy.dtype = type;
    return copy;
}

} // namespace

gemm_convolution::gemm_convolution(problem &p)
    : shape_(shape_of(std::get<convolution_desc>(p.op))),
      forward_(is_forward(std::get<convolution_desc>(p.op).prop)), target_(p.target),
      src_arg_(forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST),
      dst_arg_(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC), K_(forward_ ? shape_.IC : shape_.OC),
      N_(forward_ ? shape_.OC : shape_.IC), threads_(max_threads()) {
    auto &op = std::get<convolution_desc>(p.op);
    const quantization *zero_points = p.attr.zero_points.find(DNNL_ARG_SRC);
    if (zero_points) zero_points_ = *zero_points;
    has_column_sums_ = forward_ && zero_points && zero_points->mask == 0;
    const packing how {gemm_operand_type(p.target, op.weights.dtype), shape_.has_groups, !forward_,
        has_column_sums_};
    if (op.weights.is_any() && how.type == op.weights.dtype)
        op.weights = packed_weights(op.weights, how);
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);
    const memory_desc &from = forward_ ? op.src : op.dst, &to = forward_ ? op.dst : op.src;
    const data_type a = gemm_operand_type(p.target, from.dtype), b = how.type;
    const memory_desc wanted_from = source_of_type(from, a);

    // On tiles a tap of few bytes costs as much as one of 64.
    const dim_t tap_bytes = K_ * static_cast<dim_t>(size_of(a));
    set_phases(wanted_from, b, target_ != isa::amx || tap_bytes >= 32);
    const memory_desc wanted_to = by_lines_ ? with_dense_channels(to) : with_flat_channels_last(to);
    flat_ = !by_lines_ && uniform(p, to, channels_last_coordinates(to.ndims, true));
    const epilogue_request request = request_of(op, to, flat_);
    why_not_ = epilogue_plan::refusal(p.attr, request);
    if (why_not_) return;
    epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);

    const auto update =
        has_sum(p.attr.post_ops) ? adapted_tensor::use::update : adapted_tensor::use::write;
    src_ = adapted_tensor(p, from, wanted_from, adapted_tensor::use::read);
    weights_ =
        adapted_tensor(p, op.weights, packed_weights(op.weights, how), adapted_tensor::use::read);
    dst_ = adapted_tensor(p, to, wanted_to, update);
    for (const adapted_tensor *t : {&src_, &weights_, &dst_})
        if (t->why_not()) why_not_ = t->why_not();
    dim_t M = 0, K = 0;
    for (const window_phase &phase : phases_) {
        M = std::max(M, phase.gather.rows());
        K = std::max(K, phase.gather.row_size());
    }
    driver_ = gemm_driver(p.target, a, b, M, N_, K, threads_);
    if (!driver_) why_not_ = "no GEMM kernel for these types";
    if (is_int8(a) && K > exact_sum_length(a, b, zero_points != nullptr)) {
        if (by_lines_ || (zero_points && !has_column_sums_))
            why_not_ = "longer sums than s32 surely holds, of strided windows or with a zero point "
                       "per channel";
        driver_.widen(p.target);
    }
    if (why_not_) return;
    row_bytes_ = K * static_cast<dim_t>(size_of(a));
    set_blocking(p);
    if (!zero_points) return;
    padding_ = p.scratchpad.reserve<char>(shape_.G * round_up(K_, panel_k_group(b)));
    compensation_ = p.scratchpad.reserve<s32>(static_cast<dim_t>(phases_.size()) * shape_.G * N_);
    if (driver_.is_wide()) wide_compensation_ = p.scratchpad.reserve<double>(shape_.G * N_);
    reference_ = nested_plan(p, op, p.attr, isa::none);
    if (!reference_) why_not_ = reference_.why_not();
}

void gemm_convolution::set_phases(const memory_desc &from, data_type weights, bool split) {
    const dim_t k_group = panel_k_group(weights);
    if (forward_)
        phases_.push_back(forward_phase(from, shape_, K_, k_group));
    else
        phases_ = backward_phases(from, shape_, K_, k_group, split);
    by_lines_ = phases_.size() != 1 || phases_[0].runs() == 0;
    tap_bytes_ =
        round_up(K_, k_group) * panel_columns(weights) * static_cast<dim_t>(size_of(weights));
}

void gemm_convolution::set_blocking(problem &p) {
    const memory_desc &w = weights_.wanted();
    const int first = shape_.has_groups ? 1 : 0;
    const int k_dim = forward_ ? first + 1 : first, n_dim = forward_ ? first : first + 1;
    if (shape_.has_groups && group_panels::suit(w, k_dim, n_dim))
        panels_ = group_panels(p, w, k_dim, n_dim, threads_);
    group_stride_ = shape_.has_groups ? w.strides[0] : 0;
    panel_stride_ = panels_ ? panels_.panel_stride() : w.strides[n_dim];
    if (!by_lines_) dst_row_stride_ = flat_row_stride(dst_.wanted());
    line_ = forward_ ? shape_.OW : shape_.IW;

    // Gathered rows should share L2 with the panels, and so should sums that wait for the epilogue;
    // the rest of the blocking is the driver's.
    const dim_t mr = driver_.kernel().mr, NC = driver_.blocking().NC;
    const auto l2_bytes = static_cast<dim_t>(caches().l2_bytes);
    dim_t fitting = l2_bytes / 2 / std::max<dim_t>(row_bytes_, 1);
    if (by_lines_) fitting = std::min(fitting, l2_bytes / 4 / (NC * dim_t {sizeof(s32)}));
    MC_ = std::min(driver_.blocking().MC, std::max(fitting / mr * mr, 2 * mr));
    dim_t blocks = 0;
    for (const window_phase &phase : phases_) blocks += shape_.G * row_blocks(phase);
    const dim_t columns = driver_.kernel().panel_columns;
    const dim_t splits =
        std::clamp<dim_t>(div_up(threads_, std::max<dim_t>(blocks, 1)), 1, div_up(N_, columns));
    column_share_ = round_up(div_up(N_, splits), columns);
    dim_t runs = 0;
    for (const window_phase &phase : phases_) {
        first_items_.push_back(items_);
        first_runs_.push_back(runs);
        items_ += shape_.G * row_blocks(phase) * shares();
        runs += phase.runs();
    }
    run_offsets_ = p.scratchpad.reserve<dim_t>(runs);

    threads_ = threads_for(items_);
    const bool direct = std::all_of(phases_.begin(), phases_.end(),
        [](const window_phase &phase) { return phase.gather.is_direct(); });
    // Direct rows of zero points alone are made.
    rows_ =
        p.scratchpad.reserve<char>(threads_ * round_up(direct ? row_bytes_ : MC_ * row_bytes_, 64));
    accumulator_count_ = by_lines_ ? MC_ * NC : driver_.accumulator_count();
    accumulators_ = p.scratchpad.reserve<s32>(threads_ * accumulator_count_);
    if (driver_.kernel().end) pending_ = p.scratchpad.reserve<pending_block>(threads_);
    if (by_lines_)
        store_ = phase_store(p, dst_.wanted(), epilogue_, phases_.empty() ? 1 : phases_[0].step[2]);
}

planned make_gemm_convolution(problem &p) {
    const auto &op = std::get<convolution_desc>(p.op);
    if (op.prop == dnnl_backward_weights) return another_direction;
    if (op.alg == dnnl_convolution_winograd) return "only the direct algorithm";
    const memory_desc &from = is_forward(op.prop) ? op.src : op.dst;
    const memory_desc &to = is_forward(op.prop) ? op.dst : op.src;
    const dnnl_prop_kind_t prop = op.of_deconvolution ? dnnl_forward_inference : op.prop;
    if (const char *reason = product_refusal(from, op.weights, op.bias, to, prop)) return reason;
    const data_type a = gemm_operand_type(p.target, from.dtype);
    if (const char *reason =
            gemm_types_refusal(p.target, a, gemm_operand_type(p.target, op.weights.dtype)))
        return reason;
    return try_plan<gemm_convolution>(p);
}

} // namespace dnnl::impl::cpu
