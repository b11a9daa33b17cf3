// SPDX-License-Identifier: Apache-2.0
// What all convolutions share; convolution on the blocked GEMM: its plan, made of layouts and
// blocks, and its execution.
#include "cpu/convolution/convolution.hpp"

#include <algorithm>

#include "common/runtime/isa.hpp"
#include "cpu/cpu.hpp"

namespace dnnl::impl::cpu {

// ---- What all convolutions share ----

memory_desc weights_in_order(
    memory_desc md, bool has_groups, int k_dim, int n_dim, std::span<const inner_block> blocks) {
    std::array<int, max_ndims> order {};
    std::size_t count = has_groups ? 1 : 0;
    for (int d = has_groups ? 3 : 2; d < md.ndims; ++d) order[count++] = d;
    order[count++] = k_dim;
    order[count++] = n_dim;
    md.offset0 = 0;
    md.column_sums_mask = 0;
    set_blocked_layout(md, std::span<const int>(order.data(), count), blocks);
    return md;
}

convolution_plan::convolution_plan(const problem &p)
    : shape_(shape_of(std::get<convolution_desc>(p.op))), threads_(max_threads()) {
    const dnnl_prop_kind_t prop = std::get<convolution_desc>(p.op).prop;
    forward_ = prop != dnnl_backward_data;
    if (prop == dnnl_backward_weights)
        arguments_ = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST};
    else if (forward_)
        arguments_ = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    else
        arguments_ = {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC};
}

void convolution_plan::adapt(
    problem &p, const memory_desc &src, const memory_desc &weights, const memory_desc &dst) {
    using use = adapted_tensor::use;
    const auto &op = std::get<convolution_desc>(p.op);
    const bool gradient = arguments_.weights == DNNL_ARG_DIFF_WEIGHTS;
    const use of_result = gradient                   ? use::read
                          : has_sum(p.attr.post_ops) ? use::update
                                                     : use::write;
    src_ = adapted_tensor(p, source(op), src, use::read);
    weights_ = adapted_tensor(p, op.weights, weights, gradient ? use::write : use::read);
    dst_ = adapted_tensor(p, result(op), dst, of_result);
    for (const adapted_tensor *t : {&src_, &weights_, &dst_})
        if (t->why_not()) why_not_ = t->why_not();
    from_ = view_of(src_.wanted());
    to_ = view_of(dst_.wanted());
}

convolution_plan::tensors convolution_plan::begin(const exec_context &ctx) const {
    const auto first = [&](const adapted_tensor &t, int arg) {
        return static_cast<char *>(t.begin(ctx, ctx.data(arg)));
    };
    return {first(src_, arguments_.src), first(weights_, arguments_.weights),
        first(dst_, arguments_.dst)};
}

void convolution_plan::end(const exec_context &ctx) const {
    weights_.end(ctx, ctx.data(arguments_.weights));
    dst_.end(ctx, ctx.data(arguments_.dst));
}

// ---- The plan of the blocked GEMM ----

memory_desc gemm_convolution::packed_weights(memory_desc md) const {
    md.dtype = packed_type_;
    md.offset0 = 0;
    if (shape_.has_groups && group_panels::suit(md, k_dim_, n_dim_)) {
        md = weights_in_order(md, true, k_dim_, n_dim_);
    } else {
        constexpr int all[max_ndims] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        const std::span<const int> dims(all, static_cast<std::size_t>(md.ndims));
        const std::size_t first = shape_.has_groups ? 1 : 0;
        set_panel_layout(md, {k_dim_, n_dim_, dims.first(first), dims.subspan(first + 2), false});
    }
    md.column_sums_mask = has_column_sums_ ? (shape_.has_groups ? 3 : 1) : 0;
    return md;
}

gemm_convolution::gemm_convolution(problem &p, bool by_image_rows)
    : convolution_plan(p), K_(forward_ ? shape_.IC : shape_.OC),
      N_(forward_ ? shape_.OC : shape_.IC), k_dim_(shape_.has_groups + forward_),
      n_dim_(shape_.has_groups + !forward_), by_image_rows_(by_image_rows) {
    auto &op = std::get<convolution_desc>(p.op);
    const bool has_groups = shape_.has_groups;
    const quantization *zero_points = p.attr.zero_points.find(DNNL_ARG_SRC);
    if (zero_points) zero_points_ = *zero_points;
    has_column_sums_ = forward_ && zero_points && zero_points->mask == 0;
    packed_type_ = gemm_operand_type(p.target, op.weights.dtype);
    if (op.weights.is_any() && packed_type_ == op.weights.dtype)
        op.weights = packed_weights(op.weights);
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);

    const memory_desc &to = result(op);
    flat_ = !by_image_rows_ && uniform(p, to, flat_coordinates(to.ndims));
    epilogue_request request {&to,
        flat_ ? flat_coordinates(to.ndims) : image_coordinates(to.ndims, true), to.dims[1], 1,
        has_groups ? 3 : 1, is_int8(op.weights.dtype), &op.bias};
    request.src_zero_point_mask = 2;
    request.random = true;
    why_not_ = epilogue_plan::refusal(p.attr, request);
    if (why_not_) return;
    epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
    const data_type a = gemm_operand_type(p.target, source(op).dtype);
    const bool copies = source(op).dtype != a;
    memory_desc from = copies ? channels_last(source(op)) : with_dense_channels(source(op));
    from.dtype = a;
    adapt(p, from, packed_weights(op.weights),
        by_image_rows_ ? with_dense_channels(to) : with_flat_channels_last(to));
}

gemm_convolution::gemm_convolution(problem &p) : gemm_convolution(p, false) {
    if (why_not_) return;
    windows_.emplace_back(
        src_.wanted(), K_, panel_k_group(packed_type_), axes_of(shape_, forward_));
    plan_blocks(p);
}

void gemm_convolution::plan_blocks(problem &p) {
    const data_type a = src_.wanted().dtype;
    const memory_desc &w = weights_.wanted();
    const quantization *zero_points = p.attr.zero_points.find(DNNL_ARG_SRC);
    dim_t M = 0, K = 0;
    bool direct = true;
    for (const spatial_gather &window : windows_) {
        M = std::max(M, window.rows());
        K = std::max(K, window.row_size());
        direct = direct && window.is_direct();
    }
    driver_ = gemm_driver(p.target, a, packed_type_, M, N_, K, threads_);
    if (!driver_) why_not_ = "no GEMM kernel for these types";
    if (is_int8(a) && K > exact_sum_length(a, packed_type_, zero_points != nullptr)) {
        if (by_image_rows_ || (zero_points && !has_column_sums_))
            why_not_ = "longer sums than s32 surely holds, of strided windows or with a zero point "
                       "per channel";
        driver_.widen(p.target);
    }
    if (why_not_) return;
    if (shape_.has_groups && group_panels::suit(w, k_dim_, n_dim_))
        panels_ = group_panels(p, w, k_dim_, n_dim_, threads_);
    group_stride_ = shape_.has_groups ? w.strides[0] : 0;
    panel_stride_ = panels_ ? panels_.panel_stride() : w.strides[n_dim_];
    if (!by_image_rows_) dst_row_bytes_ = flat_row_stride(dst_.wanted()) * to_.element_bytes;

    // Gathered rows should share L2 with the panels, and so should sums that wait for the epilogue;
    // the rest of the blocking is the driver's.
    row_bytes_ = K * size_in_bytes(a);
    const dim_t mr = driver_.kernel().mr, NC = driver_.blocking().NC;
    const auto l2_bytes = static_cast<dim_t>(caches().l2_bytes);
    dim_t fitting = l2_bytes / 2 / std::max<dim_t>(row_bytes_, 1);
    if (by_image_rows_) fitting = std::min(fitting, l2_bytes / 4 / (NC * dim_t {sizeof(s32)}));
    MC_ = std::min(driver_.blocking().MC, std::max(fitting / mr * mr, 2 * mr));
    const dim_t columns = driver_.kernel().panel_columns;
    const dim_t N = std::max<dim_t>(N_, 1);
    column_share_ = round_up(N, columns);
    const auto count_items = [&] {
        items_ = 0;
        for (dim_t i = 0; i < std::ssize(windows_); ++i) items_ += items_of(i);
        return items_;
    };
    const dim_t blocks = std::max<dim_t>(count_items(), 1);
    const dim_t splits = std::clamp<dim_t>(div_up(threads_, blocks), 1, div_up(N, columns));
    column_share_ = round_up(div_up(N, splits), columns);
    threads_ = threads_for(count_items());
    const double products = static_cast<double>(std::clamp<dim_t>(M, 1, MC_)) *
                            static_cast<double>(K + 32) *
                            static_cast<double>(std::min(column_share_, N_));
    item_ns_ = gemm_cost_ns(p.target, a, products);

    // Direct rows of zero points alone are made.
    rows_bytes_ = round_up(direct ? row_bytes_ : MC_ * row_bytes_, 64);
    rows_ = p.scratchpad.reserve<char>(threads_ * rows_bytes_);
    accumulator_count_ = by_image_rows_ ? MC_ * NC : driver_.accumulator_count();
    accumulators_ = p.scratchpad.reserve<s32>(threads_ * accumulator_count_);
    if (driver_.kernel().end) pending_ = p.scratchpad.reserve<pending_block>(threads_);
    if (zero_points) reserve_compensation(p);
}

// ---- Execution, block by block ----

dim_t gemm_convolution::items_of(dim_t product) const {
    return shape_.G * div_up(window(product).rows(), MC_) * div_up(N_, column_share_);
}

gemm_convolution::block gemm_convolution::cut(dim_t product, dim_t item) const {
    const dim_t rows = window(product).rows(), row_blocks = div_up(rows, MC_);
    const dim_t shares = div_up(N_, column_share_), row_block = item / shares;
    const dim_t m0 = row_block % row_blocks * MC_, n0 = item % shares * column_share_;
    return {product, row_block / row_blocks, m0, std::min(rows, m0 + MC_), n0,
        std::min(column_share_, N_ - n0)};
}

gemm_task gemm_convolution::task_of(const execution &e, const block &b) const {
    const spatial_gather &rows = window(b.product);
    const dim_t a_bytes = size_in_bytes(src_.wanted().dtype);
    const dim_t b_bytes = size_in_bytes(packed_type_);
    gemm_task t {};
    t.lda_bytes = (rows.is_direct() ? rows.row_stride() : rows.row_size()) * a_bytes;
    t.rows = e.src + b.g * K_ * a_bytes + b.m0 * t.lda_bytes; // of direct rows
    t.batch = 1;
    t.k = rows.k();
    t.b_panel_bytes = panel_stride_ * b_bytes;
    t.b = (panels_ ? e.panels : e.weights + b.g * group_stride_ * b_bytes) +
          b.n0 / driver_.kernel().panel_columns * t.b_panel_bytes;
    t.n = b.n;
    t.dst = e.dst + (b.g * N_ + b.n0) * to_.element_bytes;
    t.ldd_bytes = dst_row_bytes_;
    t.finish = epilogue_.is_identity() && !driver_.is_wide() ? nullptr : e.finish;
    t.wide_compensation = e.wide_compensation;
    return t;
}

/// One call, or one per row of the image where a post-op needs positions.
void gemm_convolution::run_block(const execution &, gemm_task t, const block &b) const {
    const char *a = static_cast<const char *>(t.rows);
    char *dst = static_cast<char *>(t.dst);
    t.position[column_dim] = b.g * N_ + b.n0;
    for (dim_t row = b.m0; row < b.m1; row += t.m) {
        t.rows = a + (row - b.m0) * t.lda_bytes;
        t.dst = dst + row * t.ldd_bytes;
        if (flat_) {
            t.m = b.m1 - row;
            t.position[row_dim] = row;
        } else {
            const dim_t line = row / to_.W;
            t.m = std::min(b.m1, (line + 1) * to_.W) - row;
            t.position[row_dim] = row - line * to_.W;
            t.position[2] = line % to_.H;
            t.position[1] = line / to_.H % to_.D;
            t.position[0] = line / to_.H / to_.D;
        }
        driver_.run(t);
    }
}

void gemm_convolution::multiply(const execution &e, int thread, dim_t begin, dim_t end) const {
    const dim_t a_bytes = size_in_bytes(src_.wanted().dtype);
    char *rows = e.ctx.scratch(rows_) + thread * rows_bytes_;
    s32 *accumulators = e.ctx.scratch(accumulators_) + thread * accumulator_count_;
    pending_block *pending = moved(e.pending, thread);
    if (pending) reset(*pending);
    driver_.begin();
    block before {-1, -1, 0, 0, 0, 0};
    for (dim_t item = begin; item < end; ++item) {
        const block b = block_of(item);
        const spatial_gather &windows = window(b.product);
        if (panels_ && b.g != before.g) panels_.make(e.weights, b.g, e.panels);
        gemm_task t = task_of(e, b);
        t.c = accumulators;
        t.previous = pending;
        if (!windows.is_direct()) {
            t.rows = rows;
            if (b.product != before.product || b.g != before.g || b.m0 != before.m0)
                windows.run(e.src + b.g * K_ * a_bytes, b.m0, b.m1, rows,
                    moved(e.padding, b.g * windows.tap_size()));
        }
        before = b;
        run_block(e, t, b);
    }
    driver_.end(pending);
}

void gemm_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    begin_products(ctx, finish);
    const tensors first = begin(ctx);
    execution e {ctx, first.src, first.weights, first.dst, nullptr, &finish.data, nullptr, nullptr,
        nullptr, driver_.kernel().end ? ctx.scratch(pending_) : nullptr};
    if (epilogue_.has_src_zero_point()) {
        if (!fill_padding(ctx)) return reference_.execute(ctx, ctx.arguments());
        compensate(e, finish.src_zero_point);
        finish.data.compensation = e.compensation;
    }
    parallel_for(items_, item_ns_, threads_, [&](int thread, dim_t begin, dim_t end) {
        execution own = e;
        if (panels_) own.panels = panels_.begin(ctx, thread);
        multiply(own, thread, begin, end);
    });
    this->end(ctx);
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
    return has_phases(p) ? make_phased_convolution(p) : try_plan<gemm_convolution>(p);
}

} // namespace dnnl::impl::cpu
