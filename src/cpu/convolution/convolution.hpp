// SPDX-License-Identifier: Apache-2.0
// This folder holds the drivers of convolution and deconvolution. This header has what they share,
// and convolution on the blocked GEMM.
#pragma once

#include "common/descriptors/products/shapes.hpp"
#include "cpu/gemm/gemm.hpp"
#include "cpu/gemm/zero_points.hpp"
#include "cpu/walk/ordered_sums.hpp"
#include "cpu/window/tap_rows.hpp"

namespace dnnl::impl::cpu {

/// Weights of many groups with few channels each, whose panels would be zeros for the most part, or
/// of taps that are joined across their channels, which no layout of panels has. They are kept
/// dense, [g][kd][kh][kw][k][n], and a thread makes panels of the one group that it works on.
class group_panels {
  public:
    group_panels() = default;
    /// weights: in the order [g][spatial][k][n], with or without groups; k_dim and n_dim are the
    /// two dims before the spatial ones. joined: how many neighbours of the last dim share a row.
    group_panels(
        problem &p, const memory_desc &weights, int k_dim, int n_dim, dim_t joined, int threads);

    /// True for groups whose panels would take more than twice the memory of the weights.
    static bool suit(const memory_desc &weights, int k_dim, int n_dim);

    /// False where the weights are panels themselves.
    explicit operator bool() const { return rows_ > 0; }
    /// The number of elements from panel to panel, and of those in a row of a panel.
    dim_t panel_stride() const { return panel_stride_; }
    dim_t row_stride() const { return panel_stride_ / rows_; }

    /// Returns the memory for a thread's panels.
    char *begin(const exec_context &ctx, int thread) const {
        return ctx.scratch(place_) + thread * panels_bytes_;
    }
    /// Makes the panels of group g there.
    void make(const char *weights, dim_t g, char *panels) const;

  private:
    data_type type_ = data_type::undef;
    pack_b_function pack_ = nullptr;
    dim_t rows_ = 0; ///< taps, or rows of them
    dim_t K_ = 0, N_ = 0;
    dim_t panel_stride_ = 0, panels_bytes_ = 0;
    scratch_slot<char> place_;
};

/// The types that kernels multiply for operands of these types: different floats become f32.
struct gemm_operands {
    data_type a, b;
};
gemm_operands gemm_operand_types(isa target, data_type a, data_type b);

/// The layout of weights in the order (G,) spatial, channels k_dim, channels n_dim; without column
/// sums. md has (G,) and two dims of channels before the spatial ones.
memory_desc weights_in_order(memory_desc md, bool has_groups, int k_dim, int n_dim,
    std::span<const inner_block> blocks = {});

/// Null when rows of backward weights take the types and attributes, else the reason.
const char *weights_gradient_refusal(const problem &p);

/// Adds up sums of all channels, cut into chunks of pixels, into a tensor (C) of layout md.
void store_channel_sums(const memory_desc &md, void *to, const ordered_sums<f32> &sums);

class convolution_plan : public plan {
  protected:
    explicit convolution_plan(const problem &p);

    /// The tensor of the operation that windows lie over; result() is that of their positions. For
    /// backward data they change places; backward weights reads both.
    const memory_desc &source(const convolution_desc &op) const {
        return forward_ ? op.src : op.dst;
    }
    const memory_desc &result(const convolution_desc &op) const {
        return forward_ ? op.dst : op.src;
    }
    /// Makes the plan work on the operation's tensors, whose layouts are defined, in these layouts.
    void adapt(
        problem &p, const memory_desc &src, const memory_desc &weights, const memory_desc &dst);

    /// The first elements in the wanted layouts.
    struct tensors {
        char *src, *weights, *dst;
    };
    tensors begin(const exec_context &ctx) const;
    void end(const exec_context &ctx) const {
        weights_.end(ctx, arguments_.weights);
        dst_.end(ctx, arguments_.dst);
    }

    convolution_shape shape_;
    bool forward_ = true; ///< or backward weights, whose windows are those of forward
    int threads_;
    adapted_tensor src_, weights_, dst_; ///< source, weights and result
    image_view from_ {}, to_ {};         ///< source and result as adapted

  private:
    struct arguments {
        int src, weights, dst;
    };
    arguments arguments_;
};

/// Backward weights are sums over pixels, cut into chunks by shape alone and added in order.
class weights_gradient_plan : public convolution_plan {
  protected:
    using convolution_plan::convolution_plan;
    /// Chooses the number of chunks, at most `most`, of the `parts` that pixels come in: several
    /// only where few sums make them cheap.
    void choose_chunks(dim_t sums, dim_t parts, dim_t most);
    /// Reserves the sums of the chunks after the first, and those of the bias, if there is one.
    void reserve_sums(problem &p, dim_t bias_sums);
    struct all_sums {
        ordered_sums<f32> weights, bias; ///< bias.first: null without one
    };
    all_sums sums_of(const exec_context &ctx, const tensors &first) const;
    /// Adds up and stores the sums, once each chunk has its own.
    void store(const exec_context &ctx, const all_sums &sums) const;

    memory_desc bias_;
    dim_t chunks_ = 1;

  private:
    dim_t sums_ = 0, bias_sums_ = 0; ///< of one chunk
    scratch_slot<f32> more_sums_, all_bias_sums_;
};

/// Convolution on the blocked GEMM. Rows of A are windows of the image (the image itself, listed
/// tap by tap, or gathered for kernels that take no lists), B is the weights as panels [g][n
/// panel][kd][kh][kw][k][n], rows of C are pixels of the result with dense channels. Backward data
/// is the same product of diff_dst with the channels of the weights exchanged and the windows
/// inverted; inside a deconvolution it has bias and attributes. With strides it is several
/// products, which convolution_phases.cpp derives from this.
class gemm_convolution : public convolution_plan {
  public:
    /// One product for all pixels.
    explicit gemm_convolution(problem &p);
    void execute(const exec_context &ctx) const override;

  protected:
    struct execution : tensors {
        const exec_context &ctx;
        const epilogue *finish;
        pending_block *pending;
        char *panels = nullptr; ///< of the group that is worked on, where weights are dense
        const s32 *compensation = nullptr; ///< [product][g * N + n], or null without zero points
        const double *wide_compensation = nullptr; ///< instead, of a wide driver
        const char *padding = nullptr;             ///< a tap of zero points per group, or null
    };
    /// Rows [m0, m1) of a product and columns [n0, n0 + n) of a group.
    struct block {
        dim_t product, g, m0, m1, n0, n;
    };
    /// Layouts and epilogue. by_image_rows: sums of a block wait until run_block() stores them, one
    /// row of the image after the other, so that pixels of the result need adjacent channels only.
    gemm_convolution(problem &p, bool by_image_rows);
    /// Chooses driver, blocks and scratch for the products of windows_, whose taps stand in this
    /// order. by_lines: the rows of a list belong to one line.
    void plan_blocks(problem &p, std::span<const tap_order> orders, bool by_lines = false);

    /// Called before the products of an execution that has several.
    virtual void begin_products(const exec_context &, const bound_epilogue &) const {}
    /// The task of a block, but for gathered rows and the memory of the thread.
    virtual gemm_task task_of(const execution &e, const block &b) const;
    /// The rows of a block, where they are listed.
    using row_lists = std::span<const listed_rows>;
    virtual void run_block(const execution &e, gemm_task t, const block &b, row_lists lists) const;
    /// Multiplies rows that are listed; t is the task of the first row of the block.
    void run_lists(const execution &e, const gemm_task &t, const block &b, row_lists lists) const;
    void run_list(gemm_task t, const listed_rows &list) const;
    void run_lines(const execution &e, const gemm_task &t, const block &b) const;
    /// Moves t from row 0 of the product to this one: dst and the position. Returns the row up to
    /// which the rows of the block are as far from each other.
    virtual dim_t place_rows(const execution &e, const block &b, gemm_task &t, dim_t row) const;

    /// An item has a block of every product, because products differ in the work of a block.
    block cut(dim_t product, dim_t item) const;
    const spatial_gather &window(dim_t product) const { return windows_[product]; }
    bool is_listed(dim_t product) const {
        return !lists_.empty() && lists_[product].k() > 0 && !window(product).is_direct();
    }

    dim_t K_, N_;       ///< channels per group of source and result
    int k_dim_, n_dim_; ///< the dimensions of the weights that have them
    data_type packed_type_;
    std::vector<spatial_gather> windows_; ///< of each product
    std::vector<tap_rows> lists_;         ///< of each product, unless windows are gathered
    gemm_driver driver_;
    epilogue_plan epilogue_;
    dim_t MC_ = 0, column_share_ = 0;

  private:
    /// The weights as panels, or dense where panels are made of groups.
    memory_desc packed_weights(memory_desc md) const;
    bool makes_panels(const memory_desc &weights) const {
        return (joins_taps_ && K_ % panel_k_group(packed_type_) != 0) ||
               (shape_.has_groups && group_panels::suit(weights, k_dim_, n_dim_));
    }
    void list_rows(std::span<const tap_order> orders, bool has_zero_points, bool by_lines);
    void reserve_compensation(problem &p);
    bool fill_padding(const exec_context &ctx) const;
    void compensate(execution &e, s32 zero_point) const;
    const s32 *multiply_padding(const execution &e) const;
    void multiply(const execution &e, int thread, dim_t begin, dim_t end) const;

    bool by_image_rows_;
    bool joins_taps_ = false; ///< a row of the kernel is one product
    bool flat_ = false; ///< a row of the result is any pixel, else a pixel of a row of the image
    bool has_column_sums_ = false; ///< after the weights
    quantization zero_points_;     ///< of src
    group_panels panels_;
    /// For a zero point outside the range of the type of src: gathered padding cannot hold it.
    zero_point_reference reference_;
    dim_t group_stride_ = 0, panel_stride_ = 0;
    dim_t dst_row_bytes_ = 0;              ///< from pixel to pixel
    dim_t row_bytes_ = 0, rows_bytes_ = 0; ///< of a gathered row; of a thread's rows or lists
    dim_t columns_at_once_ = 0;            ///< of a block whose rows are in several lists
    dim_t slices_ = 1;                     ///< of K in such a block
    dim_t accumulator_count_ = 0;          ///< of one thread
    dim_t row_blocks_ = 0, items_ = 0;     ///< of a product
    double item_ns_ = 0;
    scratch_slot<char> rows_, padding_;
    scratch_slot<s32> accumulators_, compensation_;
    scratch_slot<double> wide_compensation_;
    scratch_slot<pending_block> pending_;
};

/// Backward data whose phases are several products or miss taps: convolution_phases.cpp.
bool has_phases(const problem &p);
planned make_phased_convolution(problem &p);

} // namespace dnnl::impl::cpu
