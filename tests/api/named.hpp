// SPDX-License-Identifier: Apache-2.0
// Ways to name a constructor or a getter so that it must exist, have these types, and link.

#ifndef DNNL_TESTS_API_NAMED_HPP
#define DNNL_TESTS_API_NAMED_HPP

#include "dnnl/dnnl.hpp"

namespace named {

using namespace dnnl;

typedef const engine &E;
typedef const memory &M;
typedef const memory::desc &D;
typedef const memory::dims &V;
typedef const primitive_attr &A;
typedef const std::vector<float> &Floats;
typedef const std::vector<memory::desc> &Descs;
typedef memory::dim dim;
typedef memory::data_type data_type;
template <typename X> using H = const typename X::primitive_desc &;

static int failures = 0;
static int constructors = 0;

// Its address forces the constructor to exist and to link.
template <typename T, typename... Args> T *constructs(Args... args) { return new T(args...); }

template <typename Function> void keep(Function *function) {
    Function *volatile kept = function;
    if (kept == nullptr) ++failures;
    ++constructors;
}

// X::primitive_desc from these arguments; attributes and allow_empty may follow.
template <typename X, typename... Args> void descriptor() {
    typedef typename X::primitive_desc desc;
    keep(&constructs<desc, Args...>);
    keep(&constructs<desc, Args..., A>);
    keep(&constructs<desc, Args..., A, bool>);
}

template <typename T> void are() {}
template <typename T, typename First, typename... Rest>
void are(const First &, const Rest &...rest) {
    static_assert(std::is_same<T, First>::value, "the getter returns another type");
    are<T>(rest...);
}

} // namespace named

#endif
