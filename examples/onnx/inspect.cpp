// SPDX-License-Identifier: Apache-2.0
#include "inspect.hpp"

namespace dnnl_onnx {

using dnnl::memory;

namespace {

tensor numbers_at(const network &net, const steps &program, const operand &where,
    const calibration::quantizer &by) {
    if (where.desc.is_zero()) return {};
    const extents dims = where.desc.get_dims();
    tensor to(element_type::f32, dims);
    const memory from(where.desc, net.engine(), program.address(where));
    memory result(plain_desc(dims, memory::data_type::f32), net.engine(), to.bytes());
    dnnl::primitive_attr attr;
    std::unordered_map<int, memory> args {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, result}};
    float scale = by.scale;
    std::int32_t zero = by.zero_point;
    const memory::desc one({1}, memory::data_type::f32, {1}),
        integer({1}, memory::data_type::s32, {1});
    if (scale != 1 || zero != 0) {
        attr.set_scales_mask(DNNL_ARG_FROM, 0);
        attr.set_zero_points_mask(DNNL_ARG_FROM, 0);
        args[DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM] = memory(one, net.engine(), &scale);
        args[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_FROM] = memory(integer, net.engine(), &zero);
    }
    dnnl::stream stream(net.engine());
    const dnnl::reorder::primitive_desc desc(
        net.engine(), where.desc, net.engine(), result.get_desc(), attr);
    dnnl::reorder(desc).execute(stream, args);
    stream.wait();
    return to;
}

} // namespace

tensor result_of(const network &net, const steps &program, std::size_t step) {
    const dnnl_onnx::step &s = program.list()[step];
    if (!s.written.empty())
        return numbers_at(net, program, s.arguments[s.written[0]].second, s.result_by);
    if (s.writes.empty() || !s.writes[0].second) return {};
    return numbers_at(net, program, s.writes[0].first, {});
}

tensor source_of(const network &net, const steps &program, std::size_t step) {
    for (const auto &[key, what] : program.list()[step].arguments)
        if (key == DNNL_ARG_SRC) return numbers_at(net, program, what, {});
    return {};
}

void calibrator::add(network &net, const named_tensors &given) {
    net.run(given, [&](const steps &program, std::size_t at) {
        const std::string &name = program.list()[at].source;
        if (name.empty()) return;
        const tensor source = source_of(net, program, at);
        if (source) seen_[name].add(source.data<float>(), std::size_t(source.count()));
    });
}

quantizers calibrator::result(calibration::range_rule rule) const {
    const auto grid = calibration::activation_grid::asymmetric;
    quantizers found;
    for (const auto &[name, collected] : seen_)
        found[name] = calibration::quantizer_for(
            calibration::chosen_range(collected.result(), rule, grid), grid);
    return found;
}

} // namespace dnnl_onnx
