// SPDX-License-Identifier: Apache-2.0
// Attention (dnnl_ext.h) in blocks: an item is some rows of one matrix of queries. For one block of
// keys after another it packs keys and values, and takes its rows in blocks that stay in L2: their
// scores, what these add to the sum of each row, and the products with the values. So a thread
// needs memory for the scores of one block alone. Few rows are multiplied with keys and values
// where they lie. Where blocks of keys begin follows from the shape, so that results depend neither
// on caches nor on threads.
#include "common/descriptors/products/shapes.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/cpu.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/elementwise/attention_rows.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "dnnl/dnnl_ext.h"

namespace dnnl::impl::cpu {

namespace {

const char *refusal(const problem &p) {
    const auto &op = std::get<attention_desc>(p.op);
    for (const memory_desc *md : {&op.keys, &op.values})
        if (!md->is_any() && !md->is_plain()) return "keys or values have a blocked layout";
    if (const char *reason = attention_types_refusal(op)) return reason;
    const data_type q = op.queries.dtype, k = op.keys.dtype;
    if (is_int8(q) && shape_of(op).K > exact_sum_length(q, k))
        return "longer sums of bytes than s32 surely holds";
    return gemm_types_refusal(p.target, q, k);
}

/// The keys of a block: panels of keys and values fill half of a small L2; blocks are about equal.
dim_t keys_of_block(const attention_shape &s) {
    const dim_t widest = std::max<dim_t>(std::max(s.K, s.E), 1);
    const dim_t most = std::clamp<dim_t>(32768 / widest / 64 * 64, 64, 256);
    return round_up(div_up(s.N, div_up(s.N, most)), 64);
}

/// The room of one thread: byte offsets of its parts, and their end.
struct room {
    dim_t key_panels, value_panels, sums, weights, products, results, rows, mask_row, end;
};

class blocked_attention : public plan {
  public:
    explicit blocked_attention(problem &p);
    void execute(const exec_context &ctx) const override;

  private:
    /// An execution, and the room of a thread.
    struct execution {
        const char *queries, *keys, *values, *mask;
        char *dst;
        f32 scale, value_scale;
        char *room;
    };
    /// Rows [m0, m0 + rows) of one matrix and keys [n0, n0 + keys).
    struct block {
        dim_t batch, m0, rows, n0, keys;
    };
    void attend(const execution &e, dim_t item) const;
    void pack(const execution &e, const block &b) const;
    void attend(const execution &e, const block &b, dim_t row_of_item) const;
    void multiply(const gemm_driver &driver, dot_rows_function few, const dot_rows_args &rows,
        const char *panels, dim_t panel_bytes) const;

    /// The row, one of M or N, of the matrix of a tensor that batch number `batch` of dst uses.
    template <class T> T *row_of(T *first, const memory_desc &md, dim_t batch, dim_t row) const {
        const int m = md.ndims - 2;
        dim_t offset = md.dims[m] > 1 ? row * md.strides[m] : 0; // a mask may have one row for all
        for (int d = m - 1; d >= 0; --d) {
            const dim_t extent = op_.queries.dims[d];
            offset += shared_index(op_, md, d, batch % extent) * md.strides[d];
            batch /= extent;
        }
        return element_at(first, md.dtype, offset);
    }

    attention_desc op_;
    attention_shape shape_;
    adapted_tensor queries_, mask_, dst_;
    quantization_params scales_;
    gemm_driver scores_, values_;
    pack_b_function pack_keys_, pack_values_;
    dot_rows_function few_scores_ = nullptr, few_values_ = nullptr; ///< null: blocks
    attention_function weigh_, finish_;
    data_type weights_type_;
    dim_t keys_, item_rows_, block_rows_;       ///< of a block of keys, of an item, of its blocks
    dim_t key_panel_bytes_, value_panel_bytes_; ///< from panel to panel
    dim_t weights_stride_, results_stride_;     ///< elements, also of sums; also of products
    int threads_;
    room parts_ {};
    scratch_slot<char> rooms_;
};

blocked_attention::blocked_attention(problem &p) {
    default_layouts(p);
    op_ = std::get<attention_desc>(p.op);
    shape_ = shape_of(op_);
    using use = adapted_tensor::use;
    queries_ =
        adapted_tensor(p, op_.queries, with_dense_rows(op_.queries, op_.queries.dtype), use::read);
    dst_ = adapted_tensor(p, op_.dst, with_dense_rows(op_.dst, op_.dst.dtype), use::write);
    if (!op_.mask.is_zero())
        mask_ = adapted_tensor(p, op_.mask, with_dense_rows(op_.mask, op_.mask.dtype), use::read);
    for (const auto *t : {&queries_, &dst_, &mask_})
        if ((why_not_ = t->why_not())) return;
    scales_ = p.attr.scales;

    const data_type q = op_.queries.dtype, k = op_.keys.dtype, v = op_.values.dtype;
    weights_type_ = is_int8(v) ? data_type::u8 : v;
    keys_ = keys_of_block(shape_);
    scores_ = gemm_driver(p.target, q, k, shape_.M, keys_, shape_.K, 1);
    values_ = gemm_driver(p.target, weights_type_, v, shape_.M, shape_.E, keys_, 1);
    pack_keys_ = select_pack_b(p.target, k);
    pack_values_ = select_pack_b(p.target, v);
    const int last = op_.keys.ndims - 1;
    if (shape_.M <= most_stream_rows && op_.keys.strides[last] == 1 &&
        op_.values.strides[last] == 1 && !is_int8(q)) {
        few_scores_ = select_dot_rows(p.target, q, k);
        few_values_ = select_stream_rows(p.target, v, v);
    }
    weigh_ = kernel_for<vector_levels>(p.target, []<class Isa> { return attention_scores<Isa>; });
    finish_ = kernel_for<vector_levels>(p.target, []<class Isa> { return attention_results<Isa>; });

    const dim_t mr = scores_.kernel().mr;
    item_rows_ =
        choose_item({shape_.batch_count, shape_.M, 1, 1, mr, 1, 512, 1}, max_threads()).rows;
    block_rows_ = std::min(item_rows_, round_up(64, mr));
    threads_ = threads_for(shape_.batch_count * div_up(shape_.M, item_rows_));
    weights_stride_ = keys_ + 16; // rows do not lie a power of two from each other
    results_stride_ = round_up(shape_.E, 16);
    const auto panel_bytes = [](const gemm_driver &d, data_type type, dim_t depth) {
        return round_up(depth, d.kernel().k_group) * d.kernel().panel_columns * size_in_bytes(type);
    };
    key_panel_bytes_ = panel_bytes(scores_, k, shape_.K);
    value_panel_bytes_ = panel_bytes(values_, v, keys_);
    const auto add = [&](dim_t &part, dim_t bytes) {
        part = parts_.end;
        parts_.end += round_up(bytes, 64);
    };
    add(parts_.key_panels, div_up(keys_, panel_columns(k)) * key_panel_bytes_);
    add(parts_.value_panels, div_up(shape_.E, panel_columns(v)) * value_panel_bytes_);
    add(parts_.sums, block_rows_ * weights_stride_ * dim_t {sizeof(f32)});
    add(parts_.weights, block_rows_ * weights_stride_ * size_in_bytes(weights_type_));
    add(parts_.products, block_rows_ * results_stride_ * dim_t {sizeof(f32)});
    add(parts_.results, item_rows_ * results_stride_ * dim_t {sizeof(f32)});
    add(parts_.rows, 3 * item_rows_ * dim_t {sizeof(f32)});
    add(parts_.mask_row, weights_stride_ * dim_t {sizeof(f32)});
    rooms_ = p.scratchpad.reserve<char>(threads_ * parts_.end);
}

void blocked_attention::execute(const exec_context &ctx) const {
    const auto scale_of = [&](int arg) {
        return scales_.find(arg) ? common_scale(ctx, arg) : 1.0f;
    };
    const auto at = [&](int arg, const memory_desc &md) {
        return element_at(ctx.in<char>(arg), md.dtype, md.offset0);
    };
    const execution whole {queries_.begin(ctx, DNNL_ARG_QUERIES), at(DNNL_ARG_KEYS, op_.keys),
        at(DNNL_ARG_VALUES, op_.values),
        op_.mask.is_zero() ? nullptr : mask_.begin(ctx, DNNL_ARG_ATTN_MASK),
        dst_.begin(ctx, DNNL_ARG_DST),
        op_.scale * scale_of(DNNL_ARG_QUERIES) * scale_of(DNNL_ARG_KEYS), scale_of(DNNL_ARG_VALUES),
        ctx.scratch(rooms_)};
    const dim_t items = shape_.batch_count * div_up(shape_.M, item_rows_);
    const auto scores = double(item_rows_ * shape_.N);
    // An exponential takes as long as 16 products or more.
    const auto products = scores * double(shape_.K + shape_.E + 16);
    parallel_for(items, gemm_cost_ns(isa::avx2, data_type::f32, products), threads_,
        [&](int thread, dim_t first, dim_t last) {
            execution e = whole;
            e.room += thread * parts_.end;
            scores_.begin();
            for (dim_t item = first; item < last; ++item) attend(e, item);
            scores_.end(nullptr);
        });
    dst_.end(ctx, DNNL_ARG_DST);
}

void blocked_attention::attend(const execution &e, dim_t item) const {
    const dim_t parts = div_up(shape_.M, item_rows_);
    block all {item / parts, item % parts * item_rows_, 0, 0, 0};
    all.rows = std::min(item_rows_, shape_.M - all.m0);
    auto *rows = reinterpret_cast<f32 *>(e.room + parts_.rows);
    std::fill_n(rows, item_rows_, -std::numeric_limits<f32>::infinity());
    std::fill_n(rows + item_rows_, item_rows_, 0.0f);
    std::fill_n(reinterpret_cast<f32 *>(e.room + parts_.results), all.rows * results_stride_, 0.0f);
    // The first block of keys is taken also where no row sees it: it makes the results zero.
    const auto sees = [&](dim_t row, dim_t n0) { return n0 == 0 || n0 < shape_.visible(row); };
    for (; all.n0 < shape_.N && sees(all.m0 + all.rows - 1, all.n0); all.n0 += keys_) {
        all.keys = std::min(keys_, shape_.N - all.n0);
        if (!few_values_) pack(e, all);
        block b = all;
        for (dim_t row = 0; row < all.rows; row += b.rows) {
            b.m0 = all.m0 + row;
            b.rows = std::min(block_rows_, all.rows - row);
            if (sees(b.m0 + b.rows - 1, b.n0)) attend(e, b, row);
        }
    }
}

void blocked_attention::pack(const execution &e, const block &b) const {
    const int n = op_.keys.ndims - 2, last = n + 1;
    const auto padded = [](const gemm_driver &driver, dim_t k) {
        return round_up(k, driver.kernel().k_group);
    };
    const memory_desc &k = op_.keys, &v = op_.values;
    pack_keys_({row_of(e.keys, k, b.batch, b.n0), k.strides[last], k.strides[n], shape_.K, b.keys,
        padded(scores_, shape_.K), e.room + parts_.key_panels, key_panel_bytes_, nullptr});
    pack_values_(
        {row_of(e.values, v, b.batch, b.n0), v.strides[n], v.strides[last], b.keys, shape_.E,
            padded(values_, b.keys), e.room + parts_.value_panels, value_panel_bytes_, nullptr});
}

/// Multiplies by `few` where there is one, else by the driver and panels in the place of rows.b.
void blocked_attention::multiply(const gemm_driver &driver, dot_rows_function few,
    const dot_rows_args &rows, const char *panels, dim_t panel_bytes) const {
    if (few) return few(rows);
    gemm_task t = one_product(rows.m, rows.n, rows.k);
    t.rows = rows.a;
    t.lda_bytes = rows.lda_bytes;
    t.b = panels;
    t.b_panel_bytes = panel_bytes;
    t.dst = rows.c;
    t.ldd_bytes = rows.ldc_bytes;
    driver.run(t);
}

void blocked_attention::attend(const execution &e, const block &b, dim_t row_of_item) const {
    const int n = op_.keys.ndims - 2;
    const memory_desc &q = queries_.wanted(), &k = op_.keys, &v = op_.values, &to = dst_.wanted();
    const auto row_bytes = [n](const memory_desc &md) {
        return md.strides[n] * size_in_bytes(md.dtype);
    };
    char *const sums = e.room + parts_.sums, *const weights = e.room + parts_.weights;
    char *const products = e.room + parts_.products;
    auto *rows = reinterpret_cast<f32 *>(e.room + parts_.rows) + row_of_item;
    constexpr dim_t sum_bytes = sizeof(f32);

    multiply(scores_, few_scores_,
        {row_of(e.queries, q, b.batch, b.m0), row_of(e.keys, k, b.batch, b.n0), row_bytes(q),
            row_bytes(k), b.rows, b.keys, shape_.K, sums, weights_stride_ * sum_bytes},
        e.room + parts_.key_panels, key_panel_bytes_);
    attention_args a {};
    a.rows = b.rows;
    a.keys = b.keys;
    a.columns = shape_.E;
    a.sums = sums;
    a.integers = is_int8(v.dtype);
    a.sums_stride = a.weights_stride = weights_stride_;
    a.scale = e.scale;
    if (e.mask) {
        const memory_desc &mask = mask_.wanted();
        a.mask = element_at(row_of(e.mask, mask, b.batch, b.m0), mask.dtype, b.n0);
        a.mask_type = mask.dtype;
        a.mask_stride = mask.dims[n] > 1 ? mask.strides[n] : 0;
        a.mask_buffer = reinterpret_cast<f32 *>(e.room + parts_.mask_row);
    }
    a.visible = shape_.visible(b.m0) - b.n0;
    a.more = shape_.causal;
    a.weights = weights;
    a.weights_type = weights_type_;
    a.largest = rows;
    a.sum = rows + item_rows_;
    a.correction = rows + 2 * item_rows_;
    weigh_(a);
    multiply(values_, few_values_,
        {weights, row_of(e.values, v, b.batch, b.n0),
            weights_stride_ * size_in_bytes(weights_type_), row_bytes(v), b.rows, shape_.E, b.keys,
            products, results_stride_ * sum_bytes},
        e.room + parts_.value_panels, value_panel_bytes_);
    a.products = products;
    a.products_stride = a.results_stride = results_stride_;
    a.results = reinterpret_cast<f32 *>(e.room + parts_.results) + row_of_item * results_stride_;
    if (b.n0 + b.keys >= std::min(shape_.N, shape_.visible(b.m0 + b.rows - 1))) {
        a.dst = row_of(e.dst, to, b.batch, b.m0);
        a.dst_type = to.dtype;
        a.dst_stride = to.strides[n];
        a.dst_scale = e.value_scale;
    }
    finish_(a);
}

} // namespace

planned make_attention(problem &p) {
    if (const char *reason = refusal(p)) return reason;
    return try_plan<blocked_attention>(p);
}

} // namespace dnnl::impl::cpu
