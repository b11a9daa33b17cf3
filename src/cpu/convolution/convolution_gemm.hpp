// SPDX-License-Identifier: Apache-2.0
// Convolution on the blocked GEMM. Rows of A are windows of the image (gathered, or the image
// itself), B is the weights as panels [g][n panel][kd][kh][kw][k][n], rows of C are pixels of the
// result with dense channels. Backward data is the same product of diff_dst with the channels of
// the weights exchanged and the windows inverted; inside a deconvolution it has bias and
// attributes. With strides it is several products, which convolution_phases.cpp derives from this.
#pragma once

#include "common/plan/nested_plan.hpp"
#include "cpu/convolution/convolution_plan.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/window/spatial_gather.hpp"

namespace dnnl::impl::cpu {

/// Weights of many groups with few channels each. As panels they would be zeros for the most part:
/// they are kept dense, [g][kd][kh][kw][k][n], and a thread makes panels of the one group that it
/// works on.
class group_panels {
  public:
    group_panels() = default;
    /// weights: in the order [g][spatial][k][n]; k_dim and n_dim are 1 and 2 or 2 and 1.
    group_panels(problem &p, const memory_desc &weights, int k_dim, int n_dim, int threads);

    /// True where panels would take more than twice the memory of the weights.
    static bool suit(const memory_desc &weights, int k_dim, int n_dim);

    /// False where the weights are panels themselves.
    explicit operator bool() const { return rows_ > 0; }
    /// Elements from panel to panel.
    dim_t panel_stride() const { return panel_stride_; }

    /// The place of a thread's panels, cleared.
    char *begin(const exec_context &ctx, int thread) const;
    /// Makes the panels of group g there, as far as they are not zeros.
    void make(const char *weights, dim_t g, char *panels) const;

  private:
    data_type type_ = data_type::undef;
    dim_t rows_ = 0; ///< taps
    dim_t K_ = 0, N_ = 0;
    dim_t panel_stride_ = 0, panels_bytes_ = 0;
    scratch_slot<char> place_;
};

class gemm_convolution : public convolution_plan {
  public:
    /// One product for all pixels.
    explicit gemm_convolution(problem &p);
    void execute(const exec_context &ctx) const override;

  protected:
    struct execution {
        const exec_context &ctx;
        const char *src, *weights;
        char *dst;
        char *panels; ///< of the group that is worked on, where weights are dense
        const epilogue *finish;
        const s32 *compensation;         ///< [product][g * N + n], or null without zero points
        const double *wide_compensation; ///< instead, of a wide driver
        const char *padding;             ///< a tap of zero points per group, or null
        pending_block *pending;
    };
    /// Rows [m0, m1) of a product and columns [n0, n0 + n) of a group.
    struct block {
        dim_t product, g, m0, m1, n0, n;
    };
    /// Layouts and epilogue. by_image_rows: sums of a block wait until run_block() stores them, one
    /// row of the image after the other, so that pixels of the result need adjacent channels only.
    gemm_convolution(problem &p, bool by_image_rows);
    /// Driver, blocks and scratch, for the products of windows_.
    void plan_blocks(problem &p);

    /// For executions of several products.
    virtual void begin_products(const exec_context &, const bound_epilogue &) const {}
    virtual block block_of(dim_t item) const { return cut(0, item); }
    /// What the product of a block takes, but for gathered rows and places of the thread.
    virtual gemm_task task_of(const execution &e, const block &b) const;
    virtual void run_block(const execution &e, gemm_task t, const block &b) const;

    dim_t items_of(dim_t product) const;
    block cut(dim_t product, dim_t item) const;
    const spatial_gather &window(dim_t product) const { return windows_[product]; }

    isa target_;
    dim_t K_, N_; ///< channels per group of source and result
    data_type packed_type_;
    std::vector<spatial_gather> windows_; ///< of each product
    gemm_driver driver_;
    epilogue_plan epilogue_;
    image_view to_ {};
    dim_t MC_ = 0, column_share_ = 0;

  private:
    bool fill_padding(const exec_context &ctx) const;
    void compensate(execution &e, s32 zero_point) const;
    const s32 *multiply_padding(const execution &e) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;

    bool by_image_rows_;
    bool flat_ = false; ///< a row of the result is any pixel, else a pixel of a row of the image
    bool has_column_sums_ = false; ///< after the weights
    quantization zero_points_;     ///< of src
    group_panels panels_;
    /// For a zero point outside the range of the type of src: gathered padding cannot hold it.
    nested_plan reference_;
    dim_t group_stride_ = 0, panel_stride_ = 0;
    dim_t dst_row_bytes_ = 0;                 ///< from pixel to pixel, in flat order
    dim_t row_bytes_ = 0, rows_bytes_ = 0;    ///< of a gathered row; of a thread's rows
    dim_t accumulator_count_ = 0, items_ = 0; ///< of one thread; of all products
    scratch_slot<char> rows_, padding_;
    scratch_slot<s32> accumulators_, compensation_;
    scratch_slot<double> wide_compensation_;
    scratch_slot<pending_block> pending_;
};

/// Backward data whose phases are several products, or whose windows miss taps altogether: see
/// convolution_phases.cpp.
bool has_phases(const problem &p);
planned make_phased_convolution(problem &p);

} // namespace dnnl::impl::cpu
