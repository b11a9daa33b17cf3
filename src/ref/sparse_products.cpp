// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication with one sparse operand, CSR or COO. Only stored entries are multiplied, so
// an infinity opposite an absent entry has no effect. Acc is float, or double for operands of int8,
// whose sums are exact. Sums run over k, and over the entries of one k in their order.
#include <vector>

#include "common/descriptors/products/shapes.hpp"
#include "ref/reference.hpp"
#include "ref/spatial.hpp"

namespace dnnl::impl::ref {

namespace {

/// The entries of a sparse matrix row by row.
class sparse_matrix {
  public:
    sparse_matrix(const exec_context &ctx, int arg)
        : begins_(std::size_t(ctx.desc(arg).dims[0] + 1)) {
        const memory_desc &md = ctx.desc(arg);
        values_ = {make_with_strides(1, &md.sparse.nnz, md.dtype, nullptr), ctx.data(arg)};
        const bool csr = md.sparse.encoding == dnnl_csr;
        columns_ = ctx.indices<std::int32_t>(arg, csr ? 1 : 2);
        if (csr) {
            std::copy_n(ctx.indices<std::int32_t>(arg, 2), begins_.size(), begins_.begin());
            return;
        }
        const auto *rows = ctx.indices<std::int32_t>(arg, 1);
        for (dim_t e = 0; e < md.sparse.nnz; ++e) ++begins_[std::size_t(rows[e]) + 1];
        for (std::size_t r = 1; r < begins_.size(); ++r) begins_[r] += begins_[r - 1];
    }

    /// Calls body(column, value) for each entry of the row.
    template <class Acc, class Body> void for_each_entry(dim_t row, const Body &body) const {
        const auto r = std::size_t(row);
        for (dim_t e = begins_[r]; e < begins_[r + 1]; ++e)
            body(dim_t {columns_[e]}, values_.get<Acc>(dims_t {e}));
    }

  private:
    tensor values_;
    const std::int32_t *columns_ = nullptr;
    std::vector<dim_t> begins_; ///< the first entry of each row, and the end of the last row
};

/// sum[n] += a * weights[k][n] for a whole row.
template <class Acc>
void add_row(std::vector<Acc> &sum, Acc a, const tensor &weights, dim_t k, dim_t N) {
    Acc row[row_length];
    for (dim_t n = 0; n < N; n += row_length) {
        const dim_t count = std::min(row_length, N - n);
        weights.read(row, dims_t {k, n}, 1, count);
        multiply_add(sum.data() + n, a, row, count);
    }
}

template <class Acc>
void sparse_matmul(const matmul_desc &desc, const primitive_attr &attr, const exec_context &ctx) {
    const matmul_shape s = shape_of(desc);
    const bool sparse_src = desc.src.is_sparse();
    const sparse_matrix sparse(ctx, sparse_src ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS);
    const tensor dense(ctx, sparse_src ? DNNL_ARG_WEIGHTS : DNNL_ARG_SRC);
    const epilogue finish(ctx, attr, DNNL_ARG_DST, 1);
    for_each_parallel(s.M, 1, [&](dim_t m, dim_t) {
        std::vector<Acc> sum(std::size_t(s.N));
        if (sparse_src)
            sparse.for_each_entry<Acc>(m, [&](dim_t k, Acc a) { add_row(sum, a, dense, k, s.N); });
        for (dim_t k = 0; !sparse_src && k < s.K; ++k) {
            const Acc a = dense.get<Acc>(dims_t {m, k});
            sparse.for_each_entry<Acc>(
                k, [&](dim_t n, Acc b) { multiply_add(&sum[std::size_t(n)], a, &b, 1); });
        }
        for (dim_t n = 0; n < s.N; n += row_length)
            finish.store(sum.data() + n, dims_t {m, n}, std::min(row_length, s.N - n));
    });
}

} // namespace

planned make_sparse_matmul(problem &p) {
    const auto &desc = std::get<matmul_desc>(p.op);
    if (const char *why = sparse_matmul_refusal(desc, p.attr)) return why;
    return make_function_plan(
        p, is_int8(desc.src.dtype) ? sparse_matmul<double> : sparse_matmul<float>);
}

} // namespace dnnl::impl::ref
