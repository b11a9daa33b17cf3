// SPDX-License-Identifier: Apache-2.0
// One in-place primitive over the caller's buffers, one after the other, and over a buffer of the
// library, with the calls for data handles, mapping and the primitive cache.
#include <algorithm>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const memory::dim ROWS = 5, COLUMNS = 37;
const float ALPHA = 1.5f;

std::vector<double> swish_of(const std::vector<float> &x) {
    std::vector<double> result;
    for (const float v : x) result.push_back(v / (1 + std::exp(-static_cast<double>(ALPHA) * v)));
    return result;
}

} // namespace

int main() {
    const int capacity = get_primitive_cache_capacity();
    set_primitive_cache_capacity(16);
    if (get_primitive_cache_capacity() != 16) return 1;

    engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const memory::desc md({ROWS, COLUMNS}, dt::f32, tag::ab);
    const auto pd = eltwise_forward::primitive_desc(
        eng, prop_kind::forward_inference, algorithm::eltwise_swish, md, md, ALPHA, 0.f);
    const auto swish = eltwise_forward(pd);
    if (md.get_size() != sizeof(float) * ROWS * COLUMNS) return 1;

    bool good = true;
    memory data(md, eng, DNNL_MEMORY_NONE);
    for (int seed = 0; seed < 3; ++seed) {
        std::vector<float> buffer = values(ROWS * COLUMNS, seed);
        const std::vector<double> expected = swish_of(buffer);
        data.set_data_handle(buffer.data());
        swish.execute(strm, {{DNNL_ARG_SRC, data}, {DNNL_ARG_DST, data}});
        strm.wait();
        good = good && data.get_data_handle() == buffer.data();
        good = agree("the caller's buffer", buffer, expected, 1e-6) && good;
    }

    memory owned(md, eng);
    const std::vector<float> source = values(ROWS * COLUMNS, 7);
    float *mapped = owned.map_data<float>();
    std::copy(source.begin(), source.end(), mapped);
    owned.unmap_data(mapped);
    swish.execute(strm, {{DNNL_ARG_SRC, owned}, {DNNL_ARG_DST, owned}});
    strm.wait();
    const float *results = static_cast<const float *>(owned.get_data_handle());
    const std::vector<float> copied(results, results + ROWS * COLUMNS);
    good = agree("the library's buffer", copied, swish_of(source), 1e-6) && good;

    set_primitive_cache_capacity(capacity);
    return good ? 0 : 1;
}
