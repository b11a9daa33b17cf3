// SPDX-License-Identifier: Apache-2.0
// What the convolutions that go line by line share: they copy lines of the source in a form that
// suits their kernel, and leave sums of pixels that the epilogue finishes.
#pragma once

#include "cpu/convolution/convolution.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {

/// Null for a forward pass whose operands have types that such plans take, else the reason.
const char *line_refusal(const problem &p);

/// The type that a lane multiplies: bytes, bf16 where the level multiplies pairs, else f32.
data_type line_word_type(isa target, data_type source);

class line_convolution : public convolution_plan {
  protected:
    explicit line_convolution(const problem &p);

    /// Layouts and epilogue: weights in the layout `wanted`, activations with dense channels. On
    /// refusal why_not_ is set.
    void plan_tensors(problem &p, const memory_desc &wanted);

    /// Lines [line, line + lines) of a plane.
    struct lines_of_plane {
        dim_t mb, d, line, lines;
    };
    /// Returns block `item` of the planes' lines, of `block_lines` lines each.
    lines_of_plane cut_lines(dim_t item, dim_t block_lines) const;
    dim_t line_blocks(dim_t block_lines) const {
        return shape_.MB * to_.D * div_up(to_.H, block_lines);
    }

    /// Finishes sums of adjacent channels, pixel by pixel of a line.
    class finisher {
      public:
        /// acc: a row of sums for each pixel, of `channels` channels from `channel` on.
        finisher(const line_convolution &plan, const epilogue &finish, char *dst, const s32 *acc,
            dim_t acc_step, data_type acc_type, dim_t channel, dim_t channels);
        void begin_line(dim_t mb, dim_t d, dim_t line);
        /// `pixels` sums, of the pixels of the line from `pixel` on.
        void finish(dim_t pixel, dim_t pixels);

      private:
        const line_convolution &plan_;
        char *dst_, *line_ = nullptr;
        dim_t row_ = 0;
        epilogue_rows_args rows_ {};
        common_columns columns_;
        common_rows_function common_ = nullptr; ///< null: not one of the commonest epilogues
        bool is_ready_ = false;
    };

    epilogue_plan epilogue_;
    window_axes window_ {};

  private:
    bool flat_ = false; ///< a row of the epilogue is any pixel
    decltype(&common_rows<avx2>) common_;
    decltype(&epilogue_rows<avx2>) finish_;
};

} // namespace dnnl::impl::cpu
