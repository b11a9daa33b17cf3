// SPDX-License-Identifier: Apache-2.0
// How the result of each layer is stored, and where.
#pragma once

#include "graph.hpp"

namespace topologies {

using dt = memory::data_type;

enum class precision { f32, bf16, int8 };
constexpr const char *name_of(precision p) {
    return p == precision::f32 ? "f32" : p == precision::bf16 ? "bf16" : "int8";
}

struct form {
    dt type = dt::f32;
    float scale = 1; // of bytes: value = scale * byte

    bool integer() const { return type == dt::u8 || type == dt::s8; }
};

/// The form of bytes for values up to `largest`; u8 if none is negative.
form bytes_for(float largest, bool nonnegative);

/// No value of the layer is negative, whatever the weights are.
bool nonnegative(const graph &g, int layer);

/// Of each layer's result. `ranges`: for int8 the largest magnitude of each layer. A pooling and
/// what it reads have one form, and so do all parts of a concat, which nothing has to convert then.
std::vector<form> forms_of(const graph &g, precision p, const std::vector<float> &ranges);

/// The result of a layer is `channels` of the channels of the result of another, `root`: of the
/// concat that it is a part of, or of what it is added to in place. Most are their own root.
struct place {
    int root = 0;
    dim channel = 0;   // the first one
    int last_read = 0; // the last layer that reads anything of the root
    bool alone = true; // not a part of a concat
};

std::vector<place> places_of(const graph &g, const std::vector<form> &forms);

/// Memory of results, used again when a result has been read for the last time.
class arena {
  public:
    explicit arena(const dnnl::engine &engine) : engine_(engine) {}
    /// Bytes that are in use from layer `now` to layer `until`.
    void *take(std::size_t bytes, int now, int until);

  private:
    struct buffer {
        memory bytes;
        std::size_t size;
        int until;
    };
    dnnl::engine engine_;
    std::vector<buffer> buffers_;
};

} // namespace topologies
