// SPDX-License-Identifier: Apache-2.0
// Batch, layer and group normalization as slots of statistics under the elements.
#include "cpu/normalization/normalization.hpp"

#include <cmath>

#include "common/descriptors/normalization.hpp"
#include "common/descriptors/problem.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/epilogue/row_epilogue.hpp"

namespace dnnl::impl::cpu {

namespace {

/// An f32 array as a tensor with these dims, broadcast where the stride is 0.
memory_desc array_under(const memory_desc &tensor, const dims_t &strides) {
    memory_desc md = make_with_strides(tensor.ndims, tensor.dims.data(), data_type::f32, nullptr);
    md.strides = strides;
    return md;
}

/// (N, C, ...) as (N, groups, C / groups, ...); C of 1 is broadcast. The tensor is plain.
memory_desc with_split_channels(const memory_desc &md, dim_t groups) {
    memory_desc split = md;
    split.ndims = md.ndims + 1;
    for (int d = 2; d < md.ndims; ++d) {
        split.dims[d + 1] = md.dims[d];
        split.strides[d + 1] = md.strides[d];
    }
    const bool broadcast = md.dims[1] == 1;
    split.dims[1] = broadcast ? 1 : groups;
    split.dims[2] = broadcast ? 1 : md.dims[1] / groups;
    split.strides[1] = md.strides[1] * split.dims[2];
    split.strides[2] = md.strides[1];
    split.padded_dims = split.dims;
    return split;
}

const memory_desc &written_by(const normalization_desc &desc) {
    return is_forward(desc.prop) ? desc.dst : desc.src;
}

} // namespace

normalization_view view_of(const batch_normalization_desc &desc) {
    const memory_desc &tensor = written_by(desc);
    const memory_desc by_channel = array_under(tensor, {0, 1});
    return {by_channel, by_channel, desc.statistics, tensor.dims[1], tensor.dims[1]};
}

normalization_view view_of(const layer_normalization_desc &desc) {
    const memory_desc &tensor = written_by(desc);
    const int last = tensor.ndims - 1;
    const memory_desc stored = statistics_like(tensor);
    dims_t channel_strides {};
    channel_strides[last] = 1;
    normalization_view view {array_under(tensor, stored.strides),
        array_under(tensor, channel_strides), stored, stored.nelems(), tensor.dims[last]};
    view.slots_have_channels = false;
    return view;
}

normalization_view view_of(const group_normalization_desc &desc) {
    const memory_desc &tensor = written_by(desc), &source = source_of(desc);
    const dim_t N = tensor.dims[0], C = tensor.dims[1], G = desc.groups;
    const bool adjacent = tensor.strides[1] == 1 && tensor.nelems() > N * C;
    if (!is_forward(desc.prop) || !tensor.is_plain() || !source.is_plain() || adjacent)
        return {array_under(tensor, {C, 1}), array_under(tensor, {0, 1}), desc.statistics, N * C, C,
            C / G};
    const memory_desc split = with_split_channels(tensor, G);
    normalization_view view {
        array_under(split, {G, 1}), array_under(split, {0, C / G, 1}), desc.statistics, N * G, C};
    view.split_groups = G;
    view.slots_have_channels = false;
    return view;
}

normalization_plan::normalization_plan(
    problem &p, const normalization_desc &op, const normalization_view &view)
    : forward_(is_forward(op.prop)), given_(op.has(dnnl_use_global_stats)), flags_(op.flags),
      epsilon_(op.epsilon), view_(view), written_(written_by(op)), workspace_(op.workspace),
      elements_(written_.nelems()),
      exposed_(!forward_ || given_ || op.prop == dnnl_forward_training) {
    if (written_.has_zero_dim()) return;
    if (forward_) epilogue_ = row_epilogue(p, op.dst, true);
    why_not_ = cut(op);
    if (why_not_) return;
    if (exposed_) {
        using use = adapted_tensor::use;
        const use how = !forward_ || given_ ? use::read : use::write;
        mean_ = adapted_tensor(p, op.statistics, view_.stored, how);
        variance_ = adapted_tensor(p, op.statistics, view_.stored, how);
        why_not_ = mean_.why_not();
    } else {
        own_mean_ = p.scratchpad.reserve<f32>(statistics_count());
        own_variance_ = p.scratchpad.reserve<f32>(statistics_count());
    }
    if (view_.merged > 1) slot_mean_ = p.scratchpad.reserve<f32>(view_.slots);
    slot_inverse_ = p.scratchpad.reserve<f32>(view_.slots);
    scale_ = p.scratchpad.reserve<f32>(view_.channels);
    shift_ = p.scratchpad.reserve<f32>(view_.channels);
}

const char *normalization_plan::cut(const normalization_desc &op) {
    const memory_desc &source = source_of(op), &diff = forward_ ? source : op.dst;
    const memory_desc &workspace = workspace_.is_zero() ? source : workspace_;
    types_ = {
        written_.dtype, source.dtype, data_type::f32, data_type::f32, diff.dtype, data_type::u8};
    std::vector<const memory_desc *> tensors {
        &written_, &source, &view_.slots_under, &view_.channels_under, &diff, &workspace};
    epilogue_.append_operands(tensors);
    std::vector<memory_desc> split(tensors.size());
    for (std::size_t t = 0; view_.split_groups > 0 && t < tensors.size(); ++t) {
        if (t == statistics_place || t == vectors_place) continue;
        if (!tensors[t]->is_plain()) return "the source of a binary post-op is blocked";
        split[t] = with_split_channels(*tensors[t], view_.split_groups);
        tensors[t] = &split[t];
    }
    constexpr dim_t longest_row = 4096; // columns of a tile
    if (const char *reason = cut_into_rows(tensors, {longest_row}, boxes_)) return reason;
    for (const tiled_box &box : boxes_) {
        if (!box.has_columns()) return "no dimension of the result is contiguous";
        for (const std::size_t place : {statistics_place, vectors_place})
            if (box.columns.strides[place] > 1) return "the statistics along rows are not adjacent";
    }
    return nullptr;
}

void normalization_plan::bind(const exec_context &ctx, binding &b) const {
    normalize_args &a = b.args;
    a.src = {ctx.data(DNNL_ARG_SRC), types_[src_place], 0, 1};
    a.diff = {ctx.data(DNNL_ARG_DIFF_DST), types_[diff_place], 0, 1};
    a.passed = {ctx.data(DNNL_ARG_WORKSPACE), data_type::u8, 0, 1};
    a.dst = ctx.data(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC);
    a.dst_type = types_[dst_place];
    a.relu = (flags_ & dnnl_fuse_norm_relu) != 0;
    const auto statistic = [&](const adapted_tensor &tensor, int arg, scratch_slot<f32> own) {
        return exposed_ ? static_cast<f32 *>(tensor.begin(ctx, ctx.data(arg))) : ctx.scratch(own);
    };
    b.mean = statistic(mean_, DNNL_ARG_MEAN, own_mean_);
    b.variance = statistic(variance_, DNNL_ARG_VARIANCE, own_variance_);
    b.slot_mean = view_.merged > 1 ? ctx.scratch(slot_mean_) : b.mean;
    b.slot_inverse = ctx.scratch(slot_inverse_);
    bind_vectors(ctx, b);
}

void normalization_plan::bind_vectors(const exec_context &ctx, binding &b) const {
    const auto vector = [&](int arg, bool used, f32 missing, f32 *values) -> const f32 * {
        const memory_desc &md = ctx.desc(arg);
        if (used && md.dtype == data_type::f32) return ctx.in<f32>(arg) + md.offset0;
        for (dim_t c = 0; c < view_.channels; ++c)
            values[c] = used ? load_f32(md.dtype, ctx.data(arg), md.offset0 + c) : missing;
        return values;
    };
    b.scale = vector(DNNL_ARG_SCALE, (flags_ & dnnl_use_scale) != 0, 1.0f, ctx.scratch(scale_));
    const bool shifts = forward_ && (flags_ & dnnl_use_shift) != 0;
    b.shift = vector(DNNL_ARG_SHIFT, shifts, 0.0f, ctx.scratch(shift_));
}

void normalization_plan::store_statistics(const exec_context &ctx) const {
    mean_.end(ctx, ctx.data(DNNL_ARG_MEAN));
    variance_.end(ctx, ctx.data(DNNL_ARG_VARIANCE));
}

normalize_args normalization_plan::at(const binding &b, const tile &t) const {
    const nest_level &rows = t.box.rows, &columns = t.box.columns;
    normalize_args a = b.args;
    const auto move = [&](normalize_tensor &tensor, std::size_t place) {
        if (!tensor.data) return;
        tensor.data = element_at(tensor.data, tensor.type, t.at[place]);
        tensor.row_stride = rows.strides[place];
        tensor.step = columns.extent > 1 ? columns.strides[place] : 1;
    };
    a.rows = t.rows;
    a.columns = t.columns;
    move(a.src, src_place);
    move(a.diff, diff_place);
    move(a.passed, workspace_place);
    a.dst = element_at(a.dst, a.dst_type, t.at[dst_place]);
    a.dst_row_stride = rows.strides[dst_place];
    a.mean = under(b.slot_mean, statistics_place, t);
    a.inverse = under(b.slot_inverse, statistics_place, t);
    a.scale = under(b.scale, vectors_place, t);
    a.shift = under(b.shift, vectors_place, t);
    return a;
}

void normalization_plan::set_sums(
    normalize_args &args, f32 *sums, f32 *products, std::size_t place, const tile &t) {
    args.sums = sums + t.at[place];
    args.products = products + t.at[place];
    args.sums_row_stride = t.box.rows.strides[place];
    args.sums_column_stride = t.box.columns.strides[place];
}

f32 normalization_plan::inverse_of(f32 variance) const {
    return static_cast<f32>(1.0 / std::sqrt(double {variance} + epsilon_));
}

void normalization_plan::spread_statistics(const binding &b) const {
    parallel_for(statistics_count(), 10.0 + static_cast<double>(view_.merged),
        [&](int, dim_t begin, dim_t end) {
            for (dim_t i = begin; i < end; ++i) {
                const f32 inverse = inverse_of(b.variance[i]);
                for (dim_t slot = i * view_.merged; slot < (i + 1) * view_.merged; ++slot) {
                    b.slot_inverse[slot] = inverse;
                    if (view_.merged > 1) b.slot_mean[slot] = b.mean[i];
                }
            }
        });
}

bool normalization_plan::has_simple_units() const {
    if (view_.merged > 1 || !has_whole_units(boxes_, statistics_place, elements_ / view_.slots))
        return false;
    return std::all_of(boxes_.begin(), boxes_.end(),
        [](const tiled_box &box) { return slot_units(box, statistics_place).is_simple; });
}

namespace {
template <class Desc> planned make_vectorised(problem &p) {
    if (const char *reason = row_epilogue::refusal(p)) return reason;
    problem resolved = p;
    default_layouts(resolved);
    const auto &op = std::get<Desc>(resolved.op);
    for (const memory_desc *md : {&op.src, &op.dst, &source_of(op)})
        if (!md->is_blocked()) return "a layout is not plain or blocked";
    planned made = is_forward(op.prop) ? make_normalization_forward(resolved, op, view_of(op))
                                       : make_normalization_backward(resolved, op, view_of(op));
    if (made.result) p = std::move(resolved);
    return made;
}
} // namespace

planned make_batch_normalization(problem &p) {
    using desc = batch_normalization_desc;
    if (const char *reason = batch_normalization_refusal(std::get<desc>(p.op))) return reason;
    return make_vectorised<desc>(p);
}
planned make_layer_normalization(problem &p) {
    using desc = layer_normalization_desc;
    if (const char *reason = mixed_types_refusal(std::get<desc>(p.op))) return reason;
    return make_vectorised<desc>(p);
}
planned make_group_normalization(problem &p) {
    using desc = group_normalization_desc;
    if (const char *reason = mixed_types_refusal(std::get<desc>(p.op))) return reason;
    return make_vectorised<desc>(p);
}

} // namespace dnnl::impl::cpu
