// SPDX-License-Identifier: Apache-2.0
// The types of what interface 3.13 has beyond 3.7: C functions, constructors, members and
// enumerations whose exact form programs see when they take an address, derive a class or overload
// a function. Checked while compiling.

#include <type_traits>

#include "dnnl/dnnl.hpp"
#include "dnnl/dnnl_debug.h"
#include "dnnl/dnnl_threadpool_iface.hpp"

namespace {

using namespace dnnl;
using dt = memory::data_type;
using dim = memory::dim;
using dims = memory::dims;
using desc = memory::desc;
using md_t = const_dnnl_memory_desc_t;
using memory_t = const_dnnl_memory_t;
using type_t = dnnl_data_type_t;

// The C function has exactly this type.
#define FUNCTION(name, ...) static_assert(std::is_same<decltype(name), __VA_ARGS__>::value, #name)

FUNCTION(dnnl_memory_desc_create_with_csr_encoding,
    dnnl_status_t(dnnl_memory_desc_t *, int, const dim *, type_t, dim, type_t, type_t));
FUNCTION(dnnl_memory_desc_create_with_coo_encoding,
    dnnl_status_t(dnnl_memory_desc_t *, int, const dim *, type_t, dim, type_t));
FUNCTION(dnnl_memory_desc_create_with_packed_encoding,
    dnnl_status_t(dnnl_memory_desc_t *, int, const dim *, type_t, dim));
FUNCTION(dnnl_memory_desc_create_host_scalar, dnnl_status_t(dnnl_memory_desc_t *, type_t));
FUNCTION(dnnl_memory_desc_query_v2, dnnl_status_t(md_t, dnnl_query_t, int, void *));
FUNCTION(dnnl_memory_desc_get_size_v2, size_t(md_t, int));
FUNCTION(dnnl_memory_create_v2, dnnl_status_t(dnnl_memory_t *, md_t, dnnl_engine_t, int, void **));
FUNCTION(dnnl_memory_create_host_scalar, dnnl_status_t(dnnl_memory_t *, md_t, void *));
FUNCTION(dnnl_memory_map_data_v2, dnnl_status_t(memory_t, void **, int));
FUNCTION(dnnl_memory_unmap_data_v2, dnnl_status_t(memory_t, void *, int));
FUNCTION(dnnl_memory_get_data_handle_v2, dnnl_status_t(memory_t, void **, int));
FUNCTION(dnnl_memory_set_data_handle_v2, dnnl_status_t(dnnl_memory_t, void *, int));
FUNCTION(dnnl_memory_get_host_scalar_value, dnnl_status_t(memory_t, void *));
FUNCTION(dnnl_memory_set_host_scalar_value, dnnl_status_t(dnnl_memory_t, const void *));
FUNCTION(dnnl_primitive_attr_set_scales_v2,
    dnnl_status_t(dnnl_primitive_attr_t, int, int, int, const dim *, type_t, int));
FUNCTION(
    dnnl_primitive_attr_set_scales_v3, dnnl_status_t(dnnl_primitive_attr_t, int, int, int,
                                           const dim *, type_t, int, dnnl_quantization_mode_t));
FUNCTION(dnnl_primitive_attr_set_zero_points_v2,
    dnnl_status_t(dnnl_primitive_attr_t, int, int, int, const dim *, type_t, int));
FUNCTION(dnnl_primitive_attr_set_precomputed_reductions,
    dnnl_status_t(dnnl_primitive_attr_t, int, int, int, const dim *, type_t));
FUNCTION(dnnl_primitive_attr_get_dropout_v2,
    dnnl_status_t(const_dnnl_primitive_attr_t, md_t *, type_t *, int *, int *));
FUNCTION(dnnl_primitive_attr_set_dropout_v2,
    dnnl_status_t(dnnl_primitive_attr_t, md_t, type_t, int, int));
FUNCTION(
    dnnl_post_ops_append_binary_v2, dnnl_status_t(dnnl_post_ops_t, dnnl_alg_kind_t, md_t, md_t));
FUNCTION(dnnl_post_ops_get_params_binary_v2,
    dnnl_status_t(const_dnnl_post_ops_t, int, dnnl_alg_kind_t *, md_t *, md_t *));
FUNCTION(dnnl_sparse_encoding2str, const char *(dnnl_sparse_encoding_t));
FUNCTION(dnnl_quantization_mode2str, const char *(dnnl_quantization_mode_t));

// Selects the overload of a member with exactly this type, which must be there.
#define MEMBER(address, ...) static_assert(static_cast<__VA_ARGS__>(address) != nullptr, #address)

MEMBER(&desc::csr, desc (*)(const dims &, dt, dim, dt, dt, bool));
MEMBER(&desc::coo, desc (*)(const dims &, dt, dim, dt, bool));
MEMBER(&desc::packed, desc (*)(const dims &, dt, dim, bool));
MEMBER(&desc::host_scalar, desc (*)(dt));
MEMBER(&desc::get_num_handles, int (desc::*)() const);
MEMBER(&desc::get_nnz, dim (desc::*)() const);
MEMBER(&desc::get_sparse_encoding, memory::sparse_encoding (desc::*)() const);
MEMBER(&desc::get_data_type, dt (desc::*)(int) const);
MEMBER(&desc::get_size, size_t (desc::*)(int) const);

MEMBER(&memory::get_data_handle, void *(memory::*)(int) const);
MEMBER(&memory::set_data_handle, void (memory::*)(void *, int) const);
MEMBER(&memory::map_data<float>, float *(memory::*)(int) const);
MEMBER(&memory::unmap_data, void (memory::*)(void *, int) const);
MEMBER(&memory::get_host_scalar_value<float>, float (memory::*)() const);
MEMBER(&memory::set_host_scalar_value<float>, void (memory::*)(float) const);

MEMBER(&post_ops::append_binary, void (post_ops::*)(algorithm, const desc &));
MEMBER(&post_ops::append_binary, void (post_ops::*)(algorithm, const desc &, const desc &));
MEMBER(&post_ops::get_params_binary, void (post_ops::*)(int, algorithm &, desc &) const);
MEMBER(&post_ops::get_params_binary, void (post_ops::*)(int, algorithm &, desc &, desc &) const);

MEMBER(&primitive_attr::set_scales,
    void (primitive_attr::*)(int, int, const dims &, dt, bool, quantization_mode));
MEMBER(&primitive_attr::set_host_scale, void (primitive_attr::*)(int, dt));
MEMBER(
    &primitive_attr::set_zero_points, void (primitive_attr::*)(int, int, const dims &, dt, bool));
MEMBER(&primitive_attr::set_host_zero_point, void (primitive_attr::*)(int, dt));
MEMBER(&primitive_attr::set_precomputed_reductions,
    void (primitive_attr::*)(int, int, const dims &, dt));
MEMBER(&primitive_attr::set_dropout, void (primitive_attr::*)(const desc &));
MEMBER(&primitive_attr::set_dropout, void (primitive_attr::*)(const desc &, dt, bool, bool));
MEMBER(&primitive_attr::get_dropout, void (primitive_attr::*)(desc &) const);
MEMBER(&primitive_attr::get_dropout, void (primitive_attr::*)(desc &, dt &, bool &, bool &) const);
MEMBER(&primitive_attr::get_post_ops, post_ops (primitive_attr::*)() const);
MEMBER(&convert_to_c, dnnl_quantization_mode_t (*)(quantization_mode));

#define HOLDS(...) static_assert(std::__VA_ARGS__::value, #__VA_ARGS__)

HOLDS(is_constructible<memory, const desc &, const engine &>);
HOLDS(is_constructible<memory, const desc &, const engine &, void *>);
HOLDS(is_constructible<memory, const desc &, const engine &, std::vector<void *>>);
HOLDS(is_constructible<memory, const desc &, const float>);
HOLDS(is_constructible<memory, const desc &, const int32_t>);
HOLDS(is_same<std::underlying_type<quantization_mode>::type, int>);
HOLDS(is_same<memory::dim, dnnl_dim_t>);
HOLDS(is_same<memory::dims, std::vector<dnnl_dim_t>>);

// A thread pool of 3.13. One without wait(), as for 3.7, cannot be made.
struct pool_of_3_7 : threadpool_interop::threadpool_iface {
    int get_num_threads() const override { return 1; }
    bool get_in_parallel() const override { return false; }
    void parallel_for(int n, const std::function<void(int, int)> &fn) override {
        for (int i = 0; i < n; ++i) fn(i, n);
    }
    uint64_t get_flags() const override { return 0; }
};
struct pool : pool_of_3_7 {
    void wait() override {}
};
HOLDS(is_abstract<pool_of_3_7>);
HOLDS(is_default_constructible<pool>);
HOLDS(has_virtual_destructor<threadpool_interop::threadpool_iface>);

// Operators for an enumeration of the program, by the macro that the headers leave defined.
enum class rights : unsigned { none = 0, read = 1, write = 2 };
DNNL_DEFINE_BITMASK_OPS(rights)
static_assert((rights::read | rights::write) == static_cast<rights>(3), "or");
static_assert((~rights::read & rights::read) == rights::none, "complement");
static_assert((rights::read ^ rights::read) == rights::none, "exclusive or");

} // namespace

int main() {
    rights some = rights::none;
    some |= rights::read;
    some ^= rights::write;
    some &= rights::write;
    int calls = 0;
    pool one;
    one.parallel_for(3, [&](int, int) { ++calls; });
    one.wait();
    return some == rights::write && calls == 3 ? 0 : 1;
}
