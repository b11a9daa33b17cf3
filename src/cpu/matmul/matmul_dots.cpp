// SPDX-License-Identifier: Apache-2.0
// Matrix products with few columns or few rows, on operands that are not packed. Dot products of
// rows of src and columns of the weights, where k is adjacent in both (with few columns, weights
// without are transposed first); sums of rows of the weights, where columns are adjacent.
#include "cpu/cpu.hpp"
#include "cpu/kernels/select.hpp"
#include "cpu/matmul/matmul_quantization.hpp"

namespace dnnl::impl::cpu {

namespace {

constexpr dim_t most_block_rows = 64;

/// The shortest rows that dot products are faster for than blocks: with shorter ones the sums
/// across vectors take longer than the products. (Measured on a Zen 5 core: 8 columns break even at
/// 256 bytes, one gains at 32.)
dim_t fewest_bytes(dim_t columns) { return 32 * columns; }

/// True for few rows, and weights that lie as a kernel reads them.
bool has_few_rows(const matmul_desc &op, isa target) {
    const memory_desc &w = op.weights;
    const int n = w.ndims - 1, k = n - 1;
    if (shape_of(op).M > most_stream_rows || w.is_any() || !w.is_plain()) return false;
    return w.strides[k] == 1 ||
           (w.strides[n] == 1 && select_stream_rows(target, op.src.dtype, w.dtype));
}

/// Returns a layout of md with elements adjacent along dimension `dim`, then along the other one of
/// the last two; md itself where it is that.
memory_desc with_adjacent(const memory_desc &md, int dim) {
    if (md.is_plain() && !md.is_any() && (md.strides[dim] == 1 || md.dims[dim] == 1)) return md;
    memory_desc wanted = md;
    wanted.offset0 = 0;
    set_dense_strides(wanted);
    const int last = md.ndims - 1;
    if (dim != last) {
        wanted.strides[dim] = 1;
        wanted.strides[last] = std::max<dim_t>(md.dims[dim], 1);
    }
    return wanted;
}

class dots_matmul : public plan {
  public:
    explicit dots_matmul(problem &p) : target_(p.target) {
        auto &op = std::get<matmul_desc>(p.op);
        const int n = op.dst.ndims - 1, k = n - 1;
        shape_ = shape_of(op);
        if (op.weights.is_any()) op.weights = with_adjacent(op.weights, k);
        default_layouts(p);
        const bool streams =
            shape_.N > most_dot_columns && op.weights.strides[k] != 1; // has_few_rows(), then
        run_ = streams ? select_stream_rows(target_, op.src.dtype, op.weights.dtype)
                       : select_dot_rows(target_, op.src.dtype, op.weights.dtype);
        k_step_ = streams ? k : n;
        const auto write =
            has_sum(p.attr.post_ops) ? adapted_tensor::use::update : adapted_tensor::use::write;
        src_ = adapted_tensor(p, op.src, with_adjacent(op.src, n), adapted_tensor::use::read);
        weights_ = adapted_tensor(
            p, op.weights, with_adjacent(op.weights, streams ? n : k), adapted_tensor::use::read);
        dst_ = adapted_tensor(p, op.dst, with_adjacent(op.dst, n), write);
        for (const adapted_tensor *t : {&src_, &weights_, &dst_})
            if (t->why_not()) why_not_ = t->why_not();
        if (why_not_) return;
        epilogue_ = epilogue_plan(target_, p.attr, p.scratchpad, request_of(op));
        // Sums of a block stay in L1.
        block_rows_ = std::clamp<dim_t>(shape_.M, 1, most_block_rows);
        block_columns_ = std::clamp<dim_t>(shape_.N, 1, 2048);
        threads_ = threads_for(block_count());
        sums_ = p.scratchpad.reserve<s32>(threads_ * block_rows_ * block_columns_);
        biases_ = p.scratchpad.reserve<f32>(block_rows_);
    }

    void execute(const exec_context &ctx) const override {
        bound_epilogue finish;
        epilogue_.bind(ctx, finish);
        const bool flat = lay_flat(finish.data, ctx.scratch(biases_));
        const char *src = src_.begin(ctx, DNNL_ARG_SRC);
        const char *weights = weights_.begin(ctx, DNNL_ARG_WEIGHTS);
        char *dst = dst_.begin(ctx, DNNL_ARG_DST);
        // Measured on a Zen 5 core: 17 products in a nanosecond (short rows) to 290 (long ones of
        // bytes). The least counts: a second thread pays from 2 microseconds on.
        const double block_ns = double(block_rows_ * block_columns_ * (shape_.K + 32)) / 15;
        parallel_for(block_count(), block_ns, threads_, [&](int thread, dim_t first, dim_t last) {
            for (dim_t i = first; i < last; ++i)
                multiply({src, weights, dst, &finish.data, flat,
                             ctx.scratch(sums_) + thread * block_rows_ * block_columns_},
                    i);
        });
        dst_.end(ctx, DNNL_ARG_DST);
    }

  private:
    struct execution {
        const char *src, *weights;
        char *dst;
        const epilogue *finish;
        bool flat; ///< a block of a column is a row to the epilogue
        s32 *sums;
    };

    dim_t column_blocks() const { return div_up(shape_.N, block_columns_); }
    dim_t block_count() const {
        return shape_.batch_count * div_up(shape_.M, block_rows_) * column_blocks();
    }

    void multiply(const execution &e, dim_t index) const {
        const dim_t column = index % column_blocks() * block_columns_;
        index /= column_blocks();
        const dim_t blocks = div_up(shape_.M, block_rows_);
        const dim_t row = index % blocks * block_rows_;
        const int n = shape_.ndims - 1, m = n - 1;
        const memory_desc &a = src_.wanted(), &b = weights_.wanted(), &to = dst_.wanted();
        const matmul_batch at = find_batch(shape_, a, b, to, index / blocks);
        epilogue_rows_args finish {};
        finish.finish = e.finish;
        finish.dst = element_at(e.dst, to.dtype, at.dst + row * to.strides[m] + column);
        finish.dst_stride_bytes = to.strides[m] * size_in_bytes(to.dtype);
        finish.rows = std::min(block_rows_, shape_.M - row);
        finish.columns = std::min(block_columns_, shape_.N - column);
        const bool raw = epilogue_.is_identity();
        dot_rows_args g {};
        g.a = element_at(e.src, a.dtype, at.src + row * a.strides[m]);
        g.b = element_at(e.weights, b.dtype, at.weights + column * b.strides[n]);
        g.lda_bytes = a.strides[m] * size_in_bytes(a.dtype);
        g.ldb_bytes = b.strides[k_step_] * size_in_bytes(b.dtype);
        g.m = finish.rows;
        g.n = finish.columns;
        g.k = shape_.K;
        g.c = raw ? finish.dst : e.sums;
        g.ldc_bytes = raw ? finish.dst_stride_bytes : finish.columns * dim_t {sizeof(s32)};
        run_(g);
        if (raw) return;
        finish.acc = e.sums;
        finish.acc_stride_bytes = g.ldc_bytes;
        finish.acc_type = is_int8(a.dtype) ? data_type::s32 : data_type::f32;
        if (e.flat) {
            std::swap(finish.rows, finish.columns);
        } else {
            std::copy_n(at.position, position_rank, finish.position);
            finish.position[row_dim] = row;
            finish.position[column_dim] = column;
        }
        finish_rows_(finish);
    }

    /// Makes of the epilogue of a single column, if it is the same for all rows, that of a row.
    /// Returns false for others.
    bool lay_flat(epilogue &f, f32 *biases) const {
        const auto alike = [](const epilogue_step &s) {
            return s.what == epilogue_step::kind::eltwise || s.what == epilogue_step::kind::sum;
        };
        if (shape_.N != 1 || dst_.wanted().strides[shape_.ndims - 2] != 1 || f.row_scales ||
            f.bias_operand || f.random || !std::all_of(f.steps, f.steps + f.step_count, alike))
            return false;
        f.scale_stride = f.dst_zero_point_stride = 0;
        if (f.bias) {
            std::fill_n(biases, block_rows_, *f.bias);
            f.bias = biases;
        }
        return true;
    }

    isa target_;
    matmul_shape shape_;
    adapted_tensor src_, weights_, dst_;
    epilogue_plan epilogue_;
    dot_rows_function run_ = nullptr;
    int k_step_ = 0; ///< the dimension of the weights from row to row of the kernel
    dim_t block_rows_ = 1, block_columns_ = 1;
    epilogue_rows_function finish_rows_ =
        kernel_for<every_level>(target_, []<class Isa> { return epilogue_rows<Isa>; });
    int threads_ = 1;
    scratch_slot<s32> sums_;   ///< of the block of each thread
    scratch_slot<f32> biases_; ///< of a block: the only one
};

} // namespace

planned make_dots_matmul(problem &p) {
    const auto &op = std::get<matmul_desc>(p.op);
    if (is_sparse(op)) return with_sparse_operand;
    if (has_runtime(op)) return "made for dimensions known at creation";
    const matmul_shape shape = shape_of(op);
    const bool few_columns = shape.N <= most_dot_columns;
    if (!few_columns && !has_few_rows(op, p.target))
        return "made for up to 8 columns, or up to 4 rows of plain weights";
    const data_type a = op.src.dtype, b = op.weights.dtype;
    if (shape.K * size_in_bytes(a) < fewest_bytes(std::min(shape.N, most_dot_columns)))
        return "made for longer rows of src";
    if (const char *reason = matmul_types_refusal(op, p.attr)) return reason;
    if (!select_dot_rows(p.target, a, b))
        return "made for equal types of src and weights, or for u8 by s8";
    if (const char *reason = gemm_types_refusal(p.target, a, b)) return reason;
    if (is_int8(a) && shape.K > exact_sum_length(a, b)) return "made for sums of bytes within s32";
    if (!p.attr.reductions.empty()) return "made for problems without precomputed reductions";
    if (matmul_codes::are_needed(p))
        return "made for problems without computed scales or a 4-bit dst";
    const operand_values values = split_attributes(p);
    for (int arg : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS})
        if (p.attr.zero_points.find(arg)) return "made for operands without zero points";
    if (!values.empty()) return "made for scales that apply to whole sums";
    if (const char *reason = epilogue_plan::refusal(p.attr, request_of(op))) return reason;
    return try_plan<dots_matmul>(p);
}

} // namespace dnnl::impl::cpu
