// SPDX-License-Identifier: Apache-2.0
// The weights as panels, the operands of all kinds of products, and the plan of one sum per element
// of dst, finished by the epilogue. What kernels cannot multiply becomes floats or bytes first.

#include "cpu/cpu.hpp"
#include "cpu/matmul/matmul_quantization.hpp"

namespace dnnl::impl::cpu {

// ---- The weights as panels ----

memory_desc packed_weights(memory_desc md, bool sums) {
    std::array<int, max_ndims> batch {};
    for (int d = 0; d < md.ndims - 2; ++d) batch[d] = d;
    const std::span<const int> outer(batch.data(), std::size_t(md.ndims - 2));
    md.offset0 = 0;
    set_panel_layout(md, {md.ndims - 2, md.ndims - 1, outer, {}, true});
    const int all = (1 << md.ndims) - 1;
    md.column_sums_mask = sums ? all & ~(1 << (md.ndims - 2)) : 0;
    return md;
}

dim_t batches_of(const memory_desc &md) {
    dim_t count = 1;
    for (int d = 0; d < md.ndims - 2; ++d) count *= md.dims[d];
    return count;
}

dim_t offset_of_index(const memory_desc &md, int dims, dim_t index) {
    dim_t offset = 0;
    for (int d = dims - 1; d >= 0; index /= md.dims[d--])
        offset += index % md.dims[d] * md.strides[d];
    return offset;
}

weights_panels::weights_panels(problem &p, const memory_desc &weights, const panel_request &r)
    : weights_(weights), group_(std::max<dim_t>(r.group, 1)), k_dim_(weights.ndims - 2),
      n_dim_(weights.ndims - 1), sums_(r.sums) {
    const bool one_group = r.group == weights.dims[k_dim_];
    padded_group_ = one_group ? group_ : round_up(group_, panel_k_group(r.type));
    memory_desc of_groups = weights; // K counts padded groups
    of_groups.dtype = r.type;
    if (r.group > 0) of_groups.dims[k_dim_] = of_groups.dims[k_dim_] / r.group * padded_group_;
    wanted_ = packed_weights(of_groups, r.sums);
    const bool same = r.copies(weights) && padded_group_ == group_;
    if (weights_ == wanted_ || (same && !(weights.is_plain() && r.stream))) {
        adapted_ = adapted_tensor(p, weights, wanted_, adapted_tensor::use::read);
        why_not_ = adapted_.why_not();
        return;
    }
    packed_ = is_int8(weights.dtype) && is_float(r.type) && weights == packed_bytes(weights);
    if (!weights.is_plain() && !packed_) why_not_ = "the weights have a blocked layout";
    if (why_not_) return;
    how_ = r.stream ? source::streamed : source::filled;
    pack_ = select_pack_b(p.target, r.type);
    converts_ = !r.copies(weights);
    if (converts_ || is_in_slabs()) prepare_conversion(p, r);
}

const char *weights_panels::begin(const exec_context &ctx) const {
    if (how_ == source::adapted) return adapted_.begin(ctx, DNNL_ARG_WEIGHTS);
    scale_.load(ctx);
    zero_point_.load(ctx);
    if (how_ == source::streamed) return nullptr;
    return reinterpret_cast<const char *>(ctx.scratch(buffer_));
}

void weights_panels::fill(const exec_context &ctx, const slice &s) const {
    const dim_t end = s.k0 + s.k;
    const dim_t columns = expands_panels(s) ? s.n : panel_columns(wanted_.dtype);
    for (dim_t column = 0; column < s.n; column += columns) {
        slice part = s; // of one panel, or more
        part.n0 += column;
        part.n = std::min(columns, s.n - column);
        part.column_sums = moved(s.column_sums, column);
        for (; part.k0 < end; part.k0 += part.k) {
            part.k = rows_at(part.k0, end);
            part.to = element_at(s.to + column / columns * s.panel_bytes, wanted_.dtype,
                offset_of(part.k0) - offset_of(s.k0));
            if (converts_)
                convert_part(ctx, part);
            else
                pack(part, source_of(ctx, part, nullptr));
        }
    }
}

void weights_panels::pack(const slice &part, const matrix &from) const {
    pack_({.src = from.elements,
        .k_stride = from.k_stride,
        .n_stride = from.n_stride,
        .k = part.k,
        .n = part.n,
        .k_padded = round_up(part.k, panel_k_group(wanted_.dtype)),
        .dst = part.to,
        .panel_bytes = 0, // a single panel
        .column_sums = part.column_sums});
}

// ---- Operands: layouts, batches and blocks, which all kinds of products share ----

namespace {

/// Products with at most so many rows pack their weights slice by slice as they go; the rows of one
/// are one block then, which stays in L2. They may have more where each thread has some of them and
/// their K few slices: many rows of sums that wait for the next one take longer than packing whole.
constexpr dim_t most_streamed_rows = 64, most_rows_of_many = 384, most_k_of_many = 256;

coordinate_map coordinates(int ndims) {
    coordinate_map map;
    for (int d = 0; d < ndims - 2; ++d)
        map.of[d] = static_cast<signed char>(ndims - 2 <= row_dim ? d : 0);
    map.of[ndims - 2] = row_dim;
    map.of[ndims - 1] = column_dim;
    return map;
}

} // namespace

epilogue_request request_of(const matmul_desc &op) {
    const int ndims = op.dst.ndims;
    epilogue_request r {&op.dst, coordinates(ndims), op.dst.dims[ndims - 1], ndims - 1,
        1 << (ndims - 1), is_int8(op.src.dtype), &op.bias};
    r.row_dim = ndims - 2;
    r.row_sums = r.random = true;
    return r;
}

matmul_operands::matmul_operands(problem &p, const operand_types &types, panel_request panels)
    : shape(shape_of(std::get<matmul_desc>(p.op))), target(p.target), threads(max_threads()) {
    auto &op = std::get<matmul_desc>(p.op);
    if (op.weights.is_any() && panels.copies(op.weights) &&
        (panels.group == shape.K || panels.group % panel_k_group(types.b) == 0))
        op.weights = packed_weights(op.weights, panels.sums);
    else if (op.weights.is_any() && is_int8(op.weights.dtype) && is_float(types.b))
        op.weights = packed_bytes(op.weights);
    default_layouts(p);
    const auto update =
        has_sum(p.attr.post_ops) ? adapted_tensor::use::update : adapted_tensor::use::write;
    src = adapted_tensor(p, op.src, with_dense_rows(op.src, types.a), adapted_tensor::use::read);
    dst = adapted_tensor(p, op.dst, with_dense_rows(op.dst, op.dst.dtype), update);
    a = src.wanted();
    const bool many = shape.batch_count >= dim_t {2} * threads && shape.K <= most_k_of_many;
    panels.stream = panels.stream && shape.M <= (many ? most_rows_of_many : most_streamed_rows) &&
                    batches_of(op.weights) == shape.batch_count;
    panels.products = shape.batch_count;
    weights = weights_panels(p, op.weights, panels);
    const dim_t columns = part_count() > 1 ? weights.slab().columns : shape.N;
    driver = gemm_driver(p.target, types.a, types.b, shape.M, columns, panels.group, 1);
    const bool quads = is_4bit(op.weights.dtype) && is_int8(types.b); // whole lines of these
    if (driver && weights.is_streamed()) driver.cut_for_slices(shape.M, quads ? 128 : 64);
    MC = driver.blocking().MC;
    NC = driver.blocking().NC;
    if (!driver || weights.is_streamed()) return;
    const work_item item =
        choose_item({shape.batch_count, shape.M, columns, row_unit(driver.kernel()),
                        driver.kernel().mr, driver.kernel().panel_columns, MC, NC},
            threads);
    MC = item.rows;
    NC = item.columns;
}

const char *matmul_operands::why_not() const {
    for (const adapted_tensor *t : {&src, &dst})
        if (t->why_not()) return t->why_not();
    if (weights.why_not()) return weights.why_not();
    return driver ? nullptr : "no GEMM kernel for these types";
}

matmul_batch find_batch(const matmul_shape &shape, const memory_desc &a, const memory_desc &b,
    const memory_desc &to, dim_t batch) {
    matmul_batch at {};
    at.dst_index = batch;
    const bool flattened = shape.ndims - 2 > row_dim;
    if (flattened) at.position[0] = batch;
    dim_t src_batches = 1, weights_batches = 1;
    for (int d = shape.ndims - 3; d >= 0; --d) {
        const dim_t index = batch % shape.batch[d];
        batch /= shape.batch[d];
        if (!flattened) at.position[d] = index;
        at.dst += index * to.strides[d];
        if (a.dims[d] > 1) {
            at.src += index * a.strides[d];
            at.src_index += index * src_batches;
            src_batches *= a.dims[d];
        }
        if (b.dims[d] > 1) {
            at.weights += index * b.strides[d];
            at.weights_index += index * weights_batches;
            weights_batches *= b.dims[d];
        }
    }
    return at;
}

dim_t matmul_operands::block_count(const part &p) const {
    return p.batches * div_up(shape.M, MC) * div_up(p.columns, NC);
}

matmul_operands::block matmul_operands::block_at(const part &p, dim_t index) const {
    const dim_t row_blocks = div_up(shape.M, MC), column_blocks = div_up(p.columns, NC);
    const dim_t batch = index / column_blocks / row_blocks;
    block b {};
    b.at = batch_at(p.first_batch + batch);
    const dim_t column = index % column_blocks * NC;
    b.n0 = p.n0 + column;
    b.m0 = index / column_blocks % row_blocks * MC;
    b.rows = std::min(MC, shape.M - b.m0);
    b.columns = std::min(NC, p.columns - column);
    const dim_t matrix = weights.slab().by_product ? batch : b.at.weights_index;
    b.panels = column / driver.kernel().panel_columns * weights.wanted().strides[shape.ndims - 1];
    b.panels += weights.is_in_slabs() ? matrix * weights.slab_matrix_stride() : b.at.weights;
    b.column_sums = matrix * weights.column_sums_stride() - p.n0;
    return b;
}

double matmul_operands::block_ns(dim_t depth) const {
    const dim_t rows = round_up(std::min(MC, shape.M), row_unit(driver.kernel()));
    const dim_t columns = std::min(NC, shape.N);
    double ns = gemm_block_ns(
        target, src.wanted().dtype, weights.wanted().dtype, rows, columns, depth + 16);
    // Measured on a Zen 5 core: 20 elements of f32 are packed in a nanosecond, of bytes 39 to 66.
    if (weights.is_streamed()) ns += 0.05 * double(columns) * double(depth);
    return ns;
}

gemm_task matmul_operands::task_of(const matmul_execution &e, const block &b) const {
    const memory_desc &panels = weights.wanted(), &to = dst.wanted();
    const data_type a_type = src.wanted().dtype;
    const int m = shape.ndims - 2, n = m + 1;
    gemm_task t = one_product(b.rows, b.columns, shape.K);
    t.lda_bytes = a.strides[m] * size_in_bytes(a_type);
    t.rows = moved(e.src, b.at.src * size_in_bytes(a_type) + b.m0 * t.lda_bytes);
    t.b = moved(e.weights, b.panels * size_in_bytes(panels.dtype));
    t.b_panel_bytes = panels.strides[n] * size_in_bytes(panels.dtype);
    t.dst = element_at(e.dst, to.dtype, b.at.dst + b.m0 * to.strides[m] + b.n0);
    t.ldd_bytes = to.strides[m] * size_in_bytes(to.dtype);
    std::copy_n(b.at.position, position_rank, t.position);
    t.position[row_dim] = b.m0;
    t.position[column_dim] = b.n0;
    return t;
}

// ---- The plan ----

void matmul_plan::prepare(problem &p, const epilogue_request &request, dim_t depth) {
    epilogue_ = epilogue_plan(p.target, values_.rest_of(p.attr), p.scratchpad, request);
    operands_.threads = threads_for(operands_.block_count(operands_.part_at(0)));
    block_ns_ = operands_.block_ns(depth);
}

void matmul_plan::guard(problem &p, dim_t length) {
    guard_ = zero_points_guard(p, operands_.a.dtype, operands_.weights.wanted().dtype, length);
    if (!why_not_) why_not_ = guard_.why_not();
}

void matmul_plan::execute(const exec_context &ctx) const {
    if (guard_.executes(ctx)) return;
    const matmul_operands &o = operands_;
    bound_epilogue finish;
    epilogue_.bind(ctx, finish);
    matmul_execution e {ctx, finish, nullptr, nullptr, nullptr};
    e.src = o.src.begin(ctx, DNNL_ARG_SRC);
    e.weights = o.weights.begin(ctx);
    e.dst = o.dst.begin(ctx, DNNL_ARG_DST);
    begin(e);
    for (dim_t i = 0; i < o.part_count(); ++i) {
        const part p = o.part_at(i);
        o.weights.fill_slab(
            ctx, o.matrix_count(p), p.n0, p.columns, [&](dim_t m) { return o.matrix_of(p, m); });
        begin_part(e, p);
        parallel_for(o.block_count(p), block_ns_, o.threads,
            [&](int thread, dim_t first, dim_t last) { multiply(e, p, thread, first, last); });
    }
    o.dst.end(ctx, DNNL_ARG_DST);
}

namespace {

class plain_matmul : public matmul_plan {
  public:
    plain_matmul(problem &p, const operand_types &types, operand_values values);

  private:
    class slice_maker;
    void begin(matmul_execution &e) const override;
    void begin_part(const matmul_execution &e, const part &p) const override {
        zero_points_.sum_columns(e, operands_, p);
    }
    void multiply(const matmul_execution &e, const part &p, int thread, dim_t begin,
        dim_t end) const override;

    matmul_zero_points zero_points_;
    matmul_source_scales source_scales_;
    matmul_codes codes_;
    scratch_slot<s32> accumulators_;
    scratch_slot<char> slices_;
    dim_t slice_bytes_ = 0, slice_panel_bytes_ = 0; ///< of a slice; from panel to panel of it
    scratch_slot<pending_block> pending_;
};

/// Describes the dst that the epilogue stores: it is f32 where results become codes afterwards.
memory_desc epilogue_dst(const problem &p) {
    memory_desc dst = std::get<matmul_desc>(p.op).dst;
    if (matmul_codes::are_needed(p)) dst.dtype = data_type::f32;
    return dst;
}

panel_request panels_of(const problem &p, const operand_types &types, const operand_values &v) {
    const auto &op = std::get<matmul_desc>(p.op);
    return {.type = types.b,
        .group = op.src.dims[op.src.ndims - 1],
        .sums = v.epilogue_zero_points.find(DNNL_ARG_SRC) != nullptr,
        .stream = !needs_wide_sums(op, types, v),
        .scale = v.weights_scale,
        .zero_point = v.weights_zero_point};
}

plain_matmul::plain_matmul(problem &p, const operand_types &types, operand_values values)
    : matmul_plan(p, types, std::move(values), panels_of(p, types, values)) {
    if (why_not_) return;
    const auto &op = std::get<matmul_desc>(p.op);
    gemm_driver &driver = operands_.driver;
    if (needs_wide_sums(op, types, values_)) driver.widen(p.target);
    if (driver.is_wide() && operands_.shape.K > longest_operand_sum &&
        !p.attr.zero_points.entries().empty())
        why_not_ = "longer sums of one operand than s32 surely holds, for zero points to multiply";
    const memory_desc stored = epilogue_dst(p);
    epilogue_request request = request_of(op);
    request.dst = &stored;
    prepare(p, request, operands_.shape.K);
    codes_ = matmul_codes(p, operands_);
    why_not_ = codes_.why_not();
    const dim_t threads = operands_.threads;
    accumulators_ = p.scratchpad.reserve<s32>(threads * driver.accumulator_count());
    if (driver.kernel().end) pending_ = p.scratchpad.reserve<pending_block>(threads);
    if (operands_.weights.is_streamed()) {
        const data_type type = operands_.weights.wanted().dtype;
        slice_panel_bytes_ = round_up(driver.blocking().KC, panel_k_group(type)) *
                             panel_columns(type) * size_in_bytes(type);
        slice_bytes_ = slice_panel_bytes_ * operands_.NC / panel_columns(type);
        slices_ = p.scratchpad.reserve<char>(threads * slice_bytes_);
    }
    zero_points_ = matmul_zero_points(p.scratchpad, operands_, epilogue_, operands_.NC);
    source_scales_ = matmul_source_scales(p.scratchpad, operands_, values_.src_scale);
    if (is_int8(types.a) && !driver.is_wide()) guard(p, operands_.shape.K);
}

void plain_matmul::begin(matmul_execution &e) const {
    if (source_scales_) e.src = source_scales_.apply(e, operands_);
    zero_points_.sum_rows(e, operands_);
}

/// Makes the panels of one block slice by slice. With the last slice of K it makes the compensation
/// for a zero point of src, too.
class plain_matmul::slice_maker final : public panel_maker {
  public:
    slice_maker(const plain_matmul &owner, const matmul_execution &e, int thread)
        : slice_maker(owner, e, thread, owner.zero_points_.slice_sums(e, thread)) {}

    /// Tells the block that is multiplied next, and its epilogue.
    void start(const block &b, const epilogue &finish) {
        block_ = &b;
        of_block_ = &finish;
    }
    made_panels make(dim_t n0, dim_t n, dim_t k0, dim_t k) override {
        if (sums_ && k0 == 0) std::fill_n(sums_, owner_.operands_.NC, 0);
        weights_panels::slice s {block_->at.weights_index, block_->n0 + n0, n, k0, k, buffer_,
            owner_.slice_panel_bytes_, sums_};
        owner_.operands_.weights.fill(e_.ctx, s);
        if (!sums_ || k0 + k < owner_.operands_.shape.K) return {buffer_};
        owner_.zero_points_.compensate_slice(e_, s.n0, n, sums_);
        finish_ = *of_block_; // no pending block waits for it: see panel_maker
        finish_.compensation = sums_ - s.n0;
        return {buffer_, &finish_};
    }

  private:
    slice_maker(const plain_matmul &owner, const matmul_execution &e, int thread, s32 *sums)
        : panel_maker(sums), owner_(owner), e_(e),
          buffer_(e.ctx.scratch(owner.slices_) + thread * owner.slice_bytes_), sums_(sums) {}

    const plain_matmul &owner_;
    const matmul_execution &e_;
    char *buffer_;
    s32 *sums_;          ///< of the columns of a slice; null without a zero point of src
    epilogue finish_ {}; ///< of the block, with the compensation of the slice
    const epilogue *of_block_ = nullptr;
    const block *block_ = nullptr;
};

void plain_matmul::multiply(
    const matmul_execution &e, const part &p, int thread, dim_t begin, dim_t end) const {
    const gemm_driver &driver = operands_.driver;
    const bool streamed = operands_.weights.is_streamed();
    epilogue finish = e.finish.data;
    slice_maker maker(*this, e, thread);
    pending_block *pending = driver.kernel().end ? e.ctx.scratch(pending_) + thread : nullptr;
    if (pending) reset(*pending);
    driver.begin();
    for (dim_t item = begin; item < end; ++item) {
        const block b = operands_.block_at(p, item);
        gemm_task t = operands_.task_of(e, b);
        if (streamed) {
            t.maker = &maker;
            t.b_panel_bytes = slice_panel_bytes_;
        }
        t.finish = epilogue_.is_identity() && !driver.is_wide() ? nullptr : &finish;
        t.c = e.ctx.scratch(accumulators_) + thread * driver.accumulator_count();
        t.previous = pending;
        if (codes_) {
            t.dst = codes_.results(e.ctx, thread);
            t.ldd_bytes = codes_.results_stride() * dim_t {sizeof(f32)};
        }
        zero_points_.use(e, operands_, b, t, finish);
        if (streamed) maker.start(b, finish);
        driver.run(t);
        if (!codes_) continue;
        driver.finish(pending);
        codes_.store(e, operands_, b, thread);
    }
    driver.end(pending);
}

/// Makes the plan for known dimensions and strides.
planned make_concrete_matmul(problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    operand_values values = split_attributes(p);
    operand_types types;
    if (const char *reason = choose_types(p, values, types)) return reason;
    if (!p.attr.reductions.empty()) return "made for problems without precomputed reductions";
    if (const char *reason = matmul_codes::refusal(p)) return reason;
    const memory_desc stored = epilogue_dst(p);
    epilogue_request request = request_of(op);
    request.dst = &stored;
    if (const char *reason = epilogue_plan::refusal(values.rest_of(p.attr), request)) return reason;
    return is_int8(op.src.dtype) && !values.empty()
               ? make_grouped_matmul(p, types, std::move(values))
               : try_plan<plain_matmul>(p, types, std::move(values));
}

} // namespace

planned make_gemm_matmul(problem &p) {
    if (is_sparse(std::get<matmul_desc>(p.op))) return with_sparse_operand;
    return has_runtime(std::get<matmul_desc>(p.op)) ? make_runtime_matmul(p, make_concrete_matmul)
                                                    : make_concrete_matmul(p);
}

} // namespace dnnl::impl::cpu
