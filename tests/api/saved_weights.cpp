// SPDX-License-Identifier: Apache-2.0
// Packed weights that are saved and loaded: the product has the same bits; bytes that are cut,
// changed or of other weights are refused, and nothing is read beyond them.
#include <cstdio>
#include <cstring>
#include <memory>

#include "checks.hpp"
#include "dnnl_ext.hpp"

using namespace dnnl;
using dt = memory::data_type;
using tag = memory::format_tag;

namespace {

const engine cpu(engine::kind::cpu, 0);
const memory::dim m = 5, k = 37, n = 21;

matmul::primitive_desc product_of(dt src, dt weights, dt dst) {
    return matmul::primitive_desc(cpu, memory::desc({m, k}, src, tag::ab),
        memory::desc({k, n}, weights, tag::any), memory::desc({m, n}, dst, tag::ab));
}

memory filled(const memory::desc &md) {
    memory made(md, cpu);
    uint8_t *const bytes = static_cast<uint8_t *>(made.get_data_handle());
    for (size_t i = 0; i < md.get_size(); ++i)
        bytes[i] = md.get_data_type() == dt::f32 && i % 4 == 3 ? 0x3f : uint8_t(i * 37);
    return made;
}

memory packed(const matmul::primitive_desc &pd) {
    memory plain = filled(memory::desc({k, n}, pd.weights_desc().get_data_type(), tag::ab));
    memory to(pd.weights_desc(), cpu);
    stream s(cpu);
    reorder(plain, to).execute(s, plain, to);
    s.wait();
    return to;
}

std::vector<uint8_t> run(const matmul::primitive_desc &pd, const memory &weights) {
    const memory dst(pd.dst_desc(), cpu);
    stream s(cpu);
    matmul(pd).execute(s,
        {{DNNL_ARG_SRC, filled(pd.src_desc())}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
    s.wait();
    const uint8_t *const bytes = static_cast<const uint8_t *>(dst.get_data_handle());
    return std::vector<uint8_t>(bytes, bytes + pd.dst_desc().get_size());
}

/// load_weights() refuses the bytes; they lie in a block of their own, so that a sanitizer sees
/// reads beyond them.
bool refused(const std::vector<uint8_t> &bytes, const memory::desc &wanted) {
    std::unique_ptr<uint8_t[]> alone(new uint8_t[bytes.size()]);
    if (!bytes.empty()) std::memcpy(alone.get(), bytes.data(), bytes.size());
    try {
        ext::load_weights(alone.get(), bytes.size(), wanted, cpu);
    } catch (const error &e) {
        return e.status == dnnl_invalid_arguments &&
               std::strstr(e.what(), "load_weights") != nullptr;
    }
    return false;
}

void saved_and_loaded(const matmul::primitive_desc &pd) {
    const memory weights = packed(pd);
    const std::vector<uint8_t> saved = ext::save_weights(weights);
    const memory loaded = ext::load_weights(saved, pd.weights_desc(), cpu);
    check(loaded.get_desc() == pd.weights_desc(), "the layout");
    check(run(pd, loaded) == run(pd, weights), "the bits of a product");
}

void damaged(const matmul::primitive_desc &pd) {
    const memory::desc wanted = pd.weights_desc();
    const std::vector<uint8_t> saved = ext::save_weights(packed(pd));
    for (size_t count = 0; count < saved.size(); count += count < 600 ? 1 : 97)
        check(refused(std::vector<uint8_t>(saved.begin(), saved.begin() + std::ptrdiff_t(count)),
                  wanted),
            "cut bytes are refused");
    std::vector<uint8_t> changed = saved;
    changed.push_back(0);
    check(refused(changed, wanted), "a byte more is refused");
    for (size_t i = 0; i < saved.size(); i += i < 600 ? 1 : 101) {
        changed = saved;
        changed[i] ^= uint8_t(1 << i % 8);
        check(refused(changed, wanted), "a changed bit is refused");
    }
    for (size_t i = 0; i < sizeof(uint64_t) * 5; i += sizeof(uint64_t)) { // lengths without end
        changed = saved;
        std::memset(&changed[i], 0xff, sizeof(uint64_t));
        check(refused(changed, wanted), "a header of ones is refused");
    }
    check(refused(saved, memory::desc({k, n}, wanted.get_data_type(), tag::ba)), "another layout");
    check(
        refused(saved, memory::desc({k, n + 1}, wanted.get_data_type(), tag::ab)), "other extents");
}

} // namespace

int main() {
    saved_and_loaded(product_of(dt::f32, dt::f32, dt::f32));
    saved_and_loaded(product_of(dt::bf16, dt::bf16, dt::f32));
    saved_and_loaded(product_of(dt::u8, dt::s8, dt::s32));
    damaged(product_of(dt::f32, dt::f32, dt::f32));
    damaged(product_of(dt::u8, dt::s8, dt::s32));
    check(throws(dnnl_invalid_arguments, [] { ext::save_weights(memory()); }), "an empty memory");
    check(throws(dnnl_invalid_arguments,
              [] {
                  ext::save_weights(
                      memory(memory::desc({2, 2}, dt::f32, tag::ab), cpu, DNNL_MEMORY_NONE));
              }),
        "a memory without a buffer");
    check(throws(dnnl_invalid_arguments,
              [] {
                  ext::save_weights(memory(memory::desc({0, 2}, dt::f32, tag::ab), cpu));
              }),
        "weights without elements");
    std::printf("%d failures\n", failures);
    return failures != 0;
}
