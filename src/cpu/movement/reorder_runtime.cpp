// SPDX-License-Identifier: Apache-2.0
#include "cpu/movement/reorder_runtime.hpp"

#include "common/runtime/error.hpp"
#include "cpu/layout/concrete_plans.hpp"

namespace dnnl::impl::cpu {

namespace {

class runtime_reorder : public plan {
  public:
    explicit runtime_reorder(const problem &p) : request_(p) {}
    void execute(const exec_context &ctx) const override {
        plans_.execute(ctx, [&] { return concrete(ctx); });
    }

  private:
    problem concrete(const exec_context &ctx) const {
        problem p(request_);
        auto &op = std::get<reorder_desc>(p.op);
        op.src = ctx.desc(DNNL_ARG_FROM);
        op.dst = ctx.desc(DNNL_ARG_TO);
        require(op.src.ndims == op.dst.ndims && op.src.dims == op.dst.dims,
            "reorder: src and dst differ in dims");
        return p;
    }

    problem request_;
    concrete_plans plans_;
};

} // namespace

planned make_runtime_reorder(problem &p) { return planned(std::make_unique<runtime_reorder>(p)); }

} // namespace dnnl::impl::cpu
