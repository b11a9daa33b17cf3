// SPDX-License-Identifier: Apache-2.0
// What this library has beyond oneDNN, in C++: packed weights that are kept in a file, threads of a
// stream, recurrent networks on sums of gates, attention. Programs that must compile against oneDNN
// as well leave this header out. C++11.

#ifndef ONEAPI_DNNL_DNNL_EXT_HPP
#define ONEAPI_DNNL_DNNL_EXT_HPP

#include <cstring>
#include <type_traits>

#include "dnnl/dnnl.hpp"
#include "dnnl/dnnl_ext.h"

namespace dnnl {

/// Extensions of this library.
namespace ext {

namespace detail {

/// What stands in front of saved weights; numbers have the byte order of the machine, which `magic`
/// tells.
struct saved_header {
    uint64_t magic, version, descriptor_bytes, weights_bytes, checksum;
};

constexpr uint64_t saved_magic = 0x5448474957304e44u; // "DN0WIGHT" on a little-endian machine
constexpr uint64_t saved_version = 1;

/// FNV-1a over bytes.
inline uint64_t checksum_of(const uint8_t *bytes, size_t count) {
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

inline void require_saved(bool holds, const char *what) {
    if (!holds) {
        DNNL_THROW_ERROR(dnnl_invalid_arguments, what);
    }
}

} // namespace detail

/// The weights of a memory, in the layout that a primitive chose, as bytes to be kept: a header,
/// the descriptor, the elements. What they cost to pack is then paid once, not at every start.
/// Throws invalid_arguments for an empty memory, one without a buffer and one of several buffers.
inline std::vector<uint8_t> save_weights(const memory &weights) {
    detail::require_saved(bool(weights), "save_weights: the memory is empty");
    const memory::desc md = weights.get_desc();
    detail::require_saved(
        md.get_num_handles() == 1 && weights.get_data_handle() != nullptr && md.get_size() > 0,
        "save_weights: the memory has not one buffer");
    const std::vector<uint8_t> descriptor = md.get_blob();
    const size_t bytes = md.get_size();
    std::vector<uint8_t> saved(sizeof(detail::saved_header) + descriptor.size() + bytes);
    uint8_t *const behind = saved.data() + sizeof(detail::saved_header);
    std::memcpy(behind, descriptor.data(), descriptor.size());
    std::memcpy(behind + descriptor.size(), weights.get_data_handle(), bytes);
    const detail::saved_header header = {detail::saved_magic, detail::saved_version,
        descriptor.size(), bytes, detail::checksum_of(behind, descriptor.size() + bytes)};
    std::memcpy(saved.data(), &header, sizeof header);
    return saved;
}

/// The memory that save_weights() wrote, with a buffer of its own, for a primitive that wants the
/// layout `wanted` (pd.weights_desc()). The bytes may come from anywhere: every length, the
/// checksum and the descriptor are checked before anything is used, and nothing in them is taken
/// for a size. Throws invalid_arguments for bytes that are damaged, of another version or byte
/// order, or of weights in another layout than wanted, as another version of the library or another
/// processor may choose it: the program then packs its plain weights again.
inline memory load_weights(
    const uint8_t *bytes, size_t count, const memory::desc &wanted, const engine &aengine) {
    detail::saved_header header;
    detail::require_saved(
        bytes != nullptr && count >= sizeof header, "load_weights: fewer bytes than a header has");
    std::memcpy(&header, bytes, sizeof header);
    detail::require_saved(
        header.magic == detail::saved_magic, "load_weights: these are no weights of this library");
    detail::require_saved(
        header.version == detail::saved_version, "load_weights: the format has another version");
    const std::vector<uint8_t> descriptor = wanted.get_blob();
    const size_t size = wanted.get_size();
    detail::require_saved(header.descriptor_bytes == descriptor.size() &&
                              header.weights_bytes == size &&
                              count == sizeof header + descriptor.size() + size,
        "load_weights: the weights have another layout or length than wanted");
    const uint8_t *const behind = bytes + sizeof header;
    detail::require_saved(std::memcmp(behind, descriptor.data(), descriptor.size()) == 0,
        "load_weights: the weights have another layout than wanted");
    detail::require_saved(detail::checksum_of(behind, descriptor.size() + size) == header.checksum,
        "load_weights: the bytes are damaged");
    memory loaded(wanted, aengine);
    std::memcpy(loaded.get_data_handle(), behind + descriptor.size(), size);
    return loaded;
}

/// As above.
inline memory load_weights(
    const std::vector<uint8_t> &bytes, const memory::desc &wanted, const engine &aengine) {
    return load_weights(bytes.data(), bytes.size(), wanted, aengine);
}

/// Lets executions on the stream use at most `threads` threads; 0 is as many as the runtime has.
/// Errors: those of dnnl_ext_stream_set_threads().
inline void set_threads(const stream &astream, int threads) {
    error::wrap_c_api(
        dnnl_ext_stream_set_threads(astream.get(), threads), "could not set threads of a stream");
}

/// An LSTM for inference whose src_layer holds, in f32, what the product of the input with the
/// weights of the layer would give: T x MB x (4 DHC), the gates in the order i, f, c~, o. One layer
/// of one direction. Empty descriptors are absent tensors.
/// Errors: those of dnnl_ext_rnn_flags_gate_sums and of lstm_forward.
inline lstm_forward::primitive_desc lstm_of_gate_sums(const engine &aengine,
    rnn_direction direction, const memory::desc &sums, const memory::desc &src_iter,
    const memory::desc &src_iter_c, const memory::desc &weights_iter, const memory::desc &bias,
    const memory::desc &dst_layer, const memory::desc &dst_iter, const memory::desc &dst_iter_c,
    const primitive_attr &attr = primitive_attr()) {
    dnnl_primitive_desc_t pd = nullptr;
    error::wrap_c_api(
        dnnl_lstm_forward_primitive_desc_create(&pd, aengine.get(), dnnl_forward_inference,
            convert_to_c(direction), sums.get(), src_iter.get(), src_iter_c.get(), nullptr,
            weights_iter.get(), nullptr, nullptr, bias.get(), dst_layer.get(), dst_iter.get(),
            dst_iter_c.get(), dnnl_ext_rnn_flags_gate_sums, attr.get()),
        "could not create a primitive descriptor for an LSTM on sums of gates");
    return lstm_forward::primitive_desc(pd);
}

/// The same for a GRU: T x MB x (3 DHC), the gates in the order u, r, o; `linear_before_reset`
/// chooses the cell, whose bias then has four parts.
template <bool linear_before_reset = false>
inline typename std::conditional<linear_before_reset, lbr_gru_forward,
    gru_forward>::type::primitive_desc
gru_of_gate_sums(const engine &aengine, rnn_direction direction, const memory::desc &sums,
    const memory::desc &src_iter, const memory::desc &weights_iter, const memory::desc &bias,
    const memory::desc &dst_layer, const memory::desc &dst_iter,
    const primitive_attr &attr = primitive_attr()) {
    dnnl_primitive_desc_t pd = nullptr;
    const auto create = linear_before_reset ? dnnl_lbr_gru_forward_primitive_desc_create
                                            : dnnl_gru_forward_primitive_desc_create;
    error::wrap_c_api(
        create(&pd, aengine.get(), dnnl_forward_inference, convert_to_c(direction), sums.get(),
            src_iter.get(), nullptr, weights_iter.get(), bias.get(), dst_layer.get(),
            dst_iter.get(), dnnl_ext_rnn_flags_gate_sums, attr.get()),
        "could not create a primitive descriptor for a GRU on sums of gates");
    using gru = typename std::conditional<linear_before_reset, lbr_gru_forward, gru_forward>::type;
    return typename gru::primitive_desc(pd);
}

/// Attention: dst = softmax(scale * queries * keys^T + mask) * values over the last two dimensions,
/// without the scores in memory. Formula, shapes, types and arguments: dnnl_ext.h.
struct attention : public primitive {
    /// Descriptor of the operation.
    struct primitive_desc : public dnnl::primitive_desc {
        /// An empty descriptor.
        primitive_desc() = default;

        /// A zero mask_desc means no mask; `causal` lets a row see the keys up to its own.
        /// Errors: those of dnnl_ext_attention_primitive_desc_create().
        primitive_desc(const engine &aengine, const memory::desc &queries_desc,
            const memory::desc &keys_desc, const memory::desc &values_desc,
            const memory::desc &mask_desc, const memory::desc &dst_desc, float scale,
            bool causal = false, const primitive_attr &attr = default_attr(),
            bool allow_empty = false) {
            dnnl_primitive_desc_t created = nullptr;
            const dnnl_status_t status = dnnl_ext_attention_primitive_desc_create(&created,
                aengine.get(), queries_desc.get(), keys_desc.get(), values_desc.get(),
                mask_desc.get(), dst_desc.get(), scale,
                causal ? unsigned(dnnl_ext_attention_causal) : 0u, dnnl::detail::to_c(attr));
            adopt(status, created, allow_empty, "no primitive descriptor for attention");
        }

        /// Descriptors of the tensors.
        memory::desc queries_desc() const { return query_md(query::exec_arg_md, DNNL_ARG_QUERIES); }
        /// As above.
        memory::desc keys_desc() const { return query_md(query::exec_arg_md, DNNL_ARG_KEYS); }
        /// As above.
        memory::desc values_desc() const { return query_md(query::exec_arg_md, DNNL_ARG_VALUES); }
        /// As above; zero without a mask.
        memory::desc mask_desc() const { return query_md(query::exec_arg_md, DNNL_ARG_ATTN_MASK); }
        /// As above.
        memory::desc dst_desc() const { return query_md(query::exec_arg_md, DNNL_ARG_DST); }
    };

    /// An empty primitive.
    attention() = default;
    /// The operation of `pd`, ready to execute. Throws invalid_arguments if `pd` is empty.
    attention(const primitive_desc &pd) : primitive(pd) {}
};

} // namespace ext
} // namespace dnnl

#endif
