// SPDX-License-Identifier: Apache-2.0
// Attention against its formula in double, in every row that takes a problem; the same bits on one
// thread and on three; and what is refused.
#include <cmath>
#include <limits>
#include <string>

#include "checks.hpp"
#include "dnnl_ext.hpp"
#include "plain_values.hpp"

using namespace dnnl;
using dt = memory::data_type;
using dim = memory::dim;
using dims = memory::dims;

namespace {

const engine cpu(engine::kind::cpu, 0);
const float infinity = std::numeric_limits<float>::infinity();

struct problem {
    std::string name;
    dims batch, shared; ///< dimensions of queries, and of keys and values
    dim M, N, K, E;
    dt type, dst_type;
    dims mask_batch; ///< empty: no mask, or one of a problem without a batch
    dim mask_rows;   ///< 0: no mask
    dt mask_type;
    bool causal, apart; ///< apart: heads lie between rows and columns, as a network has them

    dt keys_type() const { return type == dt::u8 ? dt::s8 : type; }
    bool integers() const { return type == dt::u8 || type == dt::s8; }
};

/// batch x rows x columns; `apart` exchanges the last dimension of the batch with the rows.
memory::desc desc_of(const dims &batch, dim rows, dim columns, dt type, bool apart) {
    dims all = batch, strides(batch.size() + 2);
    all.push_back(rows);
    all.push_back(columns);
    std::vector<size_t> order;
    for (size_t d = 0; d < all.size(); ++d) order.push_back(d);
    if (apart) std::swap(order[batch.size() - 1], order[batch.size()]);
    dim stride = apart ? 3 : 1; // and neighbours do not touch
    for (size_t i = order.size(); i-- > 0; stride *= std::max<dim>(all[order[i]], 1))
        strides[order[i]] = stride;
    if (apart) strides.back() = 1;
    return memory::desc(all, type, strides);
}

/// Numbers in -1 ... 1, in some masks -infinity; bytes from -127 or 0 on.
memory filled(const memory::desc &md, unsigned seed, bool masks = false) {
    const bool bytes = md.get_data_type() == dt::u8 || md.get_data_type() == dt::s8;
    std::vector<float> values(count_of(md));
    for (float &value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = float(seed >> 8) / float(1 << 23) - 1;
        if (md.get_data_type() == dt::u8) value = std::fabs(value);
        if (bytes) value = std::nearbyint(value * 127);
        if (masks && (seed >> 13) % 5 == 0) value = -infinity;
    }
    return made_of(values, md, cpu);
}

const float query_scale = 1.f / 64, key_scale = 1.f / 100, value_scale = 1.f / 50;

struct tensors {
    memory::desc dst;
    memory queries, keys, values, mask;
    float scale;
    explicit tensors(const problem &p)
        : dst(desc_of(p.batch, p.M, p.E, p.dst_type, p.apart)),
          queries(filled(desc_of(p.batch, p.M, p.K, p.type, p.apart), 1)),
          keys(filled(desc_of(p.shared, p.N, p.K, p.keys_type(), p.apart), 2)),
          values(filled(desc_of(p.shared, p.N, p.E, p.keys_type(), p.apart), 3)),
          scale(4 / std::sqrt(float(p.K))) {
        if (p.mask_rows)
            mask = filled(desc_of(p.mask_batch, p.mask_rows, p.N, p.mask_type, false), 4, true);
    }
    memory::desc mask_desc() const { return mask ? mask.get_desc() : memory::desc(); }
};

/// The matrix of a tensor with these dimensions of the batch for number `batch` of p.batch.
size_t matrix_of(const problem &p, const dims &own, dim batch) {
    dim index = 0, step = 1;
    for (size_t d = p.batch.size(); d-- > 0;) {
        index += batch % p.batch[d] / (p.batch[d] / own[d]) * step;
        step *= own[d];
        batch /= p.batch[d];
    }
    return size_t(index);
}

std::vector<double> expected_of(const problem &p, const tensors &t) {
    const std::vector<float> q = values_of(t.queries), k = values_of(t.keys),
                             v = values_of(t.values),
                             mask = t.mask ? values_of(t.mask) : std::vector<float>();
    const double scale = t.scale * (p.integers() ? double(query_scale) * key_scale : 1);
    dim batches = 1;
    for (const dim extent : p.batch) batches *= extent;
    std::vector<double> all, scores(size_t(p.N));
    for (dim b = 0; b < batches; ++b)
        for (dim m = 0; m < p.M; ++m) {
            const size_t shared = matrix_of(p, p.shared, b);
            double largest = -infinity, sum = 0;
            for (dim n = 0; n < p.N; ++n) {
                double s = 0;
                for (dim i = 0; i < p.K; ++i)
                    s += double(q[size_t((b * p.M + m) * p.K + i)]) *
                         k[(shared * size_t(p.N) + size_t(n)) * size_t(p.K) + size_t(i)];
                s *= scale;
                if (p.mask_rows) {
                    const size_t row = matrix_of(p, p.mask_batch, b) * size_t(p.mask_rows) +
                                       size_t(p.mask_rows > 1 ? m : 0);
                    s += mask[row * size_t(p.N) + size_t(n)];
                }
                if (p.causal && n > m + p.N - p.M) s = -infinity;
                largest = std::fmax(largest, s);
                scores[size_t(n)] = s;
            }
            for (double &s : scores) s = largest == -infinity ? 0 : std::exp(s - largest);
            if (p.integers())
                for (double &s : scores) s = std::nearbyint(255 * s);
            for (const double s : scores) sum += s;
            for (dim e = 0; e < p.E; ++e) {
                double result = 0;
                for (dim n = 0; n < p.N; ++n)
                    result += scores[size_t(n)] *
                              v[(shared * size_t(p.N) + size_t(n)) * size_t(p.E) + size_t(e)];
                result *= p.integers() ? double(value_scale) : 1;
                all.push_back(sum == 0 ? 0 : result / sum);
            }
        }
    return all;
}

std::vector<float> run(
    const ext::attention::primitive_desc &pd, const problem &p, const tensors &t, int threads) {
    float scales[] = {100, query_scale, key_scale, value_scale};
    std::unordered_map<int, memory> args;
    args[DNNL_ARG_QUERIES] = t.queries;
    args[DNNL_ARG_KEYS] = t.keys;
    args[DNNL_ARG_VALUES] = t.values;
    if (t.mask) args[DNNL_ARG_ATTN_MASK] = t.mask;
    const memory dst(t.dst, cpu);
    args[DNNL_ARG_DST] = dst;
    if (p.integers()) {
        // Each scale lies behind another number, as the descriptor of its memory says.
        const memory::desc all({4}, dt::f32, dims {1});
        for (int i = 0; i < 3; ++i)
            args[DNNL_ARG_ATTR_SCALES | (DNNL_ARG_QUERIES + i)] =
                memory(all.submemory_desc({1}, {i + 1}), cpu, scales);
    }
    stream s(cpu);
    if (threads) ext::set_threads(s, threads);
    ext::attention(pd).execute(s, args);
    s.wait();
    return values_of(dst);
}

ext::attention::primitive_desc prepared(const problem &p, const tensors &t) {
    primitive_attr attr;
    if (p.integers())
        for (int i = 0; i < 3; ++i) attr.set_scales_mask(DNNL_ARG_QUERIES + i, 0);
    return ext::attention::primitive_desc(cpu, t.queries.get_desc(), t.keys.get_desc(),
        t.values.get_desc(), t.mask_desc(), t.dst, t.scale, p.causal, attr);
}

int rows = 0;

void same(const problem &p) {
    const tensors t(p);
    const std::vector<double> expected = expected_of(p, t);
    ext::attention::primitive_desc pd = prepared(p, t);
    check(pd.get_kind() == primitive::kind(dnnl_ext_attention), "the kind is attention");
    check(pd.dst_desc() == t.dst && pd.mask_desc() == t.mask_desc(), "descriptors are known");
    // Results are rounded to the type of dst. Weights of bytes are rounded to 1 / 255 of the
    // largest one so far, which in the first of several blocks of keys need not be that of the row.
    const bool low = p.type == dt::bf16 || p.dst_type == dt::bf16;
    const double bound = p.integers()        ? (p.N > 256 ? 6e-2 : 1e-2) + (low ? 1e-2 : 0)
                         : low               ? 1e-2
                         : p.type == dt::f16 ? 2e-3
                                             : 2e-6;
    do {
        ++rows;
        const std::vector<float> found = run(pd, p, t, 0);
        double error = found.size() == expected.size() ? 0 : 1e9, largest = 0;
        for (size_t i = 0; i < expected.size(); ++i) {
            error = std::fmax(error, std::fabs(found[i] - expected[i]));
            if (!(std::fabs(found[i]) < infinity)) error = 1e9; // also for NaN
            largest = std::fmax(largest, std::fabs(expected[i]));
        }
        const std::string what = p.name + ", " + pd.impl_info_str();
        check(error <= bound && largest > .01, (what + ", error " + std::to_string(error)).c_str());
#if DNNL_CPU_THREADING_RUNTIME != DNNL_RUNTIME_THREADPOOL
        const std::vector<float> one = run(pd, p, t, 1), three = run(pd, p, t, 3);
        check(one == found && three == found, (what + ", bits on other threads").c_str());
#endif
    } while (pd.next_impl());
}

void all_of(dt type, dt dst) {
    const dt mask = type == dt::bf16 || type == dt::f16 ? type : dt::f32;
    same({"one head", {}, {}, 7, 9, 5, 6, type, dst, {}, 0, mask, false, false});
    same({"heads", {2, 3}, {2, 3}, 70, 130, 64, 64, type, dst, {}, 0, mask, false, false});
    same({"long", {2}, {2}, 5, 700, 32, 80, type, dst, {1}, 1, mask, false, false});
    same({"wide", {1}, {1}, 9, 300, 200, 17, type, dst, {}, 0, mask, false, false});
    same({"apart", {2, 4}, {2, 4}, 20, 33, 16, 16, type, dst, {2, 1}, 20, mask, false, true});
    same({"shared", {2, 6}, {2, 2}, 9, 40, 24, 8, type, dst, {1, 6}, 9, mask, false, true});
    same({"causal", {3}, {3}, 150, 150, 32, 32, type, dst, {}, 0, mask, true, false});
    same({"later rows", {1, 4}, {1, 2}, 30, 290, 32, 32, type, dst, {1, 1}, 1, mask, true, false});
    same({"more rows than keys", {2}, {2}, 40, 20, 8, 8, type, dst, {}, 0, mask, true, false});
    same({"a row", {2, 4}, {2, 2}, 1, 515, 40, 24, type, dst, {2, 1}, 1, mask, false, true});
    same({"four rows", {3}, {1}, 4, 300, 64, 100, type, dst, {}, 0, mask, true, false});
}

/// A row whose keys are all masked is 0, one that holds a NaN is NaN.
void special_numbers() {
    const problem p {
        "masked", {1}, {1}, 3, 300, 8, 8, dt::f32, dt::f32, {1}, 3, dt::f32, false, false};
    tensors t(p);
    float *const mask = static_cast<float *>(t.mask.get_data_handle());
    for (int n = 0; n < 300; ++n) mask[300 + n] = -infinity;
    static_cast<float *>(t.queries.get_data_handle())[2 * 8] = NAN;
    ext::attention::primitive_desc pd = prepared(p, t);
    do {
        const std::vector<float> found = run(pd, p, t, 0);
        for (int e = 0; e < 8; ++e)
            check(found[size_t(8 + e)] == 0 && std::isnan(found[size_t(16 + e)]) &&
                      std::fabs(found[size_t(e)]) < 1,
                pd.impl_info_str());
    } while (pd.next_impl());
}

/// Queries and keys without elements give equal weights; without rows or columns nothing is done.
void empty_tensors() {
    const problem no_sums {
        "K of 0", {2}, {2}, 3, 5, 0, 4, dt::f32, dt::f32, {}, 0, dt::f32, false, false};
    tensors t(no_sums);
    t.scale = 1;
    const std::vector<float> v = values_of(t.values);
    ext::attention::primitive_desc pd = prepared(no_sums, t);
    do {
        const std::vector<float> found = run(pd, no_sums, t, 0);
        for (size_t i = 0; i < found.size(); ++i) {
            double mean = 0;
            for (size_t n = 0; n < 5; ++n) mean += v[(i / 12 * 5 + n) * 4 + i % 4] / 5.0;
            check(std::fabs(found[i] - mean) < 1e-6, "equal weights without K");
        }
    } while (pd.next_impl());
    for (const problem &p : {problem {"no batch", {0}, {0}, 3, 5, 8, 4, dt::f32, dt::f32, {1}, 3,
                                 dt::f32, false, false},
             problem {
                 "no rows", {2}, {1}, 0, 5, 8, 4, dt::f32, dt::f32, {}, 0, dt::f32, true, false},
             problem {"no columns", {2}, {2}, 3, 5, 8, 0, dt::f32, dt::f32, {}, 0, dt::f32, false,
                 false}}) {
        const tensors none(p);
        ext::attention::primitive_desc of_none = prepared(p, none);
        do check(run(of_none, p, none, 0).empty(), p.name.c_str());
        while (of_none.next_impl());
    }
}

bool refused(dnnl_status_t status, const std::vector<memory::desc> &md, unsigned flags = 0,
    const primitive_attr &attr = primitive_attr()) {
    dnnl_primitive_desc_t pd = nullptr;
    const dnnl_status_t found = dnnl_ext_attention_primitive_desc_create(&pd, cpu.get(),
        md[0].get(), md[1].get(), md[2].get(), md[3].get(), md[4].get(), 1, flags, attr.get());
    if (found == dnnl_success) dnnl_primitive_desc_destroy(pd);
    return found == status && (found == dnnl_success || dnnl_ext_last_error()[0] != '\0');
}

memory::desc md(const dims &d, dt type = dt::f32) {
    return desc_of(dims(d.begin(), d.end() - 2), d[d.size() - 2], d.back(), type, false);
}

void refusals() {
    const memory::desc none, q = md({4, 5, 8}), k = md({2, 7, 8}), v = md({2, 7, 6}),
                             dst = md({4, 5, 6}), mask = md({1, 5, 7});
    const dnnl_status_t invalid = dnnl_invalid_arguments, unimplemented = dnnl_unimplemented;
    check(refused(dnnl_success, {q, k, v, mask, dst}), "the model of what is refused");
    check(refused(invalid, {none, k, v, mask, dst}), "no queries");
    check(refused(invalid, {q, none, v, mask, dst}), "no keys");
    check(refused(invalid, {q, k, none, mask, dst}), "no values");
    check(refused(invalid, {q, k, v, mask, none}), "no dst");
    check(refused(invalid, {q, k, v, mask, dst}, 2), "an unknown flag");
    check(refused(invalid, {q, md({3, 7, 8}), v, mask, dst}), "keys that cannot be shared");
    check(refused(invalid, {q, k, md({4, 7, 6}), mask, dst}), "values of another batch");
    check(refused(invalid, {q, md({2, 7, 9}), v, mask, dst}), "another K");
    check(refused(invalid, {q, k, md({2, 8, 6}), mask, dst}), "another N");
    check(refused(invalid, {q, k, v, mask, md({4, 6, 6})}), "another M");
    check(refused(invalid, {q, k, v, mask, md({4, 5, 7})}), "other columns");
    check(refused(invalid, {q, k, v, md({2, 5, 7}), dst}), "a mask of another batch");
    check(refused(invalid, {q, k, v, md({1, 2, 7}), dst}), "a mask of other rows");
    check(refused(invalid, {q, k, v, md({1, 5, 1}), dst}), "a mask without keys");
    check(refused(invalid, {q, k, v, md({5, 7}), dst}), "a mask of another rank");
    check(refused(invalid, {q, md({2, 0, 8}), md({2, 0, 6}), none, dst}), "no keys at all");
    check(refused(unimplemented, {q, md({2, 7, 8}, dt::bf16), v, mask, dst}), "two types");
    check(refused(unimplemented, {q, k, v, mask, md({4, 5, 6}, dt::s8)}), "dst of bytes");
    check(refused(unimplemented, {q, k, v, md({1, 5, 7}, dt::s8), dst}), "a mask of bytes");
    primitive_attr scaled;
    scaled.set_scales_mask(DNNL_ARG_QUERIES, 0);
    check(refused(unimplemented, {q, k, v, mask, dst}, 0, scaled), "scales of floats");
    post_ops relu;
    relu.append_eltwise(algorithm::eltwise_relu, 0, 0);
    primitive_attr with_relu;
    with_relu.set_post_ops(relu);
    check(refused(unimplemented, {q, k, v, mask, dst}, 0, with_relu), "post-ops");
    check(refused(dnnl_success, {md({0, 5, 8}), md({0, 7, 8}), md({0, 7, 6}), none, md({0, 5, 6})}),
        "an empty batch");
}

} // namespace

int main() {
    all_of(dt::f32, dt::f32);
    all_of(dt::bf16, dt::bf16);
    all_of(dt::bf16, dt::f32);
    all_of(dt::f16, dt::f16);
    all_of(dt::u8, dt::f32);
    all_of(dt::s8, dt::bf16);
    special_numbers();
    empty_tensors();
    refusals();
    std::printf("%d rows, %d failures\n", rows, failures);
    return failures ? 1 : 0;
}
