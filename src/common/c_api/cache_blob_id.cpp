// SPDX-License-Identifier: Apache-2.0
#include "common/c_api/cache_blob_id.hpp"

#include <string_view>

#include "common/memory_desc_blob.hpp"
#include "common/verbose_fields.hpp"
#include "dnnl/dnnl.h"
#include "dnnl/dnnl_debug.h"
#include "dnnl/dnnl_version.h"
#include "dnnl/dnnl_version_hash.h"

namespace dnnl::impl {

namespace {

using bytes = std::vector<std::uint8_t>;

void append(bytes &id, const void *data, std::size_t size) {
    const auto *first = static_cast<const std::uint8_t *>(data);
    id.insert(id.end(), first, first + size);
}

/// Text ends with a zero byte, so that no two lists of texts look alike.
void append(bytes &id, std::string_view text) {
    append(id, text.data(), text.size());
    id.push_back(0);
}

void append(bytes &id, const memory_desc &md) {
    bytes blob(blob_bytes());
    write_blob(md, blob.data());
    append(id, blob.data(), blob.size());
}

void append(bytes &id, const std::vector<float> &values) {
    const std::size_t count = values.size();
    append(id, &count, sizeof count);
    append(id, values.data(), count * sizeof(float));
}

/// Parameters whose exact values the fields of a verbose line round or leave out.
constexpr dnnl_query_t scalars[] = {dnnl_query_alpha_f32, dnnl_query_beta_f32,
    dnnl_query_epsilon_f32, dnnl_query_k_f32, dnnl_query_p_f32, dnnl_query_flags};

void append_parameters(bytes &id, const primitive_desc &pd) {
    for (const dnnl_query_t what : scalars) {
        std::uint32_t value = 0;
        const bool known = dnnl_primitive_desc_query(&pd, what, 0, &value) == dnnl_success;
        append(id, &value, known ? sizeof value : 0);
    }
    if (const auto *sum = std::get_if<sum_desc>(&pd.resolved().op)) append(id, sum->scales);
}

void append_attributes(bytes &id, const primitive_attr &attr) {
    for (const post_op &entry : attr.post_ops.entries) {
        if (const auto *binary = std::get_if<binary_post_op>(&entry)) append(id, binary->src1);
        if (const auto *sum = std::get_if<sum_post_op>(&entry))
            append(id, &sum->scale, sizeof sum->scale);
        if (const auto *eltwise = std::get_if<eltwise_post_op>(&entry)) {
            append(id, &eltwise->alpha, sizeof eltwise->alpha);
            append(id, &eltwise->beta, sizeof eltwise->beta);
        }
    }
    append(id, &attr.rnn.data_scale, sizeof attr.rnn.data_scale);
    append(id, &attr.rnn.data_shift, sizeof attr.rnn.data_shift);
    append(id, &attr.rnn.weights_mask, sizeof attr.rnn.weights_mask);
    append(id, &attr.rnn.projection_mask, sizeof attr.rnn.projection_mask);
    append(id, attr.rnn.weights_scales);
    append(id, attr.rnn.projection_scales);
}

} // namespace

bytes cache_blob_id(const primitive_desc &pd) {
    bytes id;
    append(id, DNNL_VERSION_HASH);
    constexpr int version[] = {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH};
    append(id, version, sizeof version);
    append(id, dnnl_prim_kind2str(pd.kind()));
    append(id, pd.info());
    append(id, verbose::fields_of(pd.resolved(), pd.request()));
    for (const tensor_argument &argument : pd.arguments()) {
        append(id, &argument.arg, sizeof argument.arg);
        append(id, *argument.md);
    }
    append_parameters(id, pd);
    append_attributes(id, pd.resolved().attr);
    return id;
}

} // namespace dnnl::impl
