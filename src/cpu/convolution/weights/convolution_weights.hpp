// SPDX-License-Identifier: Apache-2.0
// Convolution backward weights on the GEMM block kernels: for each group and tap, C[ic][oc] = sum
// over pixels of src[the tap's pixel][ic] * diff_dst[pixel][oc].
//
// f32 is multiplied where it is, unless pixels are so far from each other that they share few sets
// of the caches. Otherwise blocks of diff_dst are packed into panels, and the lines of src under
// them are transposed once: the rows of a tap are a view of these. Windows of few channels become
// the rows of one product. Where there is one tap for every pixel and it suits the register tile
// better, src and diff_dst change places. Sums of one chunk become bf16 with the last block.
#pragma once

#include "cpu/convolution/convolution.hpp"
#include "cpu/convolution/weights/gradient_blocks.hpp"

namespace dnnl::impl::cpu {

class gemm_convolution_weights : public weights_gradient_plan {
  public:
    explicit gemm_convolution_weights(problem &p);
    void execute(const exec_context &ctx) const override;

  protected: // for the test that counts the work of threads
    struct execution {
        const char *lines, *panels; ///< what becomes the left and the right operand
        all_sums sums;              ///< of the weights [g][tap][row][column], of the bias [g][oc]
        char *rounded;              ///< the sums of the weights in the type of the result, or null
        char *transposed, *windows, *packed, *ones;
        f32 *dots;
        const void **rows;
        dim_t *offsets;
    };
    /// A share of the sums, and the scratch of the thread that works on it.
    struct item {
        dim_t g, chunk, tap, taps, m0, m, n0, n;
        dim_t first_block, last_block; ///< one after the last
        f32 *sums;                     ///< of tap 0, from (m0, n0) on
        char *rounded;                 ///< the same of execution::rounded
        char *lines, *windows, *panels;
        f32 *dots;
        const void **rows;
        dim_t *offsets;
    };

    dot_rows_function select_dots() const;
    void choose_layouts(problem &p);
    void choose_blocks();
    void adapt_weights(problem &p);
    void choose_products();
    item item_of(const execution &e, int thread, dim_t index) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;
    void multiply_block(const execution &e, const item &i, dim_t part) const;
    void pack(const execution &e, const item &i, const gradient_block &b) const;
    void copy_windows(const item &i, const gradient_block &b, dim_t d) const;
    void multiply_tap(const item &i, const gradient_block &b, dim_t tap, gemm_block_args t) const;
    void run(const item &i, dim_t tap, gemm_block_args &t) const;
    void multiply_directly(
        const execution &e, const item &i, const gradient_block &b, bool first) const;
    void add_bias(const execution &e, const item &i, const gradient_block &b, bool first) const;

    dim_t most_products() const {
        const gradient_block b = blocks_.largest();
        return b.planes * b.lines;
    }
    /// Rows of the panels from line to line of a block, and all of them.
    dim_t panel_line(const gradient_block &b) const {
        return packs_dense_ ? b.pixels : panel_line_;
    }
    dim_t panel_rows(const gradient_block &b) const { return b.planes * b.lines * panel_line(b); }

    isa target_;
    data_type type_;
    dim_t bytes_;
    gemm_kernel kernel_ {}, strided_ {};
    pack_b_function pack_b_ = nullptr;
    dot_rows_function dots_ = nullptr;
    bool swapped_ = false;      ///< the transposed operand is diff_dst
    bool flat_ = false;         ///< one tap on every pixel: all pixels are one line
    bool direct_ = false;       ///< both operands are read where they are
    bool joins_taps_ = false;   ///< direct: taps of a kernel row are rows of one product
    bool expands_ = false;      ///< all taps are rows of one product
    bool packs_dense_ = false;  ///< no gaps between lines and planes of the panels
    bool merges_lines_ = false; ///< AMX: a product takes all lines of a plane, with their gaps
    memory_desc sums_layout_;   ///< of the weights, in the user's type or in f32
    bool rounds_ = false;       ///< products of the last block are stored in the user's type
    epilogue finish_ {};        ///< which does that
    dim_t channels_ = 0;        ///< per group, of the transposed operand
    dim_t left_group_ = 0;      ///< elements from group to group
    dim_t left_stride_ = 0, right_stride_ = 0; ///< from pixel to pixel, where they are even
    window_axes left_axes_ {};
    image_view left_view_ {};
    dim_t taps_ = 0, rows_ = 0, columns_ = 0; ///< of the sums of a group
    dim_t pixels_ = 0, panel_line_ = 0, block_rows_ = 0, window_stride_ = 0;
    gradient_blocks blocks_;
    transposed_lines lines_;
    gradient_share share_ {};
    dim_t items_ = 0;
    dim_t line_bytes_ = 0, window_bytes_ = 0, panel_bytes_ = 0, panels_bytes_ = 0;
    scratch_slot<char> line_slot_, window_slot_, panel_slot_, ones_slot_;
    scratch_slot<f32> dots_slot_, sums_slot_;
    scratch_slot<const void *> rows_slot_;
    scratch_slot<dim_t> offset_slot_;
};

} // namespace dnnl::impl::cpu
