// SPDX-License-Identifier: Apache-2.0
// What all convolutions share; convolution on the blocked GEMM: its plan, made of layouts and
// blocks, and its execution.
#include "cpu/convolution/convolution.hpp"

#include "cpu/cpu.hpp"

namespace dnnl::impl::cpu {

// A row of the kernel is one product where the channels of a tap have at most so many bytes.
// (Measured on a Zen 5 core with bytes: 16 channels gain 1.2 to 1.3 by it, 32 1.05, 64 nothing.)
static constexpr dim_t longest_joined_tap = 64;

// ---- What all convolutions share ----

gemm_operands gemm_operand_types(isa target, data_type a, data_type b) {
    const gemm_operands own {gemm_operand_type(target, a), gemm_operand_type(target, b)};
    const bool mixed = own.a != own.b && is_float(own.a) && is_float(own.b);
    return mixed ? gemm_operands {data_type::f32, data_type::f32} : own;
}

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
    return {src_.begin(ctx, arguments_.src), weights_.begin(ctx, arguments_.weights),
        dst_.begin(ctx, arguments_.dst)};
}

// ---- The plan of the blocked GEMM ----

memory_desc gemm_convolution::packed_weights(memory_desc md) const {
    md.dtype = packed_type_;
    md.offset0 = 0;
    if (makes_panels(md)) {
        md = weights_in_order(md, shape_.has_groups, k_dim_, n_dim_);
    } else {
        constexpr int all[max_ndims] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        const std::span<const int> dims(all, std::size_t(md.ndims));
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
    const gemm_operands types = gemm_operand_types(p.target, source(op).dtype, op.weights.dtype);
    packed_type_ = types.b;
    joins_taps_ = forward_ && p.target != isa::amx && shape_.G == 1 && shape_.KW > 1 &&
                  shape_.DW == 0 && K_ * size_in_bytes(packed_type_) <= longest_joined_tap;
    if (op.weights.is_any() && packed_type_ == op.weights.dtype)
        op.weights = packed_weights(op.weights);
    prefer_channels_last(op.src, op.dst);
    default_layouts(p);

    const memory_desc &to = result(op);
    const memory_desc wanted = with_dense_channels(to);
    flat_ = !by_image_rows_ && flat_row_stride(wanted) >= 0 &&
            uniform(p, to, flat_coordinates(to.ndims));
    epilogue_request request {&to,
        flat_ ? flat_coordinates(to.ndims) : image_coordinates(to.ndims, true), to.dims[1], 1,
        has_groups ? 3 : 1, is_int8(op.weights.dtype), &op.bias};
    request.src_zero_point_mask = 2;
    request.random = true;
    why_not_ = epilogue_plan::refusal(p.attr, request);
    if (why_not_) return;
    epilogue_ = epilogue_plan(p.target, p.attr, p.scratchpad, request);
    const bool copies = source(op).dtype != types.a;
    memory_desc from = copies ? channels_last(source(op)) : with_dense_channels(source(op));
    const int w = from.ndims - 1;
    if (joins_taps_ && from.strides[w] != K_ && from.dims[w] > 1) from = channels_last(from);
    from.dtype = types.a;
    adapt(p, from, packed_weights(op.weights), wanted);
}

gemm_convolution::gemm_convolution(problem &p) : gemm_convolution(p, false) {
    if (why_not_) return;
    const window_axes axes = axes_of(shape_, forward_);
    windows_.emplace_back(src_.wanted(), K_, panel_k_group(packed_type_), axes);
    const tap_order order {0, {shape_.KH * shape_.KW, shape_.KW, 1}};
    plan_blocks(p, {&order, 1});
}

void gemm_convolution::plan_blocks(problem &p, std::span<const tap_order> orders, bool by_lines) {
    const data_type a = src_.wanted().dtype;
    const memory_desc &w = weights_.wanted();
    const quantization *zero_points = p.attr.zero_points.find(DNNL_ARG_SRC);
    dim_t M = 0, K = 0, K_of_all = 0;
    bool direct = true;
    for (const spatial_gather &window : windows_) {
        M = std::max(M, window.rows());
        K = std::max(K, window.row_size());
        K_of_all += window.row_size();
        direct = direct && window.is_direct();
    }
    driver_ = gemm_driver(p.target, a, packed_type_, M, N_, K, 1);
    if (!driver_) why_not_ = "no GEMM kernel for these types";
    if (is_int8(a) && K > exact_sum_length(a, packed_type_, zero_points != nullptr)) {
        const bool sums_fit = has_column_sums_ && K <= longest_operand_sum; // of weights alone
        if (by_image_rows_ || (zero_points && !sums_fit))
            why_not_ = "longer sums than s32 surely holds, of strided windows or with a zero point "
                       "per channel or of very many weights";
        driver_.widen(p.target);
    }
    if (why_not_) return;
    if (makes_panels(w))
        panels_ = group_panels(p, w, k_dim_, n_dim_, joins_taps_ ? shape_.KW : 1, threads_);
    group_stride_ = shape_.has_groups ? w.strides[0] : 0;
    panel_stride_ = panels_ ? panels_.panel_stride() : w.strides[n_dim_];
    if (!by_image_rows_)
        dst_row_bytes_ = flat_ ? flat_row_stride(dst_.wanted()) * to_.element_bytes : to_.w_bytes;

    if (!direct) list_rows(orders, zero_points != nullptr, by_lines);

    // Gathered rows should share L2 with the panels, and so should sums that wait for the epilogue;
    // the rest of the blocking is the driver's.
    row_bytes_ = K * size_in_bytes(a);
    const dim_t mr = driver_.kernel().mr, NC = driver_.blocking().NC;
    const auto l2_bytes = dim_t(caches().l2_bytes);
    const dim_t of_row = lists_.empty()
                             ? row_bytes_
                             : K / std::max<dim_t>(lists_[0].k(), 1) * dim_t {2 * sizeof(void *)};
    dim_t fitting = l2_bytes / 2 / std::max<dim_t>(of_row, 1);
    if (by_image_rows_) fitting = std::min(fitting, l2_bytes / 4 / (NC * dim_t {sizeof(s32)}));
    MC_ = std::min(driver_.blocking().MC, std::max(fitting / mr * mr, 2 * mr));
    const dim_t columns = driver_.kernel().panel_columns;
    slices_ = std::max<dim_t>(div_up(K, driver_.blocking().KC), 1);
    const dim_t panels_in_l2 = l2_bytes / 4 / std::max<dim_t>(row_bytes_ / slices_ * columns, 1);
    columns_at_once_ = std::clamp<dim_t>(panels_in_l2 * columns, columns, NC);
    const work_item item = choose_item({shape_.G, M, N_, row_unit(driver_.kernel()), mr, columns,
                                           MC_, round_up(std::max<dim_t>(N_, 1), columns)},
        threads_);
    MC_ = item.rows;
    column_share_ = item.columns;
    row_blocks_ = div_up(M, MC_);
    items_ = shape_.G * row_blocks_ * div_up(N_, column_share_);
    threads_ = threads_for(items_);
    const dim_t rows = round_up(std::clamp<dim_t>(M, 1, MC_), row_unit(driver_.kernel()));
    item_ns_ = gemm_block_ns(
        p.target, a, weights_.wanted().dtype, rows, std::min(column_share_, N_), K_of_all + 32);

    // Where A is the image itself, only rows of zero points are made.
    rows_bytes_ = direct || !lists_.empty() ? row_bytes_ : MC_ * row_bytes_;
    for (dim_t i = 0; i < std::ssize(lists_); ++i)
        rows_bytes_ =
            std::max(rows_bytes_, is_listed(i) ? lists_[i].place_bytes(MC_)
                                               : MC_ * window(i).row_size() * size_in_bytes(a));
    rows_bytes_ = round_up(rows_bytes_, 64);
    rows_ = p.scratchpad.reserve<char>(threads_ * rows_bytes_);
    accumulator_count_ = by_image_rows_ ? MC_ * NC : driver_.accumulator_count();
    accumulators_ = p.scratchpad.reserve<s32>(threads_ * accumulator_count_);
    if (driver_.kernel().end) pending_ = p.scratchpad.reserve<pending_block>(threads_);
    if (zero_points) reserve_compensation(p);
}

/// Lists the rows of A where they lie, instead of gathering windows.
void gemm_convolution::list_rows(
    std::span<const tap_order> orders, bool has_zero_points, bool by_lines) {
    const auto suits = [](const spatial_gather &x) { return tap_rows::suit(x.axes()); };
    if (!driver_.kernel().takes_rows || !std::ranges::any_of(windows_, suits)) return;
    const dim_t element = size_in_bytes(packed_type_), k_group = panel_k_group(packed_type_);
    const dim_t columns = driver_.kernel().panel_columns;
    const tap_rows_options options {
        joins_taps_, !has_zero_points, by_image_rows_ ? by_lines : !flat_};
    lists_.reserve(windows_.size());
    for (const spatial_gather &windows : windows_) {
        tap_order order = orders[lists_.size()];
        dim_t tap_bytes = round_up(K_, k_group) * columns * element;
        if (joins_taps_ && panels_) {
            order.steps = {shape_.KH, 1, 0};
            tap_bytes = panels_.row_stride() * element;
        }
        if (suits(windows))
            lists_.emplace_back(windows, order, tap_bytes, options);
        else
            lists_.emplace_back();
    }
}

// ---- Execution, block by block ----

gemm_convolution::block gemm_convolution::cut(dim_t product, dim_t item) const {
    const dim_t shares = div_up(N_, column_share_), row_block = item / shares;
    const dim_t m0 = row_block % row_blocks_ * MC_, n0 = item % shares * column_share_;
    return {product, row_block / row_blocks_, m0, std::min(window(product).rows(), m0 + MC_), n0,
        std::min(column_share_, N_ - n0)};
}

gemm_task gemm_convolution::task_of(const execution &e, const block &b) const {
    const spatial_gather &rows = window(b.product);
    const dim_t a_bytes = size_in_bytes(src_.wanted().dtype);
    const dim_t b_bytes = size_in_bytes(packed_type_);
    gemm_task t = one_product(0, b.n, rows.k()); // of no rows so far
    t.lda_bytes = (rows.is_direct() ? rows.row_stride() : rows.row_size()) * a_bytes;
    t.rows = e.src + b.g * K_ * a_bytes + b.m0 * t.lda_bytes; // of direct rows
    t.b_panel_bytes = panel_stride_ * b_bytes;
    t.b = (panels_ ? e.panels : e.weights + b.g * group_stride_ * b_bytes) +
          b.n0 / driver_.kernel().panel_columns * t.b_panel_bytes;
    t.dst = e.dst + (b.g * N_ + b.n0) * to_.element_bytes;
    t.ldd_bytes = dst_row_bytes_;
    t.finish = epilogue_.is_identity() && !driver_.is_wide() ? nullptr : e.finish;
    t.wide_compensation = e.wide_compensation;
    return t;
}

/// Goes line by line where the epilogue counts lines or the result has gaps between them.
dim_t gemm_convolution::place_rows(
    const execution &, const block &b, gemm_task &t, dim_t row) const {
    if (flat_) {
        t.dst = static_cast<char *>(t.dst) + row * t.ldd_bytes;
        t.position[row_dim] = row;
        return b.m1;
    }
    const dim_t line = row / to_.W;
    t.position[row_dim] = row - line * to_.W;
    t.position[2] = line % to_.H;
    t.position[1] = line / to_.H % to_.D;
    t.position[0] = line / to_.H / to_.D;
    t.dst = static_cast<char *>(t.dst) +
            to_.bytes_at(t.position[0], 0, t.position[1], t.position[2], t.position[row_dim]);
    return std::min(b.m1, (line + 1) * to_.W);
}

void gemm_convolution::run_list(gemm_task t, const listed_rows &list) const {
    t.m = list.count;
    t.a_rows = list.rows;
    t.a_rows_step = list.step;
    t.batch = static_cast<int>(list.products);
    t.b_offset_bytes = list.place_bytes;
    driver_.run(t);
}

/// Multiplies slice by slice of K; all lists take the same part of a panel before the next part.
/// Taps are in the order of panels.
void gemm_convolution::run_lists(
    const execution &e, const gemm_task &t, const block &b, row_lists lists) const {
    const dim_t slices = lists.size() > 1 ? slices_ : 1, NC = driver_.blocking().NC;
    for (dim_t slice = 0; slice < slices; ++slice)
        for (const listed_rows &list : lists) {
            const dim_t *places = list.place_bytes, *end = places + list.products;
            const auto after = [&](dim_t i) {
                const dim_t place = t.b_panel_bytes / slices * i;
                return i == slices ? end : std::lower_bound(places, end, place);
            };
            const dim_t *first = after(slice), *last = after(slice + 1);
            if (first == last) continue;
            listed_rows part = list;
            part.products = last - first;
            part.rows += (first - places) * list.step;
            part.place_bytes = first;
            gemm_task own = t;
            place_rows(e, b, own, list.first);
            own.c = static_cast<s32 *>(t.c) + (list.first - b.m0) * NC;
            own.accumulate = first > places;
            if (last < end && t.finish) {
                own.finish = nullptr;
                own.dst = own.c;
                own.ldd_bytes = NC * dim_t {sizeof(s32)};
            }
            run_list(own, part);
        }
}

/// Makes one call of the driver; or one per line or per list of rows, for so many columns at a time
/// that their panels stay in L2.
void gemm_convolution::run_block(
    const execution &e, gemm_task t, const block &b, row_lists lists) const {
    const bool one_call = lists.empty() ? flat_ : lists.size() == 1;
    const dim_t step = one_call ? b.n : columns_at_once_;
    t.position[column_dim] = b.g * N_ + b.n0;
    for (dim_t n0 = 0; n0 < b.n; n0 += step) {
        t.n = std::min(step, b.n - n0);
        if (lists.empty())
            run_lines(e, t, b);
        else
            run_lists(e, t, b, lists);
        t.b = static_cast<const char *>(t.b) +
              step / driver_.kernel().panel_columns * t.b_panel_bytes;
        t.dst = static_cast<char *>(t.dst) + step * to_.element_bytes;
        t.position[column_dim] += step;
    }
}

/// Multiplies rows that lie at equal distances, gathered or in the image.
void gemm_convolution::run_lines(const execution &e, const gemm_task &t, const block &b) const {
    for (dim_t row = b.m0; row < b.m1;) {
        gemm_task own = t;
        own.rows = static_cast<const char *>(t.rows) + (row - b.m0) * t.lda_bytes;
        const dim_t next = place_rows(e, b, own, row);
        own.m = next - row;
        driver_.run(own);
        row = next;
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
    row_lists lists;
    // Where all weights stay in L2, the phases of some rows follow each other, because their pixels
    // lie between each other: a phase of the whole result would bring all of it.
    const dim_t products = std::ssize(windows_), items = end - begin;
    const bool by_rows = weights_.wanted().elements_bytes() <= caches().l2_bytes;
    for (dim_t i = 0; i < products * items; ++i) {
        const block b =
            by_rows ? cut(i % products, begin + i / products) : cut(i / items, begin + i % items);
        if (b.m0 >= b.m1) continue; // of a product with fewer rows than others
        const spatial_gather &windows = window(b.product);
        if (panels_ && b.g != before.g) panels_.make(e.weights, b.g, e.panels);
        gemm_task t = task_of(e, b);
        t.c = accumulators;
        t.previous = pending;
        const bool same_rows = b.product == before.product && b.g == before.g && b.m0 == before.m0;
        const char *src = e.src + b.g * K_ * a_bytes;
        const char *padding = moved(e.padding, b.g * windows.tap_size());
        if (is_listed(b.product)) {
            if (!same_rows) lists = lists_[b.product].list(src, b.m0, b.m1, rows, padding);
            t.k = lists_[b.product].k();
        } else if (!windows.is_direct()) {
            t.rows = rows;
            if (!same_rows) windows.run(src, b.m0, b.m1, rows, padding);
        }
        before = b;
        run_block(e, t, b, is_listed(b.product) ? lists : row_lists());
    }
    driver_.end(pending);
}

void gemm_convolution::execute(const exec_context &ctx) const {
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    begin_products(ctx, finish);
    execution e {
        begin(ctx), ctx, &finish.data, driver_.kernel().end ? ctx.scratch(pending_) : nullptr};
    if (epilogue_.has_src_zero_point()) {
        if (!fill_padding(ctx)) return reference_.execute(ctx);
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
    const gemm_operands types = gemm_operand_types(p.target, from.dtype, op.weights.dtype);
    if (const char *reason = gemm_types_refusal(p.target, types.a, types.b)) return reason;
    return has_phases(p) ? make_phased_convolution(p) : try_plan<gemm_convolution>(p);
}

} // namespace dnnl::impl::cpu
