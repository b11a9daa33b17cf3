// SPDX-License-Identifier: Apache-2.0
// Executes every implementation of a primitive descriptor on copies of the same tensors.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "dnnl/dnnl.hpp"

namespace row_kernels {

using bytes = std::vector<std::byte>;

inline const dnnl::engine &cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

/// What one implementation wrote, by argument.
struct outcome {
    std::string name; ///< impl_info_str
    std::map<int, bytes> outputs;
    template <class T> std::vector<T> as(int arg) const {
        const bytes &raw = outputs.at(arg);
        std::vector<T> values(raw.size() / sizeof(T));
        std::memcpy(values.data(), raw.data(), values.size() * sizeof(T));
        return values;
    }
};

struct tensor {
    dnnl::memory::desc desc;
    bytes data; ///< as long as the descriptor asks for
};
template <class T> tensor input(const dnnl::memory::desc &desc, const std::vector<T> &values) {
    tensor t {desc, bytes(desc.get_size())};
    std::memcpy(t.data.data(), values.data(), std::min(t.data.size(), values.size() * sizeof(T)));
    return t;
}

/// Runs all implementations of pd, the best first; outputs start as 0xA5.
template <class Primitive, class PrimitiveDesc>
std::vector<outcome> run_all(PrimitiveDesc pd, const std::map<int, tensor> &inputs,
    const std::map<int, dnnl::memory::desc> &outputs) {
    std::vector<outcome> outcomes;
    do {
        outcome made {pd.impl_info_str(), {}};
        std::unordered_map<int, dnnl::memory> arguments;
        for (const auto &[arg, t] : inputs)
            arguments.emplace(
                arg, dnnl::memory(t.desc, cpu(), const_cast<std::byte *>(t.data.data())));
        for (const auto &[arg, desc] : outputs) {
            bytes &data = made.outputs[arg];
            data.assign(desc.get_size(), std::byte {0xa5});
            arguments.emplace(arg, dnnl::memory(desc, cpu(), data.data()));
        }
        dnnl::stream stream(cpu());
        Primitive(pd).execute(stream, arguments);
        stream.wait();
        outcomes.push_back(std::move(made));
    } while (pd.next_impl());
    return outcomes;
}

} // namespace row_kernels
