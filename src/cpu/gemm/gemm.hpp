// SPDX-License-Identifier: Apache-2.0
// The blocked GEMM driver lives in this folder: rows of A times packed panels of B, cut into blocks
// that fit the caches and into calls of a block kernel (doc/kernels.md). Matrix multiplication,
// convolution (but for its weights' gradient, which calls the block kernel itself) and recurrent
// networks multiply by it.
#pragma once

#include <algorithm>
#include <type_traits>

#include "common/descriptors/problem.hpp"
#include "common/runtime/isa.hpp"
#include "cpu/kernels/gemm/dot_rows.hpp"
#include "cpu/kernels/gemm/pack.hpp"

namespace dnnl::impl::cpu {

// ---- Types ----

/// Null when a row that needs `target` multiplies a by b, else the reason. A level without
/// instructions of its own for a pair leaves it to the rows below.
const char *gemm_types_refusal(isa target, data_type a, data_type b);

/// True for levels that multiply pairs of bf16 by an instruction; the others widen them.
bool multiplies_bf16(isa target);

/// The type in which a row that needs `target` multiplies operands of type t: another one for f8,
/// which bf16 and f32 hold exactly.
data_type gemm_operand_type(isa target, data_type t);

/// Estimates the nanoseconds that one core needs for this many products, to decide about threads.
double gemm_cost_ns(isa target, data_type a, double products);
/// The same for a block of sums of `depth` products: no less than reading its weights takes.
double gemm_block_ns(isa target, data_type a, data_type b, dim_t rows, dim_t columns, dim_t depth);

/// The block kernel for A and B of the given types on `target`; run is null when there is none.
/// Pairs: f32 x {f32 bf16 f16}, bf16 x bf16, f16 x f16, {u8 s8} x {s8 u8}.
/// Precondition: has(target, isa::sse41).
gemm_kernel select_gemm(isa target, data_type a, data_type b);

/// The kernel for operands that are neither packed nor transposed (strided<T>), B of this type: f32
/// x f32, bf16 x bf16 (avx512_bf16), s8 x {u8 s8}. Precondition: has(target, isa::sse41).
gemm_kernel select_strided_gemm(isa target, data_type b);

/// The kernels for dot products of rows, and for few rows that add up rows of B; or null.
dot_rows_function select_dot_rows(isa target, data_type a, data_type b);
dot_rows_function select_stream_rows(isa target, data_type a, data_type b);

/// The packer for elements of this type; or null. Precondition: has(target, isa::avx2).
pack_b_function select_pack_b(isa target, data_type type);

// ---- The driver ----

/// How a product is cut, by its shape, the caches and the threads (doc/kernels.md). No bits depend
/// on it: a sum that waits in memory between two slices of K goes on as it would in a register.
struct gemm_blocking {
    dim_t MC, NC, KC;
};
gemm_blocking choose_blocking(const gemm_kernel &kernel, data_type b, dim_t M, dim_t N, dim_t K,
    int threads, const cache_sizes &sizes);

/// Products of one shape that threads share: each is cut into items of so many rows and columns,
/// and a thread takes equal numbers of items, those of one product one after the other.
struct shared_work {
    dim_t products, M, N;
    dim_t row_unit, mr;            ///< rows that no tile is cut for; rows of the tallest tile
    dim_t panel_columns;           ///< which the columns of an item are multiples of
    dim_t most_rows, most_columns; ///< of an item
};
struct work_item {
    dim_t rows, columns;
};
work_item choose_item(const shared_work &work, int threads);
/// The rows that tiles of the kernel have multiples of.
inline dim_t row_unit(const gemm_kernel &kernel) { return kernel.begin ? 16 : 1; }

/// The layout of B panels over dimensions k_dim and n_dim of md: the remaining dimensions keep
/// their logical order around them, `outer` first, then panels of n, then `inner`, then k.
/// Every element of a panel is at [n panel][inner][k group][n][k in group].
/// pad_k_block: pad k to whole blocks of 16 groups, so that the layout is that of the tags
/// BA16a64b (f32), BA16a32b2a (bf16, f16), BA16a32b4a (int8); else to whole groups.
struct panel_dims {
    int k_dim, n_dim;
    std::span<const int> outer, inner;
    bool pad_k_block;
};
void set_panel_layout(memory_desc &md, const panel_dims &dims);

/// The columns of one panel, and the elements of k that lie together in it, for this type.
constexpr dim_t panel_columns(data_type b) { return b == data_type::f32 ? 64 : 32; }
constexpr dim_t panel_k_group(data_type b) {
    return b == data_type::f32 ? 1 : b == data_type::bf16 || b == data_type::f16 ? 2 : 4;
}

/// Panels that a maker hands on.
struct made_panels {
    const void *b = nullptr;
    const epilogue *finish = nullptr; ///< of these columns, with the last of K; null: the task's
};
/// Makes panels while a product runs.
class panel_maker {
  public:
    /// Returns the panels of columns [n0, n0 + n) of a task and of elements [k0, k0 + k) of K, as
    /// far from each other as the task says. They are used up when the next ones are asked for, and
    /// no block is pending that waits for their epilogue when panels of other columns are.
    virtual made_panels make(dim_t n0, dim_t n, dim_t k0, dim_t k) = 0;
    const bool has_epilogues; ///< make() hands on epilogues

  protected:
    explicit panel_maker(bool makes_epilogues) : has_epilogues(makes_epilogues) {}
    ~panel_maker() = default;
};

/// A call of the block kernel, cut further: all of n columns in steps of NC, all of k in steps of
/// KC, and any batch. `b` is not used with a maker; `c` is the place of
/// gemm_driver::accumulator_count() elements, where that is not 0; sums go to dst without `finish`.
struct gemm_task : gemm_block_args {
    const void *rows;                ///< A, instead of `a`: m rows of k elements; or a_rows
    panel_maker *maker;              ///< null: the panels are at b
    const double *wide_compensation; ///< wide drivers: per column, in addition to that of
                                     ///< `finish`; or null
};
/// One product with these extents. The operands and all the rest are still to be set.
inline gemm_task one_product(dim_t m, dim_t n, dim_t k) {
    gemm_task t {};
    t.batch = 1;
    t.m = m;
    t.n = n;
    t.k = k;
    return t;
}

class gemm_driver {
  public:
    gemm_driver() = default;
    /// M, N, K of the whole product; run() may be called with less.
    gemm_driver(isa target, data_type a, data_type b, dim_t M, dim_t N, dim_t K, int threads);

    /// Cuts for panels that are made slice by slice: blocks have all M rows and the columns of one
    /// slice, which stays in L1.
    void cut_for_slices(dim_t M, dim_t columns);

    /// Takes another cut than the chosen one, with no more of K than the kernel takes at once.
    void cut(const gemm_blocking &blocking) {
        blocking_ = blocking;
        if (kernel_.most_k) blocking_.KC = std::min(blocking_.KC, kernel_.most_k);
    }

    /// From now on sums of bytes are exact however long they are: parts of K that s32 holds are
    /// added up in f64. Every task has a `finish`.
    void widen(isa target);
    bool is_wide() const { return finish_wide_ != nullptr; }

    /// False when there is no kernel for these types on the target.
    explicit operator bool() const { return kernel_.run != nullptr; }
    const gemm_kernel &kernel() const { return kernel_; }
    const gemm_blocking &blocking() const { return blocking_; }
    /// Accumulators that one thread needs when sums are finished by an epilogue.
    dim_t accumulator_count() const;

    /// Called once per thread and parallel range, around its tasks, as is end().
    void begin() const {
        if (kernel_.begin) kernel_.begin();
    }
    void end(pending_block *pending) const {
        if (kernel_.end) kernel_.end(pending);
    }
    /// Waits for the epilogue of a pending block, whose data are about to change; null: none.
    void finish(pending_block *pending) const {
        if (!pending) return;
        end(pending);
        begin();
    }
    void run(const gemm_task &task) const;

  private:
    gemm_kernel kernel_ {};
    gemm_blocking blocking_ {};
    data_type a_ = data_type::undef, b_ = data_type::undef;
    dim_t K_ = 0;
    dim_t longest_exact_ = 0;                      ///< wide: products whose sum s32 surely holds
    epilogue_rows_function finish_wide_ = nullptr; ///< of wide sums, rounded to f32
};

// ---- Sums of bytes that s32 need not hold ----
//
// Parts of K that it surely holds are summed by the kernels and added up in f64, which is exact.
// Compensation comes off in f64, too, so that the value that is rounded, to f32 or to an s32
// destination, is the exact one.

/// The longest sum of products of bytes that s32 surely holds. A byte less its zero point lies
/// between -255 and 255, where the zero point is a value of the byte's type.
dim_t exact_sum_length(
    data_type a, data_type b, bool a_has_zero_point = false, bool b_has_zero_point = false);

/// The longest sum of bytes that s32 surely holds: zero points multiply such sums of one operand.
constexpr dim_t longest_operand_sum = INT32_MAX / 255;

/// What a src zero point adds to the sum of a column of products of K bytes, whose weights have a
/// zero point, too, or 0: in s32 modulo 2^32, as the kernels compute; in f64 exact, where the
/// column sum is exact: for up to longest_operand_sum products.
template <class Number>
Number compensation_of(
    s32 src_zero_point, s32 column_sum, dim_t K = 0, s32 weights_zero_point = 0) {
    if constexpr (std::is_floating_point_v<Number>)
        return src_zero_point * (column_sum - double(K) * weights_zero_point);
    const auto wrapped = [](auto x) { return static_cast<std::uint32_t>(x); };
    return static_cast<Number>(
        wrapped(src_zero_point) * (wrapped(column_sum) - wrapped(K) * wrapped(weights_zero_point)));
}

/// The sums of a task in f64, after `sums` accumulators of s32 in its memory.
class wide_sums {
  public:
    /// sums: 0 where no sum is too long. longest: products that s32 holds. finish: the epilogue of
    /// sums that are rounded to f32.
    wide_sums(const gemm_task &t, dim_t sums, dim_t longest, epilogue_rows_function finish)
        : t_(t), longest_(longest), finish_(finish) {
        if (t.c) wide_ = reinterpret_cast<double *>(static_cast<s32 *>(t.c) + sums);
    }

    /// Called before each call of the block kernel. Returns true when that may go on adding to the
    /// sums in s32; otherwise these have been added to the sums in f64.
    bool add(const gemm_block_args &g);
    /// Applies the epilogue to the columns of g, once all of their products are there.
    void finish(const gemm_block_args &g);

  private:
    void take_part(const gemm_block_args &g);

    const gemm_task &t_;
    double *wide_ = nullptr;
    dim_t longest_;
    dim_t length_ = 0;     ///< products in the sums in s32
    bool started_ = false; ///< the sums in f64 have been set
    epilogue_rows_function finish_;
};

} // namespace dnnl::impl::cpu
