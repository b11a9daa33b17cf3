// SPDX-License-Identifier: Apache-2.0
#include "cpu/layout/adapted_tensor.hpp"

namespace dnnl::impl::cpu {

adapted_tensor::adapted_tensor(
    problem &p, const memory_desc &user, const memory_desc &wanted, use how)
    : user_(user), wanted_(wanted), copied_(user != wanted) {
    if (!copied_) return;
    wanted_.offset0 = 0; // the copy begins with its buffer
    if (how != use::write) {
        read_ = nested_plan(p, reorder_desc {user_, wanted_}, {});
        if (!read_) why_not_ = read_.why_not();
    }
    if (how != use::read) {
        write_ = nested_plan(p, reorder_desc {wanted_, user_}, {});
        if (!write_) why_not_ = write_.why_not();
    }
    buffer_ = p.scratchpad.reserve<char>(dim_t(wanted_.size_bytes()));
}

void adapted_tensor::run(
    const nested_plan &step, const exec_context &ctx, void *from, void *to) const {
    const auto &op = std::get<reorder_desc>(step.op());
    const bound_argument arguments[] {{DNNL_ARG_FROM, &op.src, from}, {DNNL_ARG_TO, &op.dst, to}};
    step.execute(ctx, arguments);
}

char *adapted_tensor::begin(const exec_context &ctx, int arg) const {
    if (copied_ && read_) run(read_, ctx, ctx.data(arg), ctx.scratch(buffer_));
    if (copied_) return ctx.scratch(buffer_);
    return ctx.out<char>(arg) + wanted_.offset0 * size_in_bytes(wanted_.dtype);
}

namespace {

class relaid_plan : public plan {
  public:
    relaid_plan(problem &p, planned (*row)(problem &), wanted_layout wanted) {
        op_desc op = p.op;
        primitive_attr attr = p.attr;
        const bool updates = has_sum(attr.post_ops);
        for (const tensor_argument &t : arguments_of(op)) {
            const auto use = !t.is_output ? adapted_tensor::use::read
                             : updates    ? adapted_tensor::use::update
                                          : adapted_tensor::use::write;
            adapt(p, t.arg, *t.md, wanted, use);
        }
        for_each_source(attr.post_ops, [&](memory_desc &source, int arg) {
            adapt(p, arg, source, wanted, adapted_tensor::use::read);
        });
        for (const adapted_argument &a : adapted_)
            if ((why_not_ = a.tensor.why_not())) return;
        inner_ = nested_plan(p, op, attr, row);
        why_not_ = inner_.why_not();
    }

    void execute(const exec_context &ctx) const override {
        std::vector<renamed_arguments::rename> renames;
        for (const adapted_argument &a : adapted_)
            renames.push_back({a.arg, a.arg, &a.tensor.wanted(), a.tensor.begin(ctx, a.arg)});
        inner_.execute(ctx, renamed_arguments(ctx, renames).list());
        for (const adapted_argument &a : adapted_) a.tensor.end(ctx, a.arg);
    }

  private:
    struct adapted_argument {
        int arg;
        adapted_tensor tensor;
    };
    void adapt(
        problem &p, int arg, memory_desc &md, wanted_layout wanted, adapted_tensor::use use) {
        adapted_.push_back({arg, adapted_tensor(p, md, wanted(md), use)});
        md = adapted_.back().tensor.wanted();
    }

    std::vector<adapted_argument> adapted_;
    nested_plan inner_;
};

} // namespace

memory_desc plain_layout(const memory_desc &md) {
    return make_with_strides(md.ndims, md.dims.data(), md.dtype, nullptr);
}

memory_desc with_dense_rows(const memory_desc &md, data_type type) {
    const int last = md.ndims - 1;
    const bool dense = md.is_plain() && (md.strides[last] == 1 || md.dims[last] == 1);
    if (dense && md.dtype == type) return md;
    return make_with_strides(md.ndims, md.dims.data(), type, nullptr);
}

planned make_walked_or_relaid(problem &p, planned (*row)(problem &), wanted_layout wanted) {
    problem resolved = p;
    default_layouts(resolved);
    planned made = row(resolved);
    if (const char *reason = made.why_not) {
        if (is_beside_the_problem(reason)) return reason; // whatever the layouts
        made = try_plan<relaid_plan>(resolved, row, wanted);
        if (!made.result) return reason;
    }
    p = std::move(resolved);
    return made;
}

} // namespace dnnl::impl::cpu
