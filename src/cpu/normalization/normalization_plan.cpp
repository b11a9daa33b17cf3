// SPDX-License-Identifier: Apache-2.0
// The slots of statistics under the elements, and sums over them, for the plans of normalizations.
#include "cpu/normalization/normalization.hpp"

#include <cmath>

#include "cpu/cpu.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/walk/tensor_copy.hpp"

namespace dnnl::impl::cpu {

namespace {

/// An f32 array as a tensor with these dims, broadcast where the stride is 0.
memory_desc array_under(const memory_desc &tensor, const dims_t &strides) {
    memory_desc md = make_with_strides(tensor.ndims, tensor.dims.data(), data_type::f32, nullptr);
    md.strides = strides;
    return md;
}

/// (N, C, ...) seen as (N, groups, C / groups, ...), of a plain tensor; C of extent 1 broadcasts.
memory_desc with_split_channels(const memory_desc &md, dim_t groups) {
    if (md.dims[1] == 1) groups = 1;
    return with_split_axis(md, 1, groups, md.dims[1] / groups);
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
    : forward_(is_forward(op.prop)), given_(op.has(dnnl_use_global_stats)),
      zero_mean_(op.has(dnnl_rms_norm)), flags_(op.flags), epsilon_(op.epsilon), view_(view),
      written_(written_by(op)), workspace_(op.workspace), elements_(written_.nelems()),
      exposed_(!forward_ || given_ || op.prop == dnnl_forward_training) {
    if (written_.has_zero_dim()) return;
    inverses_ =
        kernel_for<vector_levels>(p.target, []<class Isa> { return inverse_deviations<Isa>; });
    if (forward_) epilogue_ = row_epilogue(p, op.dst, true);
    constexpr dim_t longest_tile = 4096, longest_row = 32768; // the latter is read twice from L2
    why_not_ = cut(op, longest_row);
    if (why_not_) return;
    whole_rows_ = !(forward_ && given_) && has_whole_rows();
    if (!whole_rows_) why_not_ = cut(op, longest_tile);
    if (!why_not_ && p.target == isa::avx512_bf16 && !whole_rows_ && !has_channels_along_rows())
        why_not_ = made_for_pairs_of_bf16;
    if (why_not_) return;
    if (exposed_) {
        using use = adapted_tensor::use;
        const use how = !forward_ || given_ ? use::read : use::write;
        if (!zero_mean_) mean_ = adapted_tensor(p, op.statistics, view_.stored, how);
        variance_ = adapted_tensor(p, op.statistics, view_.stored, how);
        why_not_ = variance_.why_not();
    } else {
        own_variance_ = p.scratchpad.reserve<f32>(statistics_count());
    }
    if (!exposed_ || zero_mean_) own_mean_ = p.scratchpad.reserve<f32>(statistics_count());
    if (view_.merged > 1) slot_mean_ = p.scratchpad.reserve<f32>(view_.slots);
    slot_inverse_ = p.scratchpad.reserve<f32>(view_.slots);
    scale_ = p.scratchpad.reserve<f32>(view_.channels);
    shift_ = p.scratchpad.reserve<f32>(view_.channels);
    if (!op.has(dnnl_use_scale)) no_scale_.resize(std::size_t(view_.channels), 1.0f);
    if (!forward_ || !op.has(dnnl_use_shift)) no_shift_.resize(std::size_t(view_.channels));
}

const char *normalization_plan::cut(const normalization_desc &op, dim_t longest) {
    boxes_.clear();
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
    if (const char *reason = cut_into_rows(tensors, {longest}, boxes_)) return reason;
    for (const tiled_box &box : boxes_) {
        if (!box.has_columns()) return "no dimension of the result is contiguous";
        for (const std::size_t place : {statistics_place, vectors_place})
            if (box.columns.strides[place] > 1) return "the statistics along rows are not adjacent";
    }
    return nullptr;
}

void normalization_plan::bind(const exec_context &ctx, binding &b) const {
    b.tensors[dst_place] = ctx.data(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC);
    b.tensors[src_place] = ctx.data(DNNL_ARG_SRC);
    b.tensors[diff_place] = ctx.data(DNNL_ARG_DIFF_DST);
    b.tensors[workspace_place] = ctx.data(DNNL_ARG_WORKSPACE);
    const auto statistic = [&](const adapted_tensor &tensor, int arg, scratch_slot<f32> own) {
        return exposed_ ? reinterpret_cast<f32 *>(tensor.begin(ctx, arg)) : ctx.scratch(own);
    };
    b.mean = zero_mean_ ? ctx.scratch(own_mean_) : statistic(mean_, DNNL_ARG_MEAN, own_mean_);
    if (zero_mean_) std::fill_n(b.mean, statistics_count(), 0.0f);
    b.variance = statistic(variance_, DNNL_ARG_VARIANCE, own_variance_);
    b.slot_mean = view_.merged > 1 ? ctx.scratch(slot_mean_) : b.mean;
    b.slot_inverse = ctx.scratch(slot_inverse_);
    const auto vector = [&](int arg, const std::vector<f32> &missing, f32 *values) -> const f32 * {
        if (!missing.empty()) return missing.data();
        const memory_desc &md = ctx.desc(arg);
        if (md.dtype == data_type::f32) return ctx.in<f32>(arg) + md.offset0;
        for (dim_t c = 0; c < view_.channels; ++c)
            values[c] = load_f32(md.dtype, ctx.data(arg), md.offset0 + c);
        return values;
    };
    b.scale = vector(DNNL_ARG_SCALE, no_scale_, ctx.scratch(scale_));
    b.shift = vector(DNNL_ARG_SHIFT, no_shift_, ctx.scratch(shift_));
}

normalize_args normalization_plan::at(const binding &b, const tile &t) const {
    const auto part = [&](std::size_t place) {
        return part_of(b.tensors[place], types_[place], place, t);
    };
    const dim_t tensor_bytes =
        elements_ * (size_in_bytes(written_.dtype) * (forward_ ? 2 : 3) + relus());
    normalize_args a {};
    a.tile = {part(dst_place), {part(src_place), part(diff_place), part(workspace_place)}, t.rows,
        t.columns, nullptr, tensor_bytes > cached_bytes};
    a.mean = under(b.slot_mean, statistics_place, t);
    a.inverse = under(b.slot_inverse, statistics_place, t);
    a.scale = under(b.scale, vectors_place, t);
    a.shift = under(b.shift, vectors_place, t);
    a.relu = relus();
    a.tensor_bytes = tensor_bytes;
    return a;
}

void normalization_plan::add(normalize_function step, normalize_args args, f32 *sums, f32 *products,
    std::size_t place, const tile &t) {
    args.sums = sums + t.at[place];
    args.products = products + t.at[place];
    args.sums_row_stride = t.box.rows.strides[place];
    args.sums_column_stride = t.box.columns.strides[place];
    step(args);
}

f32 normalization_plan::inverse_of(f32 variance) const {
    return static_cast<f32>(1.0 / std::sqrt(double {variance} + epsilon_));
}

void normalization_plan::spread_means(const binding &b) const {
    const dim_t merged = view_.merged;
    if (merged > 1)
        for_each_statistic(
            0, [&](dim_t i) { std::fill_n(b.slot_mean + i * merged, merged, b.mean[i]); });
}

void normalization_plan::spread_inverses(const binding &b) const {
    const dim_t merged = view_.merged;
    constexpr double ns = 2;
    if (merged == 1)
        return parallel_for(view_.slots, ns, [&](int, dim_t begin, dim_t end) {
            inverses_(b.variance + begin, end - begin, epsilon_, b.slot_inverse + begin);
        });
    for_each_statistic(10, [&](dim_t i) {
        std::fill_n(b.slot_inverse + i * merged, merged, inverse_of(b.variance[i]));
    });
}

bool normalization_plan::has_simple_units() const {
    if (view_.merged > 1 || !has_whole_units(boxes_, statistics_place, elements_ / view_.slots))
        return false;
    return std::all_of(boxes_.begin(), boxes_.end(),
        [](const tiled_box &box) { return slot_units(box, statistics_place).is_simple; });
}

bool normalization_plan::has_whole_rows() const {
    const data_type type = types_[dst_place];
    const bool known = type == data_type::f32 || type == data_type::bf16;
    if (epilogue_.is_needed() || !has_simple_units()) return false;
    if (!known || types_[src_place] != type || types_[diff_place] != type || relus()) return false;
    return std::all_of(boxes_.begin(), boxes_.end(), [](const tiled_box &box) {
        const slot_units u(box, statistics_place);
        const auto &along = box.columns.strides, &down = box.rows.strides;
        if (!u.is_row || u.tiles != 1 || along[statistics_place] != 0) return false;
        for (const std::size_t place : {dst_place, src_place, diff_place, vectors_place})
            if (along[place] != 1) return false;
        return box.rows.extent == 1 || (down[statistics_place] == 1 && down[vectors_place] == 0);
    });
}

bool normalization_plan::has_channels_along_rows() const {
    const data_type type = types_[dst_place];
    if (epilogue_.is_needed() || types_[src_place] != type || types_[diff_place] != type)
        return false;
    return std::all_of(boxes_.begin(), boxes_.end(), [](const tiled_box &box) {
        const auto &along = box.columns.strides, &across = box.rows.strides;
        for (const std::size_t place : {statistics_place, vectors_place})
            if (along[place] != 1 || across[place] != 0) return false;
        for (const std::size_t place : {dst_place, src_place, diff_place, workspace_place})
            if (!box.columns.is_adjacent(place)) return false;
        return true;
    });
}

// ---- Sums over slots ----

namespace {
/// The least elements of a chunk, and the most chunks: enough for many threads, few enough that
/// adding their sums takes no time.
constexpr dim_t chunk_elements = 16384, most_chunks = 64;
/// Chunks that share no slot may be more: nothing is added up afterwards. The plan lists them.
constexpr dim_t most_aligned_chunks = 4096;
/// So many units keep the threads busy without being cut.
constexpr dim_t enough_units = 16;

bool shares(const nest_level &level, std::size_t place) {
    return level.extent > 1 && level.strides[place] == 0;
}

dim_t volume_of(std::span<const tiled_box> boxes) {
    dim_t elements = 0;
    for (const tiled_box &box : boxes) elements += box.volume();
    return elements;
}
} // namespace

slot_units::slot_units(const tiled_box &box, std::size_t place)
    : tiles(div_up(box.columns.extent, box.tile_columns)) {
    std::vector<nest_level> loops = box.outer; // around the tiles of a row
    loops.push_back(box.rows);
    for (const nest_level &level : loops) {
        // From the first loop on whose iterations share slots, all loops are inside of a unit.
        is_row = is_row && !shares(level, place);
        (is_row ? count : tiles) *= level.extent;
        if (!is_row && level.extent > 1 && !shares(level, place)) is_simple = false;
        if (shares(level, place)) sharing *= level.extent;
    }
    if (shares(box.columns, place)) sharing *= box.columns.extent;
}

bool has_whole_units(std::span<const tiled_box> boxes, std::size_t place, dim_t slot_size) {
    dim_t units = 0;
    for (const tiled_box &box : boxes) {
        const slot_units u(box, place);
        if (u.sharing != slot_size) return false;
        units += u.count;
    }
    return units >= enough_units || volume_of(boxes) <= 2 * chunk_elements;
}

void slot_sums::prepare(problem &p, std::span<const tiled_box> boxes, std::size_t place,
    dim_t slots, int count, dim_t elements_of_sum) {
    const dim_t elements = volume_of(boxes);
    values_ = slots * count;
    aligned_ = has_whole_units(boxes, place, elements / slots);
    const dim_t chunks = std::clamp<dim_t>(
        std::min(elements / chunk_elements, elements / (elements_of_sum * values_)), 1,
        most_chunks);
    const dim_t wanted = aligned_ ? std::max(chunk_elements, div_up(elements, most_aligned_chunks))
                                  : div_up(elements, chunks);
    for (std::size_t b = 0; b < boxes.size(); ++b) {
        const dim_t step = aligned_ ? slot_units(boxes[b], place).tiles : 1; // never cut inside
        const dim_t steps = boxes[b].count() / step;
        const dim_t volume = boxes[b].volume();
        const dim_t part = steps <= INT64_MAX / wanted / 2 ? div_up(wanted * steps, volume)
                                                           : div_up(wanted, volume / steps);
        const dim_t steps_per_chunk = std::clamp<dim_t>(part, 1, steps);
        for (dim_t begin = 0; begin < steps; begin += steps_per_chunk)
            chunks_.push_back({b, begin * step, std::min(begin + steps_per_chunk, steps) * step});
    }
    const auto chunk_count = dim_t(chunks_.size());
    ns_per_chunk_ = normalization_ns * double(elements) / double(chunk_count);
    if (!aligned_) partial_ = p.scratchpad.reserve<f32>(chunk_count * values_);
}

} // namespace dnnl::impl::cpu
