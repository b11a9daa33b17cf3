// SPDX-License-Identifier: Apache-2.0
// What the plans of both passes are made of: products with packed weights, products for the
// gradients of weights, how both are cut into blocks, and the tensors of the network.
#pragma once

#include <array>

#include "common/descriptors/rnn.hpp"
#include "common/layout/data_type.hpp"
#include "common/runtime/parallel.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/kernels/rnn/rnn_cell.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/layout/adapted_tensor.hpp"

namespace dnnl::impl::cpu {

planned make_rnn_forward(problem &);
planned make_rnn_backward(problem &);

/// The type of both operands of products in the backward pass: bf16 where the network's is and the
/// level multiplies that, else f32.
data_type rnn_backward_operand(const problem &p);

/// Copies rows of `count` f32, which begin every from_row and to_row elements.
inline void copy_rows(
    const f32 *from, dim_t from_row, f32 *to, dim_t to_row, dim_t rows, dim_t count) {
    parallel_for_each(rows, 0.1 * double(count),
        [&](dim_t row) { std::copy_n(from + row * from_row, count, to + row * to_row); });
}

/// How a matrix is cut into blocks, each of which is one item of a parallel loop. Columns are cut
/// at panels; rows only where there are fewer panels than threads.
struct rnn_grid {
    dim_t rows, columns, row_block, column_block;

    rnn_grid(dim_t all_rows, dim_t all_columns, const gemm_driver &driver, int threads);
    dim_t column_items() const { return div_up(columns, column_block); }
    dim_t count() const { return div_up(rows, row_block) * column_items(); }
    /// The elements of the largest block.
    double block_elements() const {
        return double(std::min(row_block, rows) * std::min(column_block, columns));
    }
};

/// One block of a grid.
struct rnn_block {
    dim_t row, rows, column, columns;
    rnn_block(const rnn_grid &grid, dim_t item)
        : row(item / grid.column_items() * grid.row_block),
          rows(std::min(grid.row_block, grid.rows - row)),
          column(item % grid.column_items() * grid.column_block),
          columns(std::min(grid.column_block, grid.columns - column)) {}
};

/// A product of a matrix with the weights of one gate or several. The sums of gate g lie g *
/// gate_step elements after those of the first gate. Pointers are those of the whole matrices.
struct rnn_product {
    dim_t l, d;     ///< layer and direction
    const void *a;  ///< rows of K elements
    dim_t lda;      ///< elements
    void *sums;     ///< 32 bits wide
    dim_t sums_row; ///< elements
    dim_t first_gate = 0, gates = 1;
    dim_t gate_step = 0;
    /// Where weights are transposed, each gate multiplies another part of `a`, this many elements
    /// after that of the gate before, and the products of all gates are added up as one gate.
    dim_t a_gate_step = 0;
    bool accumulate = false; ///< adds to the sums that are there
};

/// How a pass multiplies its weights.
struct rnn_pass {
    rnn_states::extent kept; ///< which states the pass keeps
    data_type a_type;        ///< the type of the matrix that the weights are multiplied with
    bool transposed;         ///< sums run over output channels
    bool column_sums;        ///< the packed weights have them
};

/// Weights of the layer, of the state or of the projection, packed into panels.
class rnn_weights {
  public:
    rnn_weights() = default;
    /// Chooses panels where the layout is `any`; weights in another layout are copied into panels.
    /// `threads` call multiply(); `rows` are those of the widest product.
    rnn_weights(problem &p, rnn_tensor tensor, const rnn_pass &pass, dim_t rows, int threads);

    const char *why_not() const {
        if (tensor_.why_not()) return tensor_.why_not();
        return driver_ ? nullptr : "no GEMM kernel for these types";
    }
    const gemm_driver &driver() const { return driver_; }
    dim_t N() const { return N_; }
    const char *begin(const exec_context &ctx) const { return tensor_.begin(ctx, arg_); }
    /// Computes one block of a product, whose sums go to `strip` where that is not null. The thread
    /// calls it between driver().begin() and end().
    void multiply(const char *weights, const rnn_block &b, const rnn_product &product,
        f32 *strip = nullptr) const;
    /// The sums over k of the weights of gate g, one per column.
    const s32 *column_sums(const char *weights, dim_t l, dim_t d, dim_t g) const;
    /// The estimated nanoseconds of one block of a grid.
    double cost_ns(const rnn_grid &grid, dim_t gates) const;

  private:
    gemm_driver driver_;
    adapted_tensor tensor_;
    int arg_ = 0, gate_dim_ = -1, n_dim_ = 0; ///< no gates: the projection
    dim_t K_ = 0, N_ = 0;
    isa target_ = isa::none;
    data_type a_type_ = data_type::undef;
};

/// A matrix [T][MB][channels]. Where `first` is given, it is the rows of the first step, and those
/// of another one are what `rows` has one step earlier in the order of the direction.
struct rnn_operand {
    const void *rows;
    data_type dtype; ///< f32 or bf16
    dim_t channels;
    const void *first;
    bool reversed;
};

/// The gradient of the weights of one layer and direction: C[i][o] = the sum over time steps and
/// batch of a[t][n][i] * b[t][n][o], the operand of the forward product and its result's gradient.
class rnn_weights_gradient {
  public:
    rnn_weights_gradient() = default;
    /// `type` is that of b: f32 or bf16, to which a is converted.
    rnn_weights_gradient(problem &p, data_type type, const rnn_shape &s, int threads);

    const char *why_not() const { return driver_ ? nullptr : "no GEMM kernel for these types"; }

    /// Reads b, whose rows begin every `row` elements.
    void load_gradient(const exec_context &ctx, const void *b, dim_t row, dim_t columns) const;
    /// Takes a.
    void load_operand(const exec_context &ctx, const rnn_operand &a) const;

    /// C, whose rows begin every `row` elements; its columns are the first `columns` of b. With
    /// accumulate the finished sums are added to the values of C.
    struct result {
        f32 *sums;
        dim_t row, rows, columns;
        bool accumulate;
    };
    void multiply(const exec_context &ctx, const result &c) const;

  private:
    dim_t panel_bytes() const {
        const dim_t columns = driver_.kernel().panel_columns;
        return columns * round_up(T_ * MB_, driver_.kernel().k_group) * size_in_bytes(type_);
    }

    gemm_driver driver_;
    isa target_ = isa::none;
    int threads_ = 1;
    dim_t T_ = 0, MB_ = 0;
    data_type type_ = data_type::f32;
    scratch_slot<char> operand_, panels_; ///< [channels][T][MB], panels over (T, MB)
    scratch_slot<s32> accumulators_;      ///< of each thread
};

/// The tensors of the network as dense rows; a tensor that the network lacks has no layout.
using rnn_tensor_list = std::array<adapted_tensor, rnn_tensor_count>;
/// The buffers of these tensors in an execution; null for tensors that the network lacks.
using rnn_buffer_list = std::array<char *, rnn_tensor_count>;

struct rnn_buffers {
    const exec_context &ctx;
    std::byte *states; ///< laid out by rnn_states
    const char *weights_layer, *weights_iter, *projection;
    rnn_buffer_list tensors, diffs;

    template <class T> T *tensor(rnn_tensor t) const { return reinterpret_cast<T *>(tensors[+t]); }
    f32 *diff(rnn_tensor t) const { return reinterpret_cast<f32 *>(diffs[+t]); }
    template <class T> T *operator[](scratch_slot<T> slot) const { return ctx.scratch(slot); }
};

/// True for weights that the pass takes as packed panels.
constexpr bool is_packed(rnn_tensor t) {
    return t == rnn_tensor::weights_layer || t == rnn_tensor::weights_iter ||
           t == rnn_tensor::weights_projection;
}

class gemm_rnn : public plan {
  protected:
    /// Resolves the layouts of the problem and keeps the descriptor.
    gemm_rnn(problem &p, const rnn_pass &pass);

    /// Describes a tensor as dense rows of `dtype`.
    adapted_tensor adapt(
        problem &p, const memory_desc &md, data_type dtype, adapted_tensor::use how);
    /// The buffers of tensors, the arguments `arg`. end() copies back outputs that are not dense.
    static rnn_buffer_list begin(
        const exec_context &ctx, const rnn_tensor_list &tensors, int rnn_tensor_info::*arg);
    static void end(
        const exec_context &ctx, const rnn_tensor_list &tensors, int rnn_tensor_info::*arg) {
        for (const rnn_tensor_info &info : rnn_tensors) tensors[+info.tensor].end(ctx, info.*arg);
    }
    /// The tensors and the packed weights of an execution, and its states.
    rnn_buffers bound(const exec_context &ctx, std::byte *states) const {
        return {ctx, states, has_gate_sums(desc_) ? nullptr : layer_.begin(ctx), iter_.begin(ctx),
            s_.projection ? projection_.begin(ctx) : nullptr,
            begin(ctx, tensors_, &rnn_tensor_info::arg), {}};
    }

    dim_t state_bytes() const { return dim_t(size_of(states_.state_type())); }
    dim_t time(dim_t d, dim_t step) const { return is_reversed(desc_, d) ? s_.T - 1 - step : step; }
    /// The first row of a layer and direction in tensors of initial and final states.
    dim_t slot(dim_t l, dim_t d) const { return (l * s_.D + d) * s_.MB; }

    void run(const rnn_rows_args &args) const {
        kernel_for<vector_levels>(target_, []<class Isa> { return rnn_rows<Isa>; })(args);
    }
    /// The arguments of run() for dense rows of `columns` elements, without the addresses.
    rnn_rows_args rows_of(
        rnn_rows_operation what, data_type out_type, dim_t rows, dim_t columns) const {
        rnn_rows_args args {};
        args.what = what;
        args.state = format_;
        args.out_type = out_type;
        args.rows = rows;
        args.columns = args.a_row = args.b_row = args.out_row = columns;
        return args;
    }
    void run(const rnn_forward_args &args) const {
        kernel_for<vector_levels>(target_, []<class Isa> { return rnn_cell_forward<Isa>; })(args);
    }

    /// Calls body(block, thread) over `rows` and the columns of a product with the weights of
    /// `gates`, between begin() and end() of the driver. element_ns is what the body takes for each
    /// element besides the product; blocks have `strip` columns where that is not 0.
    template <class Body>
    void for_each_block(const rnn_weights &w, dim_t rows, dim_t gates, double element_ns,
        const Body &body, dim_t strip = 0) const {
        rnn_grid grid(rows, w.N(), w.driver(), threads_);
        if (strip > 0) grid.column_block = strip;
        const double block_ns = w.cost_ns(grid, gates) + element_ns * grid.block_elements();
        parallel_for(grid.count(), block_ns, threads_, [&](int thread, dim_t begin, dim_t end) {
            w.driver().begin();
            for (dim_t item = begin; item < end; ++item) body(rnn_block(grid, item), thread);
            w.driver().end(nullptr);
        });
    }

    /// Computes a product of all `rows`. Its result does not stay in the caches until it is used.
    void multiply(
        const rnn_weights &w, const char *weights, dim_t rows, const rnn_product &product) const {
        for_each_block(w, rows, product.gates, 0,
            [&](const rnn_block &b, int) { w.multiply(weights, b, product); });
    }

    rnn_desc desc_;
    rnn_shape s_;
    rnn_states states_;
    isa target_;
    int threads_;
    rnn_state_format format_ {};
    rnn_weights layer_, iter_, projection_;
    rnn_tensor_list tensors_; ///< those that the pass reads or writes, except for packed weights
};

} // namespace dnnl::impl::cpu
