// SPDX-License-Identifier: Apache-2.0
// Formats, conversions and products of the translator.
#include "numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nmt {

const char *name_of(number kind) {
    return kind == number::f32 ? "f32" : kind == number::bf16 ? "bf16" : "int8";
}

dt state_type(number kind) {
    return kind == number::f32 ? dt::f32 : kind == number::bf16 ? dt::bf16 : dt::u8;
}

dt weight_type(number kind) {
    return kind == number::f32 ? dt::f32 : kind == number::bf16 ? dt::bf16 : dt::s8;
}

namespace {

template <class T> memory one(const engine &cpu, dt type, T value) {
    memory of({{1}, type, tag::a}, cpu);
    *static_cast<T *>(of.get_data_handle()) = value;
    return of;
}

/// The attribute and the arguments of a tensor of states in u8.
void declare_states(const engine &cpu, int arg, dnnl::primitive_attr &attr, arguments &args) {
    attr.set_scales_mask(arg, 0);
    attr.set_zero_points_mask(arg, 0);
    args[DNNL_ARG_ATTR_SCALES | arg] = one_number(cpu, 1 / state_factor);
    args[DNNL_ARG_ATTR_ZERO_POINTS | arg] = one_number(cpu, std::int32_t(state_zero));
}

} // namespace

memory one_number(const engine &cpu, float value) { return one(cpu, dt::f32, value); }
memory one_number(const engine &cpu, std::int32_t value) { return one(cpu, dt::s32, value); }

memory::desc rows_desc(
    memory::dim rows, memory::dim columns, dt type, memory::dim stride, memory::dim first) {
    if (first == 0) return {{rows, columns}, type, memory::dims {stride, 1}};
    return memory::desc({rows, stride}, type, memory::dims {stride, 1})
        .submemory_desc({rows, columns}, {0, first});
}

void clear_states(const memory &states) {
    const bool bytes = states.get_desc().get_data_type() == dt::u8;
    std::memset(states.get_data_handle(), bytes ? state_zero : 0, states.get_desc().get_size());
}

memory packed(const engine &cpu, std::vector<float> values, const memory::desc &plain,
    const memory::desc &wanted) {
    const memory from(plain, cpu, values.data());
    memory to(wanted, cpu);
    examples::execute(dnnl::reorder(from, to), cpu, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return to;
}

std::vector<float> scales_of_columns(
    const std::vector<const std::vector<float> *> &tables, std::size_t columns) {
    std::vector<float> scales(columns);
    for (const std::vector<float> *table : tables)
        for (std::size_t i = 0; i < table->size(); ++i) {
            float &most = scales[i % columns];
            most = std::max(most, std::fabs((*table)[i]));
        }
    for (float &scale : scales) scale = scale > 0 ? scale / 127 : 1;
    return scales;
}

std::vector<float> rounded(const std::vector<float> &values, const std::vector<float> &scales) {
    std::vector<float> integers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        integers[i] = std::nearbyint(values[i] / scales[i % scales.size()]);
    return integers;
}

conversion::conversion(const engine &cpu, const memory &from, const memory &to) {
    args_ = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    const bool reads_bytes = from.get_desc().get_data_type() == dt::u8,
               writes_bytes = to.get_desc().get_data_type() == dt::u8;
    dnnl::primitive_attr attr;
    if (reads_bytes != writes_bytes)
        declare_states(cpu, reads_bytes ? DNNL_ARG_FROM : DNNL_ARG_TO, attr, args_);
    reorder_ = dnnl::reorder(
        dnnl::reorder::primitive_desc(cpu, from.get_desc(), cpu, to.get_desc(), attr));
}

product::product(const engine &cpu, number kind, const std::vector<float> &weights, memory::dim K,
    memory::dim N, memory::dim most_rows, const product_end &end, bool by_columns)
    : cpu_(cpu), kind_(kind), K_(K), N_(N), end_(end) {
    const memory::desc open({K, N}, weight_type(kind), tag::any),
        plain({K, N}, dt::f32, by_columns ? tag::ba : tag::ab);
    std::vector<float> values = weights;
    if (kind == number::int8) {
        // Scales belong to columns of K x N; a matrix by columns has its K numbers in a row.
        std::vector<float> scales(static_cast<std::size_t>(N));
        if (by_columns)
            for (std::size_t n = 0, at = 0; n < scales.size(); ++n, at += std::size_t(K)) {
                const std::vector<float> row(
                    weights.begin() + long(at), weights.begin() + long(at) + K);
                scales[n] = scales_of_columns({&row}, 1)[0];
                for (std::size_t k = 0; k < std::size_t(K); ++k)
                    values[at + k] = std::nearbyint(row[k] / scales[n]);
            }
        else
            values = rounded(weights, scales = scales_of_columns({&weights}, std::size_t(N)));
        fixed_[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] =
            packed(cpu, scales, {{N}, dt::f32, tag::a}, {{N}, dt::f32, tag::a});
    }
    const memory::desc wanted = describe(most_rows, open).weights_desc();
    fixed_[DNNL_ARG_WEIGHTS] = packed(cpu, values, plain, wanted);
    if (end.bias) {
        const memory::desc md({1, N}, dt::f32, tag::ab);
        fixed_[DNNL_ARG_BIAS] = packed(cpu, *end.bias, md, md);
    }
    if (kind == number::int8) {
        dnnl::primitive_attr unused;
        declare_states(cpu, DNNL_ARG_SRC, unused, fixed_);
        if (end.type == dt::u8) declare_states(cpu, DNNL_ARG_DST, unused, fixed_);
    }
}

dnnl::matmul::primitive_desc product::describe(
    memory::dim rows, const memory::desc &weights) const {
    dnnl::primitive_attr attr;
    arguments unused;
    if (kind_ == number::int8) {
        declare_states(cpu_, DNNL_ARG_SRC, attr, unused);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 1);
        if (end_.type == dt::u8) declare_states(cpu_, DNNL_ARG_DST, attr, unused);
    }
    if (end_.tanh) {
        dnnl::post_ops ops;
        ops.append_eltwise(dnnl::algorithm::eltwise_tanh, 0, 0);
        attr.set_post_ops(ops);
    }
    const memory::desc src({rows, K_}, state_type(kind_), tag::ab),
        dst({rows, N_}, end_.type, tag::ab), bias({1, N_}, dt::f32, tag::ab);
    if (end_.bias) return {cpu_, src, weights, bias, dst, attr};
    return {cpu_, src, weights, dst, attr};
}

void product::execute(stream &s, const memory &src, const memory &dst) {
    const memory::dim rows = src.get_desc().get_dims()[0];
    dnnl::matmul &of = of_rows_[rows];
    if (!of) of = dnnl::matmul(describe(rows, fixed_.at(DNNL_ARG_WEIGHTS).get_desc()));
    arguments args = fixed_;
    args[DNNL_ARG_SRC] = src;
    args[DNNL_ARG_DST] = dst;
    of.execute(s, args);
}

} // namespace nmt
