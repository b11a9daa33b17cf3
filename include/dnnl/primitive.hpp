// SPDX-License-Identifier: Apache-2.0
// primitive: an operation ready to execute. Its descriptors are in primitive_desc.hpp.
// Specification: Primitives.

#ifndef ONEAPI_DNNL_PRIMITIVE_HPP
#define ONEAPI_DNNL_PRIMITIVE_HPP

#include "dnnl/dnnl.h"
#include "dnnl/enumerations.hpp"
#include "dnnl/memory.hpp"

namespace dnnl {

struct primitive_desc_base;
struct primitive_desc;

/// @cond
template <> struct handle_traits<dnnl_primitive_t> {
    static dnnl_status_t destructor(dnnl_primitive_t p) { return dnnl_primitive_destroy(p); }
};
/// @endcond

/// An operation ready to execute: immutable, reusable, usable by many threads at once. It needs
/// neither the descriptor nor the attributes that it was made from.
/// Specification: Primitives.
struct primitive : public handle<dnnl_primitive_t> {
    using handle::handle;

    /// Kinds of operations; sum, eltwise, binary, prelu and convolution (depthwise) also name
    /// post-ops.
    enum class kind {
        undef = dnnl_undefined_primitive,
        reorder = dnnl_reorder,
        shuffle = dnnl_shuffle,
        concat = dnnl_concat,
        sum = dnnl_sum,
        convolution = dnnl_convolution,
        deconvolution = dnnl_deconvolution,
        eltwise = dnnl_eltwise,
        lrn = dnnl_lrn,
        batch_normalization = dnnl_batch_normalization,
        inner_product = dnnl_inner_product,
        rnn = dnnl_rnn,
        binary = dnnl_binary,
        matmul = dnnl_matmul,
        resampling = dnnl_resampling,
        pooling = dnnl_pooling,
        reduction = dnnl_reduction,
        prelu = dnnl_prelu,
        softmax = dnnl_softmax,
        layer_normalization = dnnl_layer_normalization,
        group_normalization = dnnl_group_normalization,
    };

    /// An empty primitive.
    primitive() = default;

    /// A primitive from a C primitive descriptor, which it copies.
    /// Throws invalid_arguments for null.
    primitive(const_dnnl_primitive_desc_t c_pd) {
        dnnl_primitive_t created = nullptr;
        error::wrap_c_api(dnnl_primitive_create(&created, c_pd), "cannot create a primitive");
        reset(created);
    }

    /// A primitive from a cache blob of get_cache_blob(). Throws unimplemented on the CPU.
    primitive(const_dnnl_primitive_desc_t c_pd, const std::vector<uint8_t> &cache_blob) {
        dnnl_primitive_t created = nullptr;
        error::wrap_c_api(dnnl_primitive_create_from_cache_blob(
                              &created, c_pd, cache_blob.size(), cache_blob.data()),
            "cannot create a primitive from a cache blob");
        reset(created);
    }

    /// A primitive from its descriptor. Throws invalid_arguments if that is empty.
    primitive(const primitive_desc_base &pd);
    primitive(const primitive_desc &pd);

    /// A primitive from its descriptor and a cache blob. Throws unimplemented on the CPU.
    primitive(const primitive_desc_base &pd, const std::vector<uint8_t> &cache_blob);
    primitive(const primitive_desc &pd, const std::vector<uint8_t> &cache_blob);

    /// The C primitive descriptor, borrowed from this primitive.
    const_dnnl_primitive_desc_t get_primitive_desc() const {
        const_dnnl_primitive_desc_t pd = nullptr;
        error::wrap_c_api(dnnl_primitive_get_primitive_desc(get(), &pd),
            "cannot query the descriptor of a primitive");
        return pd;
    }

    /// Kind of the operation.
    kind get_kind() const {
        dnnl_primitive_kind_t result = dnnl_undefined_primitive;
        error::wrap_c_api(
            dnnl_primitive_desc_query(get_primitive_desc(), dnnl_query_primitive_kind, 0, &result),
            "cannot query the kind of a primitive");
        return static_cast<kind>(result);
    }

    /// What a later process needs to create this primitive faster, as bytes.
    /// Throws unimplemented on the CPU, where creation is fast anyway.
    std::vector<uint8_t> get_cache_blob() const {
        size_t bytes = 0;
        error::wrap_c_api(dnnl_primitive_get_cache_blob(get(), &bytes, nullptr),
            "cannot query the size of a cache blob");
        std::vector<uint8_t> blob(bytes);
        error::wrap_c_api(
            dnnl_primitive_get_cache_blob(get(), &bytes, blob.data()), "cannot get a cache blob");
        return blob;
    }

    /// Computes on the memories `args`, a map from DNNL_ARG_* to memory; an empty memory counts as
    /// absent. The memories must have the shapes, types and layouts of the primitive descriptor.
    /// On the CPU the result is there when the call returns.
    /// dnnl_primitive_execute() says which of them may share memory.
    /// Throws invalid_arguments if a required argument is missing or memory is shared otherwise.
    void execute(const stream &astream, const std::unordered_map<int, memory> &args) const {
        std::vector<dnnl_exec_arg_t> c_args;
        c_args.reserve(args.size());
        for (const auto &arg : args) {
            const dnnl_exec_arg_t c_arg = {arg.first, arg.second.get(true)};
            c_args.push_back(c_arg);
        }
        error::wrap_c_api(dnnl_primitive_execute(
                              get(), astream.get(), static_cast<int>(c_args.size()), c_args.data()),
            "cannot execute a primitive");
    }
};

/// The C value of a primitive kind.
inline dnnl_primitive_kind_t convert_to_c(primitive::kind kind) {
    return static_cast<dnnl_primitive_kind_t>(kind);
}

} // namespace dnnl

#endif
