// SPDX-License-Identifier: Apache-2.0
// Every row of matmul on random problems: types, shapes, layouts, scales and zero points of any
// mask and group, which the case language cannot all express. Integer rows give the bits of the
// reference; floats are filled so that every sum is exact. The first row is never the reference.
#include "dnnl/dnnl.hpp"

#include <cstring>
#include <random>
#include <sstream>
#include <unordered_map>
#include <vector>

#include <boost/test/unit_test.hpp>

using dnnl::memory;
using dnnl::primitive_attr;
using type = memory::data_type;

namespace {

const dnnl::engine &cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

class numbers {
  public:
    explicit numbers(unsigned seed) : engine_(seed) {}
    int between(int low, int high) {
        return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
    }
    bool coin() { return engine_() & 1; }
    template <class T> T one_of(std::initializer_list<T> list) {
        return list.begin()[between(0, static_cast<int>(list.size()) - 1)];
    }

  private:
    std::mt19937 engine_;
};

bool is_int8(type t) { return t == type::s8 || t == type::u8; }
bool is_int4(type t) { return t == type::s4 || t == type::u4; }
bool is_integer(type t) { return is_int8(t) || is_int4(t) || t == type::s32; }

/// f32 values of which every type of the test holds each.
float value_for(type t, numbers &random) {
    if (t == type::e8m0) return random.one_of({0.5f, 1.0f, 2.0f});
    if (t == type::u8 || t == type::u4) return static_cast<float>(random.between(0, 7));
    return static_cast<float>(random.between(-7, 7));
}

/// A memory of `md` with such values; scales are powers of two unless any real will do.
memory filled(const memory::desc &md, numbers &random, bool scales, bool reals) {
    memory result(md, cpu());
    if (is_int4(md.get_data_type())) {
        auto *bytes = static_cast<unsigned char *>(result.get_data_handle());
        for (std::size_t i = 0; i < md.get_size(); ++i)
            bytes[i] = static_cast<unsigned char>(random.between(0, 255));
        return result;
    }
    const memory::desc f32(md.get_dims(), type::f32, md.get_strides());
    memory values(f32, cpu());
    auto *to = static_cast<float *>(values.get_data_handle());
    for (std::size_t i = 0; i < f32.get_size() / sizeof(float); ++i) {
        to[i] = value_for(scales ? type::e8m0 : md.get_data_type(), random);
        if (scales && reals) to[i] *= static_cast<float>(random.between(60, 120)) / 77.0f;
    }
    dnnl::stream stream(cpu());
    dnnl::reorder(values, result).execute(stream, values, result);
    return result;
}

/// One random problem.
struct problem {
    memory::desc src, weights, bias, dst;
    primitive_attr attr;
    std::unordered_map<int, memory> arguments;
    std::ostringstream text;
};

memory::desc random_layout(const memory::dims &dims, type t, numbers &random, std::ostream &text) {
    memory::dims strides(dims.size());
    std::vector<std::size_t> order(dims.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (random.coin()) std::swap(order[order.size() - 1], order[order.size() - 2]);
    if (order.size() > 2 && random.coin()) std::swap(order[0], order[1]);
    memory::dim stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride *= std::max<memory::dim>(dims[order[i]], 1);
        if (is_int4(t)) stride += stride % 2; // rows begin with a byte
    }
    for (std::size_t d = 0; d < dims.size(); ++d) text << (d ? "x" : " ") << dims[d];
    for (std::size_t d = 0; d < dims.size(); ++d) text << (d ? "," : "/") << strides[d];
    return {dims, t, strides};
}

memory::dim random_divisor(memory::dim n, numbers &random) {
    std::vector<memory::dim> all;
    for (memory::dim d = 1; d <= n; ++d)
        if (n % d == 0) all.push_back(d);
    return all[static_cast<std::size_t>(random.between(0, static_cast<int>(all.size()) - 1))];
}

/// Sets scales or zero points of one argument and makes their values.
void quantise(problem &p, int arg, bool scales, numbers &random) {
    const memory::desc &md = arg == DNNL_ARG_SRC ? p.src : p.weights;
    const memory::dims dims = md.get_dims();
    const int ndims = static_cast<int>(dims.size());
    const int mask = random.between(0, (1 << ndims) - 1);
    memory::dims groups, extents;
    if (mask != 0 && random.coin()) groups = {1, 1};
    for (int d = 0; d < ndims; ++d) {
        memory::dim group = 1;
        const auto at = static_cast<std::size_t>(d);
        if (!groups.empty() && d >= ndims - 2 && mask >> d & 1)
            group = groups[at + 2 - dims.size()] = random_divisor(dims[at], random);
        if (mask >> d & 1) extents.push_back(dims[at] / group);
    }
    if (extents.empty()) extents.push_back(1);
    const bool integer = is_int8(p.src.get_data_type());
    // One value for a tensor has none of the smallest types.
    const bool one = mask == 0;
    type t = random.one_of({type::f32, type::f32, type::bf16, type::f16, type::e8m0});
    if (scales && one && t == type::e8m0) t = type::f32;
    if (!scales) t = random.one_of({type::s32, type::s8, type::u8, type::s4, type::u4});
    if (one && (t == type::s4 || t == type::u4)) t = type::s32;
    memory::dim count = 1;
    for (memory::dim e : extents) count *= e;
    const memory::desc values({count}, t, memory::format_tag::a);
    p.text << (scales ? " scale " : " zero point ") << (arg == DNNL_ARG_SRC ? "src" : "wei")
           << " mask " << mask << " type " << static_cast<int>(t);
    for (memory::dim g : groups) p.text << " group " << g;
    if (scales)
        p.attr.set_scales(arg, mask, groups, t);
    else
        p.attr.set_zero_points(arg, mask, groups, t);
    const int kind = scales ? DNNL_ARG_ATTR_SCALES : DNNL_ARG_ATTR_ZERO_POINTS;
    p.arguments[kind | arg] = filled(values, random, scales, integer);
}

problem random_problem(numbers &random) {
    problem p;
    const bool integer = random.coin();
    const type src = integer ? random.one_of({type::s8, type::u8})
                             : random.one_of({type::f32, type::bf16, type::f16});
    type weights = random.one_of({type::s8, type::u8, type::s4, type::u4});
    if (!integer && random.coin()) weights = random.one_of({type::f32, type::bf16, type::f16});
    const bool mixed = !integer && !is_integer(weights);
    type dst = integer ? random.one_of({type::f32, type::s8, type::u8, type::s32, type::bf16})
                       : random.one_of({type::f32, src});
    if (mixed) dst = random.one_of({type::f32, type::bf16, type::f16});
    memory::dims s, w, d;
    const int batch = random.between(0, 2);
    for (int i = 0; i < batch; ++i) {
        const memory::dim n = random.between(1, 3);
        s.push_back(random.coin() ? n : 1);
        w.push_back(s.back() == n && random.coin() ? 1 : n);
        d.push_back(std::max(s.back(), w.back()));
    }
    const memory::dim M = random.one_of({1, 1, 2, 5, 6, 33, 70}),
                      K = random.one_of({1, 3, 6, 12, 20, 24, 36, 64, 96, 150});
    const memory::dim N = random.one_of({1, 4, 6, 16, 35, 64, 70});
    s.insert(s.end(), {M, K});
    w.insert(w.end(), {K, N});
    d.insert(d.end(), {M, N});
    p.text << "types " << static_cast<int>(src) << " " << static_cast<int>(weights) << " "
           << static_cast<int>(dst);
    p.src = random_layout(s, src, random, p.text);
    p.weights = random_layout(w, weights, random, p.text);
    p.dst = random_layout(d, dst, random, p.text);
    p.attr.set_fpmath_mode(dnnl::fpmath_mode::any, true);
    if (random.coin()) quantise(p, DNNL_ARG_WEIGHTS, true, random);
    if (random.coin()) quantise(p, DNNL_ARG_SRC, true, random);
    if (is_integer(weights) && random.coin()) quantise(p, DNNL_ARG_WEIGHTS, false, random);
    if (integer && random.coin()) quantise(p, DNNL_ARG_SRC, false, random);
    if (random.coin()) {
        for (memory::dim &extent : d)
            if (random.coin()) extent = 1;
        p.bias = random_layout(d, type::f32, random, p.text);
        p.arguments[DNNL_ARG_BIAS] = filled(p.bias, random, false, false);
    }
    p.arguments[DNNL_ARG_SRC] = filled(p.src, random, false, false);
    p.arguments[DNNL_ARG_WEIGHTS] = filled(p.weights, random, false, false);
    return p;
}

std::vector<char> run(const dnnl::matmul::primitive_desc &pd, const problem &p) {
    memory dst(p.dst, cpu());
    std::memset(dst.get_data_handle(), 0x5a, p.dst.get_size());
    auto arguments = p.arguments;
    arguments[DNNL_ARG_DST] = dst;
    dnnl::stream stream(cpu());
    dnnl::matmul(pd).execute(stream, arguments);
    const char *bytes = static_cast<const char *>(dst.get_data_handle());
    return {bytes, bytes + p.dst.get_size()};
}

bool has_vectors() {
    const unsigned level = dnnl_get_effective_cpu_isa();
    return (level & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2;
}

BOOST_AUTO_TEST_CASE(rows_agree) {
    int rows = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        numbers random(seed);
        const problem p = random_problem(random);
        BOOST_TEST_CONTEXT("seed " << seed << ": " << p.text.str()) {
            dnnl::matmul::primitive_desc pd =
                p.arguments.count(DNNL_ARG_BIAS)
                    ? dnnl::matmul::primitive_desc(cpu(), p.src, p.weights, p.bias, p.dst, p.attr)
                    : dnnl::matmul::primitive_desc(cpu(), p.src, p.weights, p.dst, p.attr);
            std::vector<std::string> names;
            std::vector<std::vector<char>> results;
            do {
                names.push_back(pd.impl_info_str());
                results.push_back(run(pd, p));
            } while (pd.next_impl());
            if (has_vectors()) BOOST_CHECK(names[0].find("ref") == std::string::npos);
            BOOST_CHECK(names.back().find("ref") == 0);
            for (std::size_t i = 0; i + 1 < results.size(); ++i)
                BOOST_CHECK_MESSAGE(results[i] == results.back(), names[i] << " differs");
            rows += static_cast<int>(results.size());
        }
    }
    BOOST_TEST_MESSAGE(rows << " rows ran");
}

} // namespace
