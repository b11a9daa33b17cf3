// SPDX-License-Identifier: Apache-2.0
// This folder has reorder, concat and shuffle. A reorder takes any types and layouts, scales, zero
// points and a sum. As in the reference, each step is rounded to f32; dst's scale truly divides.
#include "common/descriptors/mappings/mappings.hpp"

#include <iterator>

#include "common/descriptors/rnn.hpp"
#include "cpu/cpu.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/walk/tensor_copy.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The sums that packed int8 weights carry after their elements (memory_desc::column_sums_mask).
class column_sums {
  public:
    /// Returns the reason when the sums of md cannot be computed, else null.
    const char *plan(isa target, const memory_desc &md);
    /// Adds up the elements at `data` and writes the sums behind them, if md has any.
    void run(void *data) const;

  private:
    enum : std::size_t { elements_place, sums_place };
    static bool has_own_sums(const nest_level &level) { return level.strides[sums_place] != 0; }

    /// A tile has whole rows and columns. The outer loops along which the sums differ come first.
    std::vector<tiled_box> boxes_;
    std::size_t elements_bytes_ = 0;
    dim_t count_ = 0;
    data_type type_ = data_type::undef;
    void (*add_)(const column_sums_args &) = nullptr;
};

const char *column_sums::plan(isa target, const memory_desc &md) {
    if (md.column_sums_mask == 0 || md.has_zero_dim()) return nullptr;
    if (!is_int8(md.dtype)) return "sums of elements that are not s8 or u8";
    add_ = kernel_for<every_level>(target, []<class Isa> { return add_column_sums<Isa>; });
    elements_bytes_ = md.elements_bytes();
    count_ = md.column_sums_count();
    type_ = md.dtype;
    const memory_desc sums = values_under(md, data_type::s32, md.column_sums_mask, md.padded_dims);
    const walked_tensor tensors[] {{&md}, {&sums}};
    const char *why = cut_into_tiled_boxes(md.ndims, md.dims, tensors, -1, md.nelems(true), boxes_);
    for (tiled_box &box : boxes_) {
        box.tile_rows = box.rows.extent;
        std::stable_partition(box.outer.begin(), box.outer.end(), has_own_sums);
    }
    return why;
}

void column_sums::run(void *data) const {
    if (count_ == 0) return;
    const char *elements = static_cast<const char *>(data);
    s32 *sums = reinterpret_cast<s32 *>(static_cast<char *>(data) + elements_bytes_);
    std::fill_n(sums, count_, 0);
    for (const tiled_box &box : boxes_) {
        const nest_level &rows = box.rows, &columns = box.columns;
        const column_sums_args whole {nullptr, type_, nullptr, rows.extent, columns.extent,
            rows.strides[elements_place], columns.strides[elements_place], rows.strides[sums_place],
            columns.strides[sums_place]};
        const double ns = 10 + 0.3 * double(rows.extent * columns.extent);
        // Threads share no sum: each takes whole iterations of the loops along which they differ.
        dim_t tiles = 1;
        for (const nest_level &level : box.outer)
            if (!has_own_sums(level)) tiles *= level.extent;
        parallel_for(box.count() / tiles, ns * double(tiles), [&](int, dim_t begin, dim_t end) {
            box.walk(begin * tiles, end * tiles, [&](const tile &t) {
                column_sums_args part = whole;
                part.elements = elements + t.at[elements_place];
                part.sums = sums + t.at[sums_place];
                add_(part);
            });
        });
    }
}

/// Scales or zero points of one side as a tensor that broadcasts to the elements.
struct value_tensor {
    int arg = 0; ///< 0: absent
    data_type dtype = data_type::undef;
    dim_t count = 0;
    memory_desc md;
    std::vector<f32> constants; ///< values that are known at creation; then arg is 0
    scratch_slot<f32> as_f32;   ///< a copy in f32 of values of another type

    value_tensor() = default;
    value_tensor(problem &p, int kind, const quantization &q, const memory_desc &tensor)
        : arg(kind | q.arg), dtype(q.dtype), count(value_count(q, tensor)),
          md(values_under(tensor, data_type::f32, q.mask, tensor.dims)) {
        if (dtype != data_type::f32) as_f32 = p.scratchpad.reserve<f32>(count);
    }
    value_tensor(std::vector<f32> values, int mask, const memory_desc &tensor)
        : md(values_under(tensor, data_type::f32, mask, tensor.dims)),
          constants(std::move(values)) {}
    explicit operator bool() const { return arg != 0 || !constants.empty(); }
    const f32 *bind(const exec_context &ctx) const {
        if (!arg) return constants.empty() ? nullptr : constants.data();
        const dim_t offset0 = ctx.desc(arg).offset0;
        if (dtype == data_type::f32) return ctx.in<f32>(arg) + offset0;
        f32 *values = ctx.scratch(as_f32);
        for (dim_t i = 0; i < count; ++i) values[i] = load_f32(dtype, ctx.data(arg), offset0 + i);
        return values;
    }
};

class vector_reorder : public plan {
  public:
    explicit vector_reorder(problem &p)
        : src_(std::get<reorder_desc>(p.op).src), dst_(std::get<reorder_desc>(p.op).dst) {
        const auto add = [&](value_kind kind, int what, const quantization_params &set, int arg) {
            const quantization *q = set.find(arg);
            if (q) values_[kind] = value_tensor(p, what, *q, arg == DNNL_ARG_FROM ? src_ : dst_);
        };
        const quantization_params &scales = p.attr.scales, &zero_points = p.attr.zero_points;
        add(src_zero_points, DNNL_ARG_ATTR_ZERO_POINTS, zero_points, DNNL_ARG_FROM);
        add(src_scales, DNNL_ARG_ATTR_SCALES, scales, DNNL_ARG_FROM);
        add(dst_scales, DNNL_ARG_ATTR_SCALES, scales, DNNL_ARG_TO);
        add(dst_zero_points, DNNL_ARG_ATTR_ZERO_POINTS, zero_points, DNNL_ARG_TO);
        if (!p.attr.rnn.is_default()) add_constants(p);
        src_codes_ = nibble_codes(p, src_, true);
        dst_codes_ = nibble_codes(p, dst_, !p.attr.post_ops.entries.empty());
        tensor_copy_request request {&src_, &dst_};
        for (std::size_t v = 0; v < value_kinds; ++v)
            if (values_[v]) request.values[v] = &values_[v].md;
        if (!p.attr.post_ops.entries.empty()) {
            request.has_sum = true;
            request.sum_scale = std::get<sum_post_op>(p.attr.post_ops.entries.front()).scale;
        }
        request.through_f32 = !p.attr.has_default_values();
        why_not_ = copy_.plan(p.target, request);
        if (!why_not_) why_not_ = sums_.plan(p.target, dst_);
    }
    bool has_small_tiles() const { return copy_.has_small_tiles(); }

    void execute(const exec_context &ctx) const override {
        std::array<const f32 *, value_kinds> values {};
        for (std::size_t v = 0; v < value_kinds; ++v) values[v] = values_[v].bind(ctx);
        void *dst = dst_codes_.begin(ctx, ctx.data(DNNL_ARG_TO));
        copy_.run(src_codes_.begin(ctx, ctx.data(DNNL_ARG_FROM)), dst, values);
        dst_codes_.end(ctx, ctx.data(DNNL_ARG_TO));
        sums_.run(ctx.data(DNNL_ARG_TO));
    }

  private:
    void add_constants(const problem &p) {
        reorder_values given = values_of(std::get<reorder_desc>(p.op), p.attr.rnn);
        const auto add = [&](value_kind kind, std::vector<f32> &values, int mask) {
            if (!values.empty()) values_[kind] = value_tensor(std::move(values), mask, dst_);
        };
        add(src_zero_points, given.src_zero_point, 0);
        add(src_scales, given.src_scale, given.mask);
        add(dst_scales, given.dst_scale, given.mask);
        add(dst_zero_points, given.dst_zero_point, 0);
    }

    memory_desc src_, dst_;
    nibble_codes src_codes_, dst_codes_;
    std::array<value_tensor, value_kinds> values_;
    tensor_copy copy_;
    column_sums sums_;
};

/// Two passes over large tiles, where the blocks of dst would make one pass go over small tiles.
/// The first pass converts, or brings together what the blocks of dst need, in a layout near that
/// of src; the second one moves the result.
class two_pass_reorder : public plan {
  public:
    two_pass_reorder(problem &p, const memory_desc &between) {
        const auto &op = std::get<reorder_desc>(p.op);
        primitive_attr attr = p.attr;
        attr.rnn = parameters_of(op, attr.rnn);
        convert_ = nested_plan(p, reorder_desc {op.src, between}, attr);
        move_ = nested_plan(p, reorder_desc {between, op.dst}, {});
        why_not_ = convert_ ? move_.why_not() : convert_.why_not();
        buffer_ = p.scratchpad.reserve<std::byte>(dim_t(between.size_bytes()));
    }

    void execute(const exec_context &ctx) const override {
        const auto &to = std::get<reorder_desc>(move_.op());
        std::byte *between = ctx.scratch(buffer_);
        const renamed_arguments::rename renames[] {{DNNL_ARG_TO, DNNL_ARG_TO, &to.src, between}};
        convert_.execute(ctx, renamed_arguments(ctx, renames).list());
        const bound_argument moved[] {
            {DNNL_ARG_FROM, &to.src, between}, {DNNL_ARG_TO, &to.dst, ctx.data(DNNL_ARG_TO)}};
        move_.execute(ctx, moved);
    }

  private:
    nested_plan convert_, move_;
    scratch_slot<std::byte> buffer_;
};

/// The layout between the two passes. A conversion gives dst's type in src's layout. Else the order
/// is that of src where dst's blocks hold what is adjacent in src; otherwise the dimension of the
/// innermost block becomes the innermost one, so that the second pass finds groups of it adjacent.
memory_desc between(const memory_desc &src, const memory_desc &dst, bool converts) {
    memory_desc md = src;
    md.dtype = dst.dtype;
    md.offset0 = 0;
    md.column_sums_mask = 0;
    set_layout_like(md, src);
    if (converts || src.inner_nblks > 0 || dst.inner_nblks == 0) return md;
    auto order = outer_order(src);
    int *const end = order.begin() + src.ndims;
    for (int b = 0; b < dst.inner_nblks; ++b)
        if (dst.inner_idxs[b] == *std::prev(end)) return md;
    const int innermost = static_cast<int>(dst.inner_idxs[dst.inner_nblks - 1]);
    std::rotate(std::find(order.begin(), end, innermost),
        std::next(std::find(order.begin(), end, innermost)), end);
    set_blocked_layout(md, std::span(order.data(), std::size_t(src.ndims)), {});
    return md;
}

/// True when the second pass would do all of the work again, or the first one has done it already.
bool leads_nowhere(const memory_desc &middle, const reorder_desc &op) {
    memory_desc src = op.src, dst = op.dst;
    src.offset0 = dst.offset0 = 0;
    dst.column_sums_mask = 0;
    return middle == src || middle == between(dst, dst, true); // dst itself where it is dense
}

/// Takes the dimensions and strides that are known at execution only from the arguments.
void take_arguments(problem &p, const exec_context &ctx) {
    auto &op = std::get<reorder_desc>(p.op);
    op.src = ctx.desc(DNNL_ARG_FROM);
    op.dst = ctx.desc(DNNL_ARG_TO);
    require(op.src.ndims == op.dst.ndims && op.src.dims == op.dst.dims,
        "reorder: src and dst differ in dims");
}

const char *refusal(const problem &p) {
    const auto &op = std::get<reorder_desc>(p.op);
    if (const char *why = reorder_refusal(p)) return why;
    for (const memory_desc *md : {&op.src, &op.dst})
        if (!md->is_blocked()) return "a layout is not plain or blocked";
    for (const auto *params : {&p.attr.scales, &p.attr.zero_points})
        for (const quantization &q : params->entries()) {
            if (q.has_groups()) return "scales or zero points have groups";
            if (q.arg != DNNL_ARG_FROM && q.arg != DNNL_ARG_TO)
                return "scales or zero points of another argument";
        }
    if (!p.attr.stochastic_rounding.empty()) return "stochastic rounding is not supported";
    return nullptr;
}

} // namespace

planned make_reorder(problem &p) {
    if (const char *why = refusal(p)) return why;
    const auto &op = std::get<reorder_desc>(p.op);
    if (op.src.has_runtime() || op.dst.has_runtime())
        return try_plan<runtime_plan>(p, take_arguments);
    const scratchpad_layout untouched = p.scratchpad;
    auto one_pass = std::make_unique<vector_reorder>(p);
    const scratchpad_layout of_one_pass = std::exchange(p.scratchpad, untouched);
    if (const char *why = one_pass->why_not()) return why;
    const bool nibbles = is_4bit(op.src.dtype) || is_4bit(op.dst.dtype);
    if (one_pass->has_small_tiles() && p.attr.post_ops.entries.empty() && !nibbles) {
        const bool converts = op.src.dtype != op.dst.dtype || !p.attr.has_default_values();
        const memory_desc middle = between(op.src, op.dst, converts);
        if (!leads_nowhere(middle, op)) {
            planned two_passes = try_plan<two_pass_reorder>(p, middle);
            if (two_passes.result) return two_passes;
        }
    }
    p.scratchpad = of_one_pass;
    return planned(std::move(one_pass));
}

} // namespace dnnl::impl::cpu
