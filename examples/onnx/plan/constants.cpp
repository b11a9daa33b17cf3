// SPDX-License-Identifier: Apache-2.0
#include "constants.hpp"

namespace dnnl_onnx {

using dnnl::memory;

memory constants::reordered(
    const tensor &elements, const memory::desc &from, const memory::desc &to) {
    const auto [first, last] = entries_.equal_range(elements.bytes());
    for (auto at = first; at != last; ++at)
        if (at->second.from == from && at->second.to == to) return at->second.result;
    memory source(from, engine_, const_cast<std::byte *>(elements.bytes()));
    memory result = source;
    if (from != to) {
        result = memory(to, engine_);
        dnnl::reorder(source, result).execute(stream_, source, result);
        stream_.wait();
    }
    entries_.emplace(elements.bytes(), entry {elements, from, to, result});
    return result;
}

tensor constants::computed(const std::string &key, const std::function<tensor()> &make) {
    const auto found = computed_.find(key);
    return found != computed_.end() ? found->second : computed_[key] = make();
}

std::string key_of(const tensor &elements) {
    if (!elements) return "-";
    return std::string(reinterpret_cast<const char *>(elements.bytes()), elements.type().bytes());
}

} // namespace dnnl_onnx
