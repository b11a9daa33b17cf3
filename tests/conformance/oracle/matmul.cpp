// SPDX-License-Identifier: Apache-2.0
// Matmul: d(b,m,n) = bias(b,m,n) + sum over k of src(b,m,k) * weights(b,k,n), of a sparse operand
// over its stored elements.
#include "language/tags.hpp"
#include "language/text.hpp"
#include "language/usage_error.hpp"
#include "oracle/fill.hpp"
#include "oracle/sparse.hpp"

#include <algorithm>

namespace conformance {
namespace {

class matmul_problem : public test_problem {
  public:
    explicit matmul_problem(const test_case &c);
    dnnl::primitive_desc_base create(
        const dnnl::engine &engine, const dnnl::primitive_attr &attr) const override;
    expectation_map expected(const tensor_map &in) const override;

  private:
    void add_bias();
    void encode();
    bool is_stored(const tensor_spec &operand, const dims &position) const;
    void make_runtime(int src_mask, int weights_mask);
    interval product_sum(const tensor_map &in, const dims &position) const;
    double reduced_zero_points(const tensor_map &in, const dims &position, dim k) const;

    dims src_, weights_, dst_;
    bool has_bias_ = false, integer_ = false;
};

// The element of a batch-broadcast operand: batch indices of dst, then row and column.
dims operand_position(const dims &dst_position, const dims &shape, dim row, dim column) {
    dims position = dst_position;
    const std::size_t n = shape.size();
    for (std::size_t d = 0; d + 2 < n; ++d)
        if (shape[d] == 1) position[d] = 0;
    position[n - 2] = row;
    position[n - 1] = column;
    return position;
}

matmul_problem::matmul_problem(const test_case &c) : test_problem(c) {
    const auto shapes = split(c.bare_problem(), ':');
    if (shapes.size() != 2) throw usage_error("matmul takes exactly two tensors");
    src_ = dims_of(shapes[0], "src");
    weights_ = dims_of(shapes[1], "weights");
    if (src_.size() < 2 || src_.size() != weights_.size())
        throw usage_error("matmul tensors need the same number of dimensions, at least 2");
    const std::size_t n = src_.size();
    for (std::size_t d = 0; d + 2 < n; ++d) dst_.push_back(src_[d] == 1 ? weights_[d] : src_[d]);
    dst_.push_back(src_[n - 2]);
    dst_.push_back(weights_[n - 1]);
    auto names = split(c["dt"], ':');
    names.resize(3, names[0]);
    const data_type src_type = type_named(names[0]), weights_type = type_named(names[1]);
    integer_ = is_integer(src_type) && is_integer(weights_type);
    const auto strides = split(c["strides"], ':');
    set_strides(
        add_tensor(DNNL_ARG_SRC, "src", src_, src_type, c["stag"], role::input), strides[0]);
    tensor_spec &weights = add_tensor(DNNL_ARG_WEIGHTS, "weights", weights_, weights_type,
        c["wtag"], role::input, meaning::weights);
    weights.takes_nonfinite = true;
    set_strides(weights, strides[1]);
    set_strides(
        add_tensor(DNNL_ARG_DST, "dst", dst_, type_named(names[2]), c["dtag"], role::output),
        strides[2]);
    for (tensor_spec &t : tensors) {
        t.accumulates = true;
        t.axes = std::string(n - 2, '.') + (t.argument == DNNL_ARG_SRC          ? "m."
                                               : t.argument == DNNL_ARG_WEIGHTS ? ".n"
                                                                                : "mn");
    }
    encode();
    add_bias();
    add_attribute_tensors(DNNL_ARG_DST);
    const auto masks = split(c["runtime_dims_masks"], ':');
    make_runtime(int(integer_of(masks[0], "mask")),
        masks.size() > 1 ? int(integer_of(masks[1], "mask")) : 0);
}

void matmul_problem::add_bias() {
    const data_type type = type_named(line["bia-dt"]);
    has_bias_ = type != data_type::undef;
    if (!has_bias_) return;
    dims shape = dst_;
    const std::int64_t mask = integer_of(line["bia_mask"], "bia_mask");
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (!(mask >> d & 1)) shape[d] = 1;
    add_tensor(DNNL_ARG_BIAS, "bias", shape, type, "abx", role::input, meaning::bias);
    tensors.back().accumulates = true;
    tensors.back().axes = spec(DNNL_ARG_DST).axes;
}

void matmul_problem::encode() {
    const auto encodings = split(line["encoding"], ':');
    for (std::size_t i = 0; i < 3; ++i) {
        const encoding_knob knob = encoding_of(encodings[i]);
        if (knob.encoding != memory::sparse_encoding::undef)
            make_sparse(tensors[i], knob, hash_of(line.line()));
    }
}

bool matmul_problem::is_stored(const tensor_spec &operand, const dims &position) const {
    if (!operand.is_sparse) return true;
    return operand.stored[std::size_t(position[0] * operand.shape[1] + position[1])] != 0;
}

void matmul_problem::make_runtime(int src_mask, int weights_mask) {
    if (src_mask == 0 && weights_mask == 0) return;
    const int n = int(src_.size());
    const int batch = (1 << (n - 2)) - 1;
    const int dst_mask = ((src_mask | weights_mask) & batch) | (src_mask & 1 << (n - 2)) |
                         (weights_mask & 1 << (n - 1));
    for (tensor_spec &t : tensors) {
        const bool is_main = t.argument == DNNL_ARG_SRC || t.argument == DNNL_ARG_WEIGHTS ||
                             t.argument == DNNL_ARG_DST || t.argument == DNNL_ARG_BIAS ||
                             t.argument == DNNL_ARG_ATTR_DROPOUT_MASK;
        if (!is_main) continue;
        const int mask = t.argument == DNNL_ARG_SRC       ? src_mask
                         : t.argument == DNNL_ARG_WEIGHTS ? weights_mask
                                                          : dst_mask;
        const std::string tag = t.argument == DNNL_ARG_SRC       ? line["stag"]
                                : t.argument == DNNL_ARG_WEIGHTS ? line["wtag"]
                                : t.argument == DNNL_ARG_DST     ? line["dtag"]
                                : t.argument == DNNL_ARG_ATTR_DROPOUT_MASK
                                    ? dropout_of(line["attr-dropout"]).tag
                                    : "abx";
        dims shape = t.shape;
        for (std::size_t d = 0; d < shape.size(); ++d)
            if ((mask >> d & 1) && (t.argument != DNNL_ARG_BIAS || shape[d] != 1))
                shape[d] = DNNL_RUNTIME_DIM_VAL;
        t.concrete = t.requested;
        if (tag == "any") throw skipped_case("Invalid case: run-time dimensions need a layout");
        t.requested = desc_with_tag(shape, t.type, tag);
    }
}

dnnl::primitive_desc_base matmul_problem::create(
    const dnnl::engine &engine, const dnnl::primitive_attr &attr) const {
    if (!has_bias_)
        return dnnl::matmul::primitive_desc(
            engine, desc(DNNL_ARG_SRC), desc(DNNL_ARG_WEIGHTS), desc(DNNL_ARG_DST), attr);
    return dnnl::matmul::primitive_desc(engine, desc(DNNL_ARG_SRC), desc(DNNL_ARG_WEIGHTS),
        desc(DNNL_ARG_BIAS), desc(DNNL_ARG_DST), attr);
}

// The given sum of the group of src that begins with k, times the zero point of the weights, which
// is one for the group: the library takes no shorter groups of zero points.
double matmul_problem::reduced_zero_points(
    const tensor_map &in, const dims &position, dim k) const {
    const quantized qs(*this, in, DNNL_ARG_SRC), qw(*this, in, DNNL_ARG_WEIGHTS);
    const dims a = operand_position(position, src_, position[src_.size() - 2], k);
    const dims b = operand_position(position, weights_, k, position[src_.size() - 1]);
    return qs.reduction(a) * qw.zero_point(b);
}

interval matmul_problem::product_sum(const tensor_map &in, const dims &position) const {
    const tensor &src = in.at(DNNL_ARG_SRC), &weights = in.at(DNNL_ARG_WEIGHTS);
    const quantized qs(*this, in, DNNL_ARG_SRC), qw(*this, in, DNNL_ARG_WEIGHTS);
    const std::size_t n = src_.size();
    const bool scale_each = qs.scale_varies_along(int(n) - 1) ||
                            qw.scale_varies_along(int(n) - 2) ||
                            (!integer_ && (qs.has_scale() || qw.has_scale()));
    const tensor_spec &src_spec = spec(DNNL_ARG_SRC), &weights_spec = spec(DNNL_ARG_WEIGHTS);
    accumulator sum;
    for (dim k = 0; k < src_[n - 1]; ++k) {
        const dims a = operand_position(position, src_, position[n - 2], k);
        const dims b = operand_position(position, weights_, k, position[n - 1]);
        if (!is_stored(src_spec, a) || !is_stored(weights_spec, b)) continue;
        // Where sums of src are given, the zero point of the weights is taken off with them.
        const double zw = qw.zero_point(b), zs = qs.zero_point(a);
        double product = (src.at(a) - zs) * (qs.reduced() ? weights.at(b) : weights.at(b) - zw);
        if (qs.reduced()) {
            product += zs * zw;
            if (k % qs.reduced() == 0) product -= reduced_zero_points(in, position, k);
        }
        if (scale_each) product *= qs.scale(a) * qw.scale(b);
        sum.add(product);
    }
    if (scale_each) return widened(sum.in_f32(), sum.is_exact() ? 0 : 4 * u32 * sum.magnitude());
    interval x = integer_ ? sum.in_s32() : sum.in_f32();
    const dims a = operand_position(position, src_, position[n - 2], 0);
    const dims b = operand_position(position, weights_, 0, position[n - 1]);
    if (!qs.has_scale() || !qw.has_scale())
        return qs.has_scale()   ? multiply(x, qs.scale(a))
               : qw.has_scale() ? multiply(x, qw.scale(b))
                                : x;
    // Scaled by one after the other, or by their product.
    return united(multiply(multiply(x, qs.scale(a)), qw.scale(b)),
        multiply(x, multiply(interval(qs.scale(a)), qw.scale(b))));
}

expectation_map matmul_problem::expected(const tensor_map &in) const {
    expectation_map result;
    auto &dst = result[DNNL_ARG_DST];
    if (product(dst_) == 0) return result;
    const epilogue last(*this, in, DNNL_ARG_DST);
    const bool drops = dropout_of(line["attr-dropout"]).on;
    std::vector<interval> mask;
    dims position(dst_.size(), 0);
    do {
        interval x = product_sum(in, position);
        if (has_bias_) x = add(x, in.at(DNNL_ARG_BIAS).at(position));
        if (drops) {
            mask.emplace_back();
            x = last.drop_out(x, position, mask.back());
        }
        dst.push_back(last.finish(x, position));
    } while (next_position(position, dst_));
    if (drops && dropout_of(line["attr-dropout"]).has_mask())
        result[DNNL_ARG_ATTR_DROPOUT_MASK] = mask;
    if (const dynamic_scales computed(*this); computed)
        result[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = computed.apply(dst);
    return result;
}

} // namespace

std::unique_ptr<test_problem> make_matmul(const test_case &c) {
    return std::make_unique<matmul_problem>(c);
}

} // namespace conformance
