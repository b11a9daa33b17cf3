// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors: an operation with all layouts and the implementation chosen. The bases of
// the nested class primitive_desc of every primitive. Specification: Primitives, Primitive
// Descriptors.

#ifndef ONEAPI_DNNL_PRIMITIVE_DESC_HPP
#define ONEAPI_DNNL_PRIMITIVE_DESC_HPP

#include "dnnl/attributes.hpp"
#include "dnnl/primitive.hpp"

namespace dnnl {

/// @cond
template <> struct handle_traits<dnnl_primitive_desc_t> {
    static dnnl_status_t destructor(dnnl_primitive_desc_t p) {
        return dnnl_primitive_desc_destroy(p);
    }
};
/// @endcond

/// What all primitive descriptors can be asked.
/// The getters that return numbers, enumerators and vectors do not throw when the operation has no
/// such parameter: they return 0 (get_axis(): -1), undef or an empty vector. The getters of memory
/// descriptors return the zero descriptor for a tensor that the operation does not have. All of
/// them throw invalid_arguments for an empty descriptor. The constructors of derived classes throw
/// invalid_arguments for a malformed operation and unimplemented for one that no implementation
/// takes; with allow_empty the descriptor is then empty instead. Vectors with fewer entries than
/// spatial dimensions, or more than 12, always throw. Specification: Primitives, Primitive
/// Descriptors.
struct primitive_desc_base : public handle<dnnl_primitive_desc_t> {
    using handle<dnnl_primitive_desc_t>::handle;

    /// An empty descriptor.
    primitive_desc_base() = default;

    /// The engine, as a handle that does not own it.
    engine get_engine() const { return query_engine(query::engine); }

    /// Name of the implementation; lives as long as the descriptor.
    const char *impl_info_str() const {
        const char *result = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_impl_info_str, 0, &result),
            "cannot query the name of the implementation");
        return result;
    }

    /// A 64-bit number, for example query::memory_consumption_s64 (bytes); 0 if there is none.
    memory::dim query_s64(query what) const { return value<memory::dim>(what, 0); }

    /// Strides of the window, one per spatial dimension.
    memory::dims get_strides() const { return spatial(query::strides); }
    /// Dilations of the window, one per spatial dimension; 0 is dense.
    memory::dims get_dilations() const { return spatial(query::dilations); }
    /// Padding before the first element, one per spatial dimension.
    memory::dims get_padding_l() const { return spatial(query::padding_l); }
    /// Padding after the last element, one per spatial dimension.
    memory::dims get_padding_r() const { return spatial(query::padding_r); }
    /// Extents of a pooling window, one per spatial dimension.
    memory::dims get_kernel() const { return spatial(query::kernel); }

    /// Epsilon of a normalization or reduction.
    float get_epsilon() const { return value<float>(query::epsilon_f32, 0.f); }
    /// Flags of a normalization.
    template <typename T = unsigned> T get_flags() const {
        return static_cast<T>(value<unsigned>(query::flags, 0u));
    }
    /// Algorithm.
    dnnl::algorithm get_algorithm() const { return algorithm_of(query::alg_kind); }
    /// Alpha of eltwise, LRN or a vanilla RNN.
    float get_alpha() const { return value<float>(query::alpha_f32, 0.f); }
    /// Beta of eltwise or LRN.
    float get_beta() const { return value<float>(query::beta_f32, 0.f); }
    /// Axis of softmax or shuffle.
    int get_axis() const { return value<int>(query::axis_s32, -1); }
    /// Window of LRN, in elements.
    memory::dim get_local_size() const { return value<memory::dim>(query::local_size_s64, 0); }
    /// k of LRN.
    float get_k() const { return value<float>(query::k_f32, 0.f); }
    /// Power p of a reduction.
    float get_p() const { return value<float>(query::p_f32, 0.f); }
    /// Factors of resampling, one per spatial dimension.
    std::vector<float> get_factors() const {
        const float *factors = value<const float *>(query::factors, nullptr);
        if (factors == nullptr) return std::vector<float>();
        return std::vector<float>(factors, factors + spatial_count());
    }
    /// Cell of an RNN.
    dnnl::algorithm get_cell_kind() const { return algorithm_of(query::cell_kind); }
    /// Direction of an RNN.
    dnnl::rnn_direction get_direction() const {
        return static_cast<dnnl::rnn_direction>(
            value<dnnl_rnn_direction_t>(query::direction, dnnl_rnn_direction_undef));
    }
    /// Activation of a vanilla RNN.
    dnnl::algorithm get_activation_kind() const { return algorithm_of(query::activation_kind); }
    /// Group size of shuffle, number of groups of group normalization.
    memory::dim get_group_size() const { return value<memory::dim>(query::group_size_s64, 0); }
    /// Propagation kind.
    dnnl::prop_kind get_prop_kind() const {
        return static_cast<dnnl::prop_kind>(
            value<dnnl_prop_kind_t>(query::prop_kind, dnnl_prop_kind_undef));
    }

    /// A copy of the descriptor of a tensor: number `idx` of the kind `what`, or for
    /// query::exec_arg_md of argument `idx` (DNNL_ARG_*).
    /// Throws invalid_arguments if `what` is not a query of a memory descriptor.
    memory::desc query_md(query what, int idx = 0) const {
        const bool is_md =
            (what >= query::src_md && what <= query::scratchpad_md) || what == query::exec_arg_md;
        if (!is_md) {
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the query is not one of a memory descriptor");
        }
        return copy(dnnl_primitive_desc_query_md(get(), convert_to_c(what), idx));
    }

    /// Descriptor of source number `idx`.
    memory::desc src_desc(int idx) const { return query_md(query::src_md, idx); }
    /// Descriptor of destination number `idx`.
    memory::desc dst_desc(int idx) const { return query_md(query::dst_md, idx); }
    /// Descriptor of weights number `idx`.
    memory::desc weights_desc(int idx) const { return query_md(query::weights_md, idx); }
    /// Descriptor of source gradient number `idx`.
    memory::desc diff_src_desc(int idx) const { return query_md(query::diff_src_md, idx); }
    /// Descriptor of destination gradient number `idx`.
    memory::desc diff_dst_desc(int idx) const { return query_md(query::diff_dst_md, idx); }
    /// Descriptor of weights gradient number `idx`.
    memory::desc diff_weights_desc(int idx) const { return query_md(query::diff_weights_md, idx); }

    /// Descriptors of the first tensor of each kind.
    memory::desc src_desc() const { return src_desc(0); }
    memory::desc dst_desc() const { return dst_desc(0); }
    memory::desc weights_desc() const { return weights_desc(0); }
    memory::desc diff_src_desc() const { return diff_src_desc(0); }
    memory::desc diff_dst_desc() const { return diff_dst_desc(0); }
    memory::desc diff_weights_desc() const { return diff_weights_desc(0); }
    /// Descriptor of the bias (DNNL_ARG_BIAS).
    memory::desc bias_desc() const { return query_md(query::exec_arg_md, DNNL_ARG_BIAS); }

    /// Descriptor of what training passes from forward to backward propagation
    /// (DNNL_ARG_WORKSPACE). Never throws.
    memory::desc workspace_desc() const {
        return copy(dnnl_primitive_desc_query_md(get(true), dnnl_query_workspace_md, 0));
    }
    /// Descriptor of the scratchpad (DNNL_ARG_SCRATCHPAD); zero unless the user provides it. Never
    /// throws.
    memory::desc scratchpad_desc() const {
        return copy(dnnl_primitive_desc_query_md(get(true), dnnl_query_scratchpad_md, 0));
    }
    /// The engine of the scratchpad. Throws unimplemented on the CPU.
    engine scratchpad_engine() const { return query_engine(query::scratchpad_engine); }

    /// A copy of the attributes.
    primitive_attr get_primitive_attr() const {
        const_dnnl_primitive_attr_t borrowed = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_get_attr(get(), &borrowed),
            "cannot query the attributes of a primitive descriptor");
        dnnl_primitive_attr_t copied = nullptr;
        error::wrap_c_api(dnnl_primitive_attr_clone(&copied, borrowed), "cannot copy attributes");
        return primitive_attr(copied);
    }

    /// Kind of the operation.
    dnnl::primitive::kind get_kind() const {
        dnnl_primitive_kind_t result = dnnl_undefined_primitive;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), dnnl_query_primitive_kind, 0, &result),
            "cannot query the kind of a primitive descriptor");
        return static_cast<dnnl::primitive::kind>(result);
    }

    /// Bytes that identify the operation, for keys of a store of cache blobs; empty on the CPU,
    /// which keeps none.
    std::vector<uint8_t> get_cache_blob_id() const {
        const memory::dim bytes = query_s64(query::cache_blob_id_size_s64);
        const uint8_t *id = value<const uint8_t *>(query::cache_blob_id, nullptr);
        if (id == nullptr) return std::vector<uint8_t>();
        return std::vector<uint8_t>(id, id + bytes);
    }

  protected:
    // Copies the C descriptor pd (null gives an empty descriptor). Throws invalid_arguments unless
    // it is of the given primitive, propagation (one of two; undef: any) and RNN cell (undef: any).
    primitive_desc_base(dnnl_primitive_desc_t pd, dnnl::primitive::kind akind,
        dnnl::prop_kind aprop_kind = dnnl::prop_kind::undef,
        dnnl::prop_kind other_prop_kind = dnnl::prop_kind::undef,
        dnnl::algorithm acell_kind = dnnl::algorithm::undef) {
        if (pd == nullptr) return;
        dnnl_primitive_desc_t copied = nullptr;
        error::wrap_c_api(
            dnnl_primitive_desc_clone(&copied, pd), "cannot copy a primitive descriptor");
        reset(copied);

        const dnnl::prop_kind actual = get_prop_kind();
        const bool prop_kind_fits =
            aprop_kind == dnnl::prop_kind::undef || actual == aprop_kind ||
            (other_prop_kind != dnnl::prop_kind::undef && actual == other_prop_kind);
        const bool cell_kind_fits =
            acell_kind == dnnl::algorithm::undef || get_cell_kind() == acell_kind;
        if (get_kind() != akind || !prop_kind_fits || !cell_kind_fits) {
            reset(nullptr);
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                "the C primitive descriptor is of another primitive, propagation or cell");
        }
    }

    // Takes ownership of what a C call created, or throws, or with allow_empty stays empty. The
    // library's reason begins with the primitive; `what` names it where there is no reason.
    void adopt(dnnl_status_t status, dnnl_primitive_desc_t pd, bool allow_empty, const char *what) {
        if (!allow_empty && status != dnnl_success)
            error::wrap_c_api(
                status, detail::last_error().empty() ? what : "no primitive descriptor");
        reset(status == dnnl_success ? pd : nullptr);
    }

    // Throws invalid_arguments unless v, which `what` calls with its primitive, has an entry for
    // each spatial dimension of md, and at most 12.
    template <typename T>
    static void require_spatial(const std::vector<T> &v, const memory::desc &md, const char *what) {
        const std::size_t spatial = static_cast<std::size_t>(std::max(md.get_ndims() - 2, 0));
        if (v.size() >= spatial && v.size() <= DNNL_MAX_NDIMS) return;
        const std::string message = what + (": " + std::to_string(v.size())) +
                                    " given, one for each of the " + std::to_string(spatial) +
                                    " spatial dimensions is needed";
        DNNL_THROW_ERROR(dnnl_invalid_arguments, message.c_str());
    }

    // The parameter `what`, or `fallback` if the operation has none.
    template <typename T> T value(query what, T fallback) const {
        T result = fallback;
        const dnnl_status_t status =
            dnnl_primitive_desc_query(get(), convert_to_c(what), 0, &result);
        return status == dnnl_success ? result : fallback;
    }

    engine query_engine(query what) const {
        dnnl_engine_t result = nullptr;
        error::wrap_c_api(dnnl_primitive_desc_query(get(), convert_to_c(what), 0, &result),
            "cannot query an engine of a primitive descriptor");
        return engine(result, true);
    }

  private:
    static memory::desc copy(const_dnnl_memory_desc_t borrowed) {
        if (borrowed == nullptr) return memory::desc();
        dnnl_memory_desc_t copied = nullptr;
        error::wrap_c_api(
            dnnl_memory_desc_clone(&copied, borrowed), "cannot copy a memory descriptor");
        return memory::desc(copied);
    }

    dnnl::algorithm algorithm_of(query what) const {
        return static_cast<dnnl::algorithm>(value<dnnl_alg_kind_t>(what, dnnl_alg_kind_undef));
    }

    // Number of spatial dimensions, from dst or else diff_dst.
    int spatial_count() const {
        const memory::desc dst = dst_desc(0);
        const int ndims = dst.is_zero() ? diff_dst_desc(0).get_ndims() : dst.get_ndims();
        return std::max(ndims - 2, 0);
    }

    memory::dims spatial(query what) const {
        const dnnl_dims_t *values = value<const dnnl_dims_t *>(what, nullptr);
        if (values == nullptr) return memory::dims();
        return memory::dims(*values, *values + spatial_count());
    }
};

/// A primitive descriptor that can move on to other implementations.
/// Specification: Primitives, Primitive Descriptors.
struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;

    /// An empty descriptor.
    primitive_desc() = default;

    /// Replaces the implementation by the next one that takes the operation. Returns false, and
    /// changes nothing, if there is none. Other copies of this descriptor change with it.
    bool next_impl() {
        const dnnl_status_t status = dnnl_primitive_desc_next_impl(get());
        if (status == dnnl_last_impl_reached) return false;
        error::wrap_c_api(status, "cannot move to the next implementation");
        return true;
    }
};

inline primitive::primitive(const primitive_desc_base &pd) : primitive(pd.get()) {}
inline primitive::primitive(const primitive_desc &pd) : primitive(pd.get()) {}
inline primitive::primitive(const primitive_desc_base &pd, const std::vector<uint8_t> &cache_blob)
    : primitive(pd.get(), cache_blob) {}
inline primitive::primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob)
    : primitive(pd.get(), cache_blob) {}

} // namespace dnnl

#endif
