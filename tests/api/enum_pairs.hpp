// SPDX-License-Identifier: Apache-2.0
// Pairs of a C++ and a C enumerator, compared while compiling.

#ifndef DNNL_TESTS_API_ENUM_PAIRS_HPP
#define DNNL_TESTS_API_ENUM_PAIRS_HPP

struct pair {
    long long cpp, c;
};

// Halves, so that the recursion stays within the compiler's depth.
constexpr bool equal(const pair *pairs, int count) {
    return count == 1 ? pairs->cpp == pairs->c
                      : equal(pairs, count / 2) && equal(pairs + count / 2, count - count / 2);
}

template <int Count> constexpr bool equal(const pair (&pairs)[Count]) {
    return equal(pairs, Count);
}

// Enumerator `name` of the C++ type, and of C with the prefix dnnl_ and `infix`.
#define SAME(type, infix, name)                                                                    \
    { static_cast<long long>(dnnl::type::name), dnnl_##infix##name }
// Enumerators whose names differ.
#define PAIR(type, name, c_name)                                                                   \
    { static_cast<long long>(dnnl::type::name), c_name }

#endif
