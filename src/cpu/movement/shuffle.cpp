// SPDX-License-Identifier: Apache-2.0
// Shuffle as a copy: the axis becomes two dimensions, which src and dst hold in opposite orders.
#include "common/descriptors/movement.hpp"

#include "common/descriptors/problem.hpp"
#include "common/layout/data_type.hpp"
#include "cpu/cpu.hpp"
#include "cpu/layout/adapted_tensor.hpp"
#include "cpu/walk/tensor_copy.hpp"

namespace dnnl::impl::cpu {

namespace {

class vector_shuffle : public plan {
  public:
    explicit vector_shuffle(const problem &p) {
        const auto &op = std::get<shuffle_desc>(p.op);
        forward_ = is_forward(op.prop);
        const memory_desc &in = forward_ ? op.src : op.dst;
        out_ = forward_ ? op.dst : op.src;
        if (in.ndims == max_ndims)
            why_not_ = "too many dimensions";
        else if (in.block(op.axis) != 1 || out_.block(op.axis) != 1)
            why_not_ = "the axis is blocked";
        if (why_not_) return;
        const shuffle_matrix matrix = matrix_of(op);
        memory_desc from = with_split_axis(in, op.axis, matrix.rows, matrix.columns);
        memory_desc to = with_split_axis(out_, op.axis, matrix.columns, matrix.rows);
        std::swap(to.dims[op.axis], to.dims[op.axis + 1]);
        std::swap(to.padded_dims[op.axis], to.padded_dims[op.axis + 1]);
        std::swap(to.strides[op.axis], to.strides[op.axis + 1]);
        if (!out_.has_zero_dim()) why_not_ = copy_.plan(p.target, {&from, &to});
    }

    void execute(const exec_context &ctx) const override {
        void *to = ctx.data(forward_ ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC);
        copy_.run(ctx.data(forward_ ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST), to, {});
        clear_padding(out_, to);
    }

  private:
    bool forward_ = true;
    memory_desc out_;
    tensor_copy copy_;
};

bool takes(data_type type) { return is_common_or_f8(type) || type == data_type::f64; }

} // namespace

planned make_shuffle(problem &p) {
    const auto &asked = std::get<shuffle_desc>(p.op);
    if (!takes(asked.src.dtype)) return "the type of the tensors is not supported";
    if (!p.attr.has_default_values()) return "attributes are not supported";
    if (asked.src.ndims == max_ndims) return "too many dimensions";
    problem moved = p;
    default_layouts(moved);
    auto &op = std::get<shuffle_desc>(moved.op);
    const memory_desc src = op.src, dst = op.dst;
    op.src = as_moved(src);
    op.dst = as_moved(dst);
    planned made = make_walked_or_relaid(moved, try_plan<vector_shuffle>, plain_layout);
    if (!made.result) return made;
    op.src = src;
    op.dst = dst;
    p = std::move(moved);
    return made;
}

} // namespace dnnl::impl::cpu
