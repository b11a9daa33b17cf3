// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication with dimensions or strides that are known at execution only: a plan for the
// concrete descriptors, made by the rows of the table when they differ from those of the last
// execution. Making one takes microseconds.
#include <mutex>
#include <numeric>
#include <vector>

#include "common/default_layouts.hpp"
#include "common/error.hpp"
#include "common/scratchpad.hpp"
#include "cpu/cpu.hpp"
#include "cpu/matmul.hpp"

namespace dnnl::impl::cpu {

namespace {

/// Replaces run-time dimensions by `extent`, and the strides of such tensors by dense ones.
void make_concrete(memory_desc &md, dim_t extent) {
    if (!md.has_runtime()) return;
    for (int d = 0; d < md.ndims; ++d)
        if (md.dims[d] == runtime_dim) md.dims[d] = md.padded_dims[d] = extent;
    if (md.offset0 == runtime_dim) md.offset0 = 0;
    set_dense_strides(md);
}

/// The problem with run-time dimensions of one size, which the groups of the attributes divide.
problem sample_of(const problem &p) {
    problem sample(p);
    dim_t extent = 1;
    for (const auto *params : {&p.attr.scales, &p.attr.zero_points})
        for (const quantization &q : params->entries())
            if (q.has_groups())
                for (dim_t group : q.group_dims) extent = std::lcm(extent, group);
    auto &op = std::get<matmul_desc>(sample.op);
    for (memory_desc *md : {&op.src, &op.weights, &op.bias, &op.dst}) make_concrete(*md, extent);
    for (post_op &entry : sample.attr.post_ops.entries)
        if (auto *binary = std::get_if<binary_post_op>(&entry)) make_concrete(binary->src1, extent);
    return sample;
}

/// A plan for concrete descriptors.
struct concrete_plan {
    problem resolved;
    std::vector<memory_desc> tensors; ///< of the arguments that it was made for
    std::unique_ptr<plan> steps;
};

class runtime_matmul : public plan {
  public:
    explicit runtime_matmul(const problem &p) : request_(p) {}

    void execute(const exec_context &ctx) const override {
        const auto chosen = plan_for(ctx);
        const scratchpad_lease lease(chosen->resolved.scratchpad.bytes());
        chosen->steps->execute(exec_context(ctx.arguments(), lease.data()));
    }

  private:
    std::shared_ptr<const concrete_plan> plan_for(const exec_context &ctx) const {
        std::shared_ptr<const concrete_plan> chosen;
        {
            const std::lock_guard lock(mutex_);
            chosen = last_;
        }
        if (chosen && fits(*chosen, ctx)) return chosen;
        chosen = make(ctx);
        const std::lock_guard lock(mutex_);
        last_ = chosen;
        return chosen;
    }

    static bool fits(const concrete_plan &made, const exec_context &ctx) {
        const auto arguments = ctx.arguments();
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (*arguments[i].md != made.tensors[i]) return false;
        return true;
    }

    std::shared_ptr<const concrete_plan> make(const exec_context &ctx) const;

    problem request_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const concrete_plan> last_;
};

std::shared_ptr<const concrete_plan> runtime_matmul::make(const exec_context &ctx) const {
    problem concrete(request_);
    auto &op = std::get<matmul_desc>(concrete.op);
    op.src = ctx.desc(DNNL_ARG_SRC);
    op.weights = ctx.desc(DNNL_ARG_WEIGHTS);
    op.dst = ctx.desc(DNNL_ARG_DST);
    if (!op.bias.is_zero()) op.bias = ctx.desc(DNNL_ARG_BIAS);
    int index = 0;
    for (post_op &entry : concrete.attr.post_ops.entries) {
        const int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(index++) | DNNL_ARG_SRC_1;
        if (auto *binary = std::get_if<binary_post_op>(&entry)) binary->src1 = ctx.desc(arg);
    }
    for (const implementation &row : rows(concrete.op)) {
        if (!has(request_.target, row.needs)) continue;
        problem attempt(concrete);
        attempt.target = row.needs;
        planned made = row.make_plan(attempt);
        if (!made.result) continue;
        auto result = std::make_shared<concrete_plan>();
        for (const bound_argument &a : ctx.arguments()) result->tensors.push_back(*a.md);
        result->resolved = std::move(attempt);
        result->steps = std::move(made.result);
        return result;
    }
    throw error(dnnl_unimplemented, "matmul: no implementation takes these run-time shapes");
}

} // namespace

bool has_runtime(const matmul_desc &op) {
    for (const memory_desc *md : {&op.src, &op.weights, &op.bias, &op.dst})
        if (md->has_runtime()) return true;
    return false;
}

planned make_runtime_matmul(problem &p) {
    auto &op = std::get<matmul_desc>(p.op);
    for (const memory_desc *md : {&op.src, &op.weights, &op.bias, &op.dst})
        if (!md->is_zero() && !md->is_any() && !md->is_plain())
            return "a blocked layout beside run-time dimensions";
    problem sample = sample_of(p);
    planned made = make_gemm_matmul(sample);
    if (!made.result) return made;
    const auto &chosen = std::get<matmul_desc>(sample.op);
    if (op.weights.is_any() && !op.weights.has_runtime()) op.weights = chosen.weights;
    default_layouts(p);
    return planned(std::make_unique<runtime_matmul>(p));
}

} // namespace dnnl::impl::cpu
