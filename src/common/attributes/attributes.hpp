// SPDX-License-Identifier: Apache-2.0
// This folder has the values of attributes and the random numbers that are drawn by a seed.
// Attributes are fixed when a primitive descriptor is created; the values of scales, zero points
// and post-op tensors arrive with execute() (specification: "Primitive Attributes").
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "common/layout/memory_desc.hpp"
#include "common/plain_types.hpp"

namespace dnnl::impl {

struct eltwise_post_op {
    dnnl_alg_kind_t alg;
    float alpha, beta;
    bool operator==(const eltwise_post_op &) const = default;
};
/// x += scale * (previous dst - zero_point); dtype undef reads dst in its own type.
struct sum_post_op {
    float scale;
    std::int32_t zero_point;
    data_type dtype;
    bool operator==(const sum_post_op &) const = default;
};
/// x = alg(x, src1), or for select x = src2 != 0 ? x : src1; sources broadcast where dims are 1.
struct binary_post_op {
    dnnl_alg_kind_t alg;
    memory_desc src1;
    memory_desc src2 {}; ///< the condition of select, s8; zero for the others
    bool operator==(const binary_post_op &) const = default;
    bool selects() const { return alg == dnnl_binary_select; }
};
/// x = x > 0 ? x : x * weights; bit d of mask set: the weights vary along dimension d of dst.
struct prelu_post_op {
    int mask;
    bool operator==(const prelu_post_op &) const = default;
};
/// x becomes the source of a depthwise convolution with a square kernel.
struct depthwise_post_op {
    data_type weights_type, bias_type, dst_type; ///< bias undef: none
    dim_t kernel, stride, padding_l;
    memory_desc weights {}, bias {}; ///< of the execution's tensors; set by the plan
    bool operator==(const depthwise_post_op &) const = default;
};
using post_op =
    std::variant<eltwise_post_op, sum_post_op, binary_post_op, prelu_post_op, depthwise_post_op>;

} // namespace dnnl::impl

/// The chain of operations on the destination, at most 32, applied in this order.
struct dnnl_post_ops {
    static constexpr int max_count = 32;
    std::vector<dnnl::impl::post_op> entries;
    bool operator==(const dnnl_post_ops &) const = default;
};

namespace dnnl::impl {

using post_ops = ::dnnl_post_ops;

/// Calls body(source, arg) for the sources of the entry of a chain at `index`, if it is binary:
/// src1, and the condition of select. Op may be const.
template <class Op, class Body> void for_each_source(Op &op, std::size_t index, const Body &body) {
    auto *binary = std::get_if<binary_post_op>(&op);
    if (!binary) return;
    const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(index));
    body(binary->src1, base | DNNL_ARG_SRC_1);
    if (binary->selects()) body(binary->src2, base | DNNL_ARG_SRC_2);
}
/// The same for all entries of a chain, which may be const.
template <class Chain, class Body> void for_each_source(Chain &chain, const Body &body) {
    for (std::size_t i = 0; i < chain.entries.size(); ++i)
        for_each_source(chain.entries[i], i, body);
}

/// Scales or zero points of one argument. Bit d of mask set means one value per index of logical
/// dimension d of that tensor; 0 means one value. With groups, the last two dims share a value
/// among group_dims[0] x group_dims[1] neighbours; a group longer than the dimension is all of it.
struct quantization {
    int arg = 0; ///< DNNL_ARG_SRC, ...
    int mask = 0;
    int group_ndims = 0; ///< 0 or 2
    std::array<dim_t, 2> group_dims {1, 1};
    data_type dtype = data_type::f32;
    bool on_host = false; ///< the one value is a host scalar or any memory of one element
    /// With a dynamic mode, of scales of dst alone, the library finds the scales and stores them.
    dnnl_quantization_mode_t mode = dnnl_quantization_mode_static_sazp;
    bool operator==(const quantization &) const = default;
    bool has_groups() const { return group_ndims != 0; }
    bool is_dynamic() const { return mode != dnnl_quantization_mode_static_sazp; }
    /// Neighbours along dimension d of ndims that share a value.
    dim_t group(int ndims, int d) const {
        const int grouped = d - (ndims - 2);
        return has_groups() && grouped >= 0 ? group_dims[std::size_t(grouped)] : 1;
    }
};

/// The entries that are set, at most one for each argument.
class quantization_params {
  public:
    /// The entry of an argument; null when the argument has none.
    const quantization *find(int arg) const;
    bool empty() const { return entries_.empty(); }
    void set(const quantization &entry);
    /// The entries in the order of their arguments, in which verbose lines list them.
    std::span<const quantization> entries() const { return entries_; }
    bool operator==(const quantization_params &) const = default;

  private:
    std::vector<quantization> entries_;
};

/// Dropout sets random elements of dst to zero, after the operation itself and before post-ops.
struct dropout_params {
    bool enabled = false;
    memory_desc mask {}; ///< of the u8 tensor that tells which elements were kept; zero: it is not
                         ///< asked for
    data_type seed_type = data_type::undef; ///< s32 or s64
    bool use_offset = false; ///< an offset of s64 chooses one of many sequences of random numbers
                             ///< with the same seed
    bool on_host = false;    ///< probability, seed and offset are host scalars
    bool operator==(const dropout_params &) const = default;
};

/// The scales of the 8-bit weights of a recurrent network: one, or one per channel of the mask.
struct rnn_scales {
    int mask = 0;
    std::vector<float> values {}; ///< empty: one scale of 1
    bool operator==(const rnn_scales &) const = default;
    float at(dim_t channel) const {
        return values.empty() ? 1 : values[std::size_t(mask ? channel : 0)];
    }
};
/// 8-bit recurrent networks: x_u8 = x * data_scale + data_shift.
struct rnn_quantization {
    float data_scale = 1, data_shift = 0;
    rnn_scales weights {}, projection {};
    bool operator==(const rnn_quantization &) const = default;
    bool has_data() const { return data_scale != 1 || data_shift != 0; }
    bool is_default() const {
        return !has_data() && weights.values.empty() && projection.values.empty();
    }
};

} // namespace dnnl::impl

struct dnnl_primitive_attr {
    dnnl::impl::quantization_params scales, zero_points;
    dnnl::impl::quantization_params
        reductions; ///< sums of src over groups of K, which the user has computed
    dnnl::impl::post_ops post_ops;
    dnnl_scratchpad_mode_t scratchpad = dnnl_scratchpad_mode_library;
    dnnl_fpmath_mode_t fpmath = dnnl_fpmath_mode_strict;
    bool fpmath_apply_to_int = false;
    dnnl_accumulation_mode_t accumulation = dnnl_accumulation_mode_strict;
    bool deterministic = false;
    /// Arguments whose stores round stochastically (DIFF_SRC, DIFF_WEIGHTS, DST); few or none.
    std::vector<int> stochastic_rounding;
    dnnl::impl::dropout_params dropout;
    dnnl::impl::rnn_quantization rnn;

    bool operator==(const dnnl_primitive_attr &) const = default;

    /// True where no attribute changes the computed values. The modes of scratchpad, fpmath and
    /// accumulation do not count.
    bool has_default_values() const;
};

namespace dnnl::impl {

using primitive_attr = ::dnnl_primitive_attr;

/// True for an empty chain, and for one that only adds dst without a scale or zero point.
bool adds_at_most_dst(const post_ops &ops, data_type dst);

/// The descriptor of the weights of a prelu post-op, by the dimensions of dst, from the descriptor
/// of their memory. Its dims are 1, or those of dst along the dimensions that the mask names.
memory_desc prelu_weights(int mask, const memory_desc &dst, const memory_desc &passed);

/// Fills `dims` with the extents of the values that a quantization entry takes for a tensor, one
/// for each dimension in its mask, and returns how many they are.
int value_dims(const quantization &q, const memory_desc &md, dims_t &dims);
/// Number of values that a quantization entry takes for a tensor with these dims.
dim_t value_count(const quantization &q, const memory_desc &md);
/// True when the chain reads the previous destination.
bool has_sum(const post_ops &ops);

// ---- Random numbers that depend on an element's place and the user's seed alone ----

/// A sequence of random words.
struct random_sequence {
    std::uint64_t seed, offset = 0;
};
/// Philox 4x32 with ten rounds (Salmon et al., 2011). Four neighbouring indices share a block, and
/// the index takes its word of the result. The counter is the offset and the aligned index, the key
/// the seed, all of 64 bits. Without an offset index and seed are cut to 32 bits: the counter is
/// the aligned index and its three successors, the seed fills both words of the key.
std::uint32_t random_word(std::uint64_t index, const random_sequence &sequence);

/// Dropout keeps an element when its random word is greater than this.
std::uint32_t dropout_threshold(float probability);
/// What dropout multiplies kept elements by: 1 / (1 - probability), 0 when all are dropped.
float dropout_scale(float probability);

/// A floating-point type as stochastic rounding needs to know it.
struct float_format {
    int digits; ///< of the significand, the hidden bit included; 0: no such type
    int bytes;
    float min_normal, max;

    /// Bits of an f32 that the type keeps.
    std::uint32_t kept() const { return 0xFFFFFFFFu << (24 - digits); }
    /// Elements that one random word serves: bytes for 16-bit types, halves for the others.
    int per_random_word() const { return bytes == 2 ? 4 : 2; }
};
float_format float_format_of(data_type type);

/// True for the types that stochastic rounding knows: all floating ones but f64 and e8m0.
bool can_round_stochastically(data_type dst);

/// Rounds `value` up or down to a neighbour in `dst`, at random, and returns it as f32. A random
/// number is added to the low bits that dst lacks, 8 bits for types of 16 bits and 16 for smaller
/// ones, before these are cut. The offset of the element chooses the number. Results saturate,
/// subnormal ones become 0, NaN stays.
float round_stochastically(float value, data_type dst, dim_t offset, std::int32_t seed);

} // namespace dnnl::impl
