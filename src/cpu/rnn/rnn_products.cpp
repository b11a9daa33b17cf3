// SPDX-License-Identifier: Apache-2.0
// Products of recurrent networks: weights in panels, how products are cut among threads, and the
// weights of a network.
#include <algorithm>

#include "common/descriptors/default_layouts.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/gemm/gemm_types.hpp"
#include "cpu/rnn/rnn_plan.hpp"

namespace dnnl::impl::cpu {

namespace {
/// Rows of one item: with their sums they stay in L2.
constexpr dim_t most_rows = 128;
} // namespace

rnn_grid::rnn_grid(dim_t all_rows, dim_t all_columns, const gemm_driver &driver, int threads)
    : rows(all_rows), columns(all_columns) {
    const dim_t panel = driver.kernel().panel_columns, mr = driver.kernel().mr;
    const dim_t panels = std::max<dim_t>(div_up(columns, panel), 1);
    column_block = div_up(panels, std::min<dim_t>(threads, panels)) * panel;
    const dim_t row_items = div_up(threads, column_items());
    const dim_t share = round_up(std::max<dim_t>(div_up(rows, row_items), 1), mr);
    row_block = std::min(share, std::max(most_rows / mr * mr, mr));
}

memory_desc dense_like(const memory_desc &md, data_type dtype) {
    memory_desc dense = md;
    dense.dtype = dtype;
    dense.offset0 = 0;
    dense.inner_nblks = 0;
    dense.inner_blks = dense.inner_idxs = {};
    dense.padded_dims = dense.dims;
    dense.column_sums_mask = 0;
    set_dense_strides(dense);
    return dense;
}

adapted_tensor adapt_rnn_tensor(
    problem &p, const memory_desc &md, data_type dtype, adapted_tensor::use how) {
    if (md.is_zero()) return {};
    return {p, md, dense_like(md, dtype), how};
}

rnn_weights::rnn_weights(problem &p, const request &r)
    : arg_(rnn_tensors[static_cast<std::size_t>(r.tensor)].arg), target_(p.target),
      a_type_(r.a_type) {
    memory_desc &md = std::get<rnn_desc>(p.op).md(r.tensor);
    const int last = md.ndims - 1;
    if (md.ndims == 5) gate_dim_ = 3;
    n_dim_ = r.transposed ? 2 : last;
    const int k_dim = r.transposed ? last : 2;
    const int outer[] = {0, 1, 3};
    memory_desc wanted = md;
    wanted.offset0 = 0;
    set_panel_layout(wanted, {k_dim, n_dim_, std::span(outer, md.ndims == 5 ? 3 : 2), {}, true});
    const int all = (1 << md.ndims) - 1;
    wanted.column_sums_mask = r.column_sums ? all & ~(1 << k_dim) : 0;
    if (md.is_any()) md = wanted;
    tensor_ = adapted_tensor(p, md, wanted, adapted_tensor::use::read);
    K_ = md.dims[k_dim];
    N_ = md.dims[n_dim_];
    driver_ = gemm_driver(p.target, r.a_type, md.dtype, r.rows, N_, K_, r.threads);
}

const char *rnn_weights::why_not() const {
    if (tensor_.why_not()) return tensor_.why_not();
    return driver_ ? nullptr : "no GEMM kernel for these types";
}

const char *rnn_weights::begin(const exec_context &ctx) const {
    return static_cast<const char *>(tensor_.begin(ctx, ctx.data(arg_)));
}

void rnn_weights::multiply(const char *weights, const rnn_product &p) const {
    const memory_desc &md = tensor_.wanted();
    const auto bytes = static_cast<dim_t>(size_of(md.dtype));
    const auto a_bytes = static_cast<dim_t>(size_of(a_type_));
    gemm_task t {};
    t.lda = p.lda * a_bytes;
    t.b_panel = md.strides[n_dim_] * bytes;
    t.m = p.rows;
    t.n = p.columns;
    t.k = K_;
    t.ldd = p.sums_row * dim_t {sizeof(f32)};
    for (dim_t g = 0; g < p.gates; ++g) {
        const dim_t panel = p.column / driver_.kernel().panel_columns;
        dim_t offset = p.l * md.strides[0] + p.d * md.strides[1] + panel * md.strides[n_dim_];
        if (gate_dim_ >= 0) offset += (p.first_gate + g) * md.strides[gate_dim_];
        t.a = static_cast<const char *>(p.a) + g * p.a_gate_step * a_bytes;
        t.b = weights + offset * bytes;
        t.dst = static_cast<f32 *>(p.sums) + g * p.gate_step;
        t.accumulate = p.accumulate || (p.a_gate_step != 0 && g > 0);
        driver_.run(t);
    }
}

const s32 *rnn_weights::column_sums(const char *weights, dim_t l, dim_t d, dim_t g) const {
    const memory_desc &md = tensor_.wanted();
    const auto *sums = reinterpret_cast<const s32 *>(weights + md.elements_bytes());
    const dim_t gates = gate_dim_ >= 0 ? md.dims[gate_dim_] : 1;
    return sums + ((l * md.dims[1] + d) * gates + g) * md.padded_dims[n_dim_];
}

double rnn_weights::cost_ns(const rnn_grid &grid, dim_t gates) const {
    const auto elements = static_cast<double>(std::min(grid.row_block, grid.rows)) *
                          static_cast<double>(std::min(grid.column_block, grid.columns) * gates);
    return gemm_cost_ns(target_, a_type_, elements * static_cast<double>(K_ + 16)) + elements;
}

gemm_rnn::gemm_rnn(problem &p, const rnn_pass &pass)
    : s_(shape_of(std::get<rnn_desc>(p.op))), states_(std::get<rnn_desc>(p.op), pass.kept),
      target_(p.target), threads_(max_threads()) {
    const auto pack = [&](rnn_tensor tensor, dim_t rows) {
        return rnn_weights(
            p, {tensor, pass.a_type, pass.transposed, pass.column_sums, rows, threads_});
    };
    layer_ = pack(rnn_tensor::weights_layer, s_.T * s_.MB);
    iter_ = pack(rnn_tensor::weights_iter, s_.MB);
    if (s_.projection) projection_ = pack(rnn_tensor::weights_projection, s_.MB);
    default_layouts(p);
    desc_ = std::get<rnn_desc>(p.op);
}

const char *gemm_rnn::weights_refusal() const {
    for (const rnn_weights *w : {&layer_, &iter_})
        if (w->why_not()) return w->why_not();
    return s_.projection ? projection_.why_not() : nullptr;
}

} // namespace dnnl::impl::cpu
