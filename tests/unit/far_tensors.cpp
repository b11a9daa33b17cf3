// SPDX-License-Identifier: Apache-2.0
// Normalization of channels-last tiles whose tensors exceed the caches: the kernels ask for rows
// ahead and pass the caches, and give the bits of tensors that do not. Rows end at inaccessible
// pages.
#include "kernel_levels.hpp"

#include <vector>

#include "common/layout/data_type.hpp"
#include "cpu/kernels/normalization/normalize.hpp"
#include "cpu/kernels/select.hpp"

namespace dnnl::impl::cpu {
namespace {

constexpr dim_t rows = 13;

/// A tile with its statistics, and what the kernels make of it.
class tile {
  public:
    tile(data_type type, dim_t columns)
        : type_(type), columns_(columns), stride_((columns + 31) / 32 * 32), src_(bytes()),
          diff_(bytes()), dst_(bytes()), passed_(static_cast<std::size_t>(rows * stride_)) {
        numbers random(static_cast<std::uint32_t>(columns));
        const auto number = [&] { return static_cast<f32>(random.between(-999, 999)) / 512; };
        for (dim_t i = 0; i < rows * stride_; ++i) {
            store_f32(type, src_.data(), i, number());
            store_f32(type, diff_.data(), i, number());
        }
        for (std::vector<f32> *values : {&mean_, &inverse_, &scale_, &shift_, &sum_, &product_})
            for (dim_t c = 0; c < columns; ++c) values->push_back(number());
    }

    /// The bytes of dst, of the flags and of both sums after all steps at a level.
    std::vector<char> results(isa level, dim_t tensor_bytes) {
        std::memset(dst_.data(), 0x33, dst_.size());
        std::memset(passed_.data(), 0x33, passed_.size());
        std::vector<f32> sums(static_cast<std::size_t>(4 * columns_));
        normalize_args a = arguments(tensor_bytes);
        std::vector<char> all;
        const auto keep = [&](const void *p, std::size_t n) {
            all.insert(all.end(), static_cast<const char *>(p), static_cast<const char *>(p) + n);
        };
        kernel_for<bf16_levels>(level, []<class Isa> { return normalize_forward<Isa>; })(a);
        keep(dst_.data(), dst_.size());
        keep(passed_.data(), passed_.size());
        kernel_for<bf16_levels>(level, []<class Isa> { return normalize_backward<Isa>; })(a);
        keep(dst_.data(), dst_.size());
        a.sums = sums.data(), a.products = a.sums + columns_, a.scale.data = nullptr;
        kernel_for<vector_levels>(level, []<class Isa> { return normalize_gradient_sums<Isa>; })(a);
        a.sums += 2 * columns_, a.products += 2 * columns_, a.tile.src[2].data = nullptr;
        kernel_for<vector_levels>(level, []<class Isa> { return normalize_deviations<Isa>; })(a);
        keep(sums.data(), sums.size() * sizeof(f32));
        return all;
    }

  private:
    std::size_t bytes() const {
        return static_cast<std::size_t>(rows * stride_ * size_in_bytes(type_));
    }
    normalize_args arguments(dim_t tensor_bytes) {
        normalize_args a {};
        a.tile.dst = {dst_.data(), type_, stride_, 1};
        a.tile.src[0] = {src_.data(), type_, stride_, 1};
        a.tile.src[1] = {diff_.data(), type_, stride_, 1};
        a.tile.src[2] = {passed_.data(), data_type::u8, stride_, 1};
        a.tile.rows = rows;
        a.tile.columns = columns_;
        const auto of = [](const std::vector<f32> &x) { return normalize_values {x.data(), 0, 1}; };
        a.mean = of(mean_), a.inverse = of(inverse_), a.scale = of(scale_), a.shift = of(shift_);
        a.sum_part = of(sum_), a.product_part = of(product_);
        a.sums_column_stride = 1;
        a.relu = true;
        a.tensor_bytes = tensor_bytes;
        return a;
    }

    data_type type_;
    dim_t columns_, stride_; ///< rows begin at cache lines
    guarded_array<char> src_, diff_, dst_, passed_;
    std::vector<f32> mean_, inverse_, scale_, shift_, sum_, product_;
};

} // namespace

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_the_size_of_tensors) {
    for_each_level([](const kernel_level &level) {
        if (!has(level.mask, isa::avx2)) return; // no kernels below
        for (const data_type type : {data_type::f32, data_type::bf16}) {
            // The kernels of this level round bf16 only.
            if (type == data_type::f32 && has(level.mask, isa::avx512_bf16)) continue;
            for (const dim_t columns : {1, 32, 70, 96, 600}) {
                tile t(type, columns);
                const std::vector<char> near = t.results(level.mask, 0);
                for (const dim_t megabytes : {20, 1000})
                    BOOST_TEST((t.results(level.mask, megabytes << 20) == near),
                        name_of(type) << ", " << columns << " columns, " << megabytes << " MiB");
            }
        }
    });
}

} // namespace dnnl::impl::cpu
