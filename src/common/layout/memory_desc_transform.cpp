// SPDX-License-Identifier: Apache-2.0
// Descriptors of the same elements in another shape: reshape, permuted axes, a region.
#include <algorithm>

#include "common/layout/memory_desc.hpp"
#include "common/runtime/error.hpp"

namespace dnnl::impl {

namespace {

void require_transformable(const memory_desc &md, const char *what) {
    require(!md.is_zero(), std::string(what) + ": the zero descriptor has no axes");
    require(!md.has_runtime(), std::string(what) + ": run-time dimensions or strides");
    require(md.is_any() || md.is_blocked(), std::string(what) + ": the layout is private");
    require(md.column_sums_mask == 0, std::string(what) + ": column sums belong to the layout");
}

/// The product of dimensions that cannot overflow, because the creation of the descriptor or
/// checked_product() has bounded it.
dim_t checked_product(int ndims, const dim_t *dims) {
    bool zero = false;
    std::optional<dim_t> product = 1;
    for (int d = 0; d < ndims; ++d) {
        require(dims[d] >= 0, "dims: must not be negative or known at execution only");
        zero = zero || dims[d] == 0;
        product = checked_mul(product, std::max<dim_t>(dims[d], 1));
        require(product.has_value(), "dims: the product overflows 64 bits");
    }
    return zero ? 0 : *product;
}

/// Rewrites the layout of `in` for the dimensions of `out`. Both shapes are read from left to right
/// as runs with equal products: runs of ones, then the shortest non-unit runs.
class reshaper {
  public:
    reshaper(const memory_desc &in, memory_desc &out) : in_(in), out_(out) { target_.fill(-1); }

    void run() {
        while (i_ < in_.ndims || o_ < out_.ndims) {
            match_units();
            if (i_ < in_.ndims || o_ < out_.ndims) match_run();
        }
        rename_blocks();
        place_added_units();
    }

  private:
    bool is_bare(int i) const { return in_.block(i) == 1 && in_.padded_dims[i] == in_.dims[i]; }

    void keep(int i, int o) {
        out_.strides[o] = in_.strides[i];
        out_.padded_dims[o] = in_.padded_dims[i];
        target_[i] = o;
    }

    void match_units() {
        const int first_in = i_, first_out = o_;
        while (i_ < in_.ndims && in_.dims[i_] == 1) ++i_;
        while (o_ < out_.ndims && out_.dims[o_] == 1) ++o_;
        const bool same_count = i_ - first_in == o_ - first_out;
        int o = first_out;
        for (int i = first_in; i < i_; ++i) {
            if (!same_count && is_bare(i)) continue; // goes away, or comes back as an added one
            require(o < o_, "dims: a padded axis of size 1 cannot be removed");
            keep(i, o++);
        }
        for (; o < o_; ++o) added_[o] = true;
    }

    /// Finds the shortest runs with equal products that begin here, with the ones between them.
    void match_run() {
        require(i_ < in_.ndims && o_ < out_.ndims, "dims: the number of elements differs");
        const int first_in = i_, first_out = o_;
        dim_t in_product = in_.dims[i_++], out_product = out_.dims[o_++];
        while (in_product != out_product) {
            const bool grow_in = in_product < out_product;
            require(grow_in ? i_ < in_.ndims : o_ < out_.ndims,
                "dims: the axes cannot be split or joined to give them");
            if (grow_in)
                in_product *= in_.dims[i_++];
            else
                out_product *= out_.dims[o_++];
        }
        if (i_ - first_in == 1 && o_ - first_out == 1) return keep(first_in, first_out);
        split(join(first_in), first_in, first_out);
    }

    /// Index of the input axis whose stride the joined axis takes: the last one that is not 1.
    int join(int first_in) const {
        int last = i_ - 1;
        while (last > first_in && in_.dims[last] == 1) --last;
        if (i_ - first_in == 1) return last;
        dim_t stride = in_.strides[last];
        for (int i = i_ - 1; i >= first_in; --i) {
            require(is_bare(i), "dims: a blocked or padded axis cannot be joined");
            if (in_.dims[i] == 1) continue;
            require(in_.strides[i] == stride, "dims: axes that are not dense cannot be joined");
            stride *= std::max<dim_t>(in_.dims[i], 1);
        }
        return last;
    }

    /// Spreads input axis i, with its stride and blocks, over the outputs of this run.
    void split(int i, int first_in, int first_out) {
        int last = o_ - 1;
        while (last > first_out && out_.dims[last] == 1) --last;
        const dim_t block = in_.block(i);
        require(i_ - first_in > 1 || in_.padded_dims[i] == in_.dims[i],
            "dims: a padded axis cannot be split");
        require(out_.dims[last] % block == 0, "dims: a split inside a block");
        dim_t stride = in_.strides[i];
        for (int o = o_ - 1; o >= first_out; --o) {
            if (out_.dims[o] == 1) {
                added_[o] = true;
                continue;
            }
            out_.strides[o] = stride;
            stride *= std::max<dim_t>(out_.dims[o] / (o == last ? block : 1), 1);
        }
        if (block > 1) target_[i] = last;
    }

    void rename_blocks() {
        out_.inner_nblks = in_.inner_nblks;
        out_.inner_blks = in_.inner_blks;
        for (int b = 0; b < in_.inner_nblks; ++b)
            out_.inner_idxs[b] = target_[std::size_t(in_.inner_idxs[b])];
    }

    /// An added axis of extent 1 gets the stride that it would have in a dense tensor: that of the
    /// next axis times its extent.
    void place_added_units() {
        for (int o = out_.ndims - 1; o >= 0; --o) {
            if (!added_[o]) continue;
            if (o + 1 == out_.ndims) {
                out_.strides[o] = out_.inner_elements();
                continue;
            }
            const dim_t extent = out_.padded_dims[o + 1] / out_.block(o + 1);
            const auto stride = checked_mul(out_.strides[o + 1], std::max<dim_t>(extent, 1));
            require(stride.has_value(), "dims: the tensor's size overflows 64 bits");
            out_.strides[o] = *stride;
        }
    }

    const memory_desc &in_;
    memory_desc &out_;
    int i_ = 0, o_ = 0;                    ///< the first axes that are not matched yet
    std::array<int, max_ndims> target_ {}; ///< the output axis that keeps an input axis, or -1
    std::array<bool, max_ndims> added_ {}; ///< output axes of extent 1 without an input axis
};

} // namespace

memory_desc reshape(const memory_desc &md, int ndims, const dim_t *dims) {
    require_transformable(md, "in_memory_desc");
    require(ndims >= 0 && ndims <= max_ndims, "ndims: must lie in 0...12");
    require(ndims == 0 || dims, "dims: must not be NULL");
    require(checked_product(ndims, dims) == md.nelems(), "dims: the number of elements differs");
    if (ndims == 0) return {};
    if (md.is_any()) return make_any(ndims, dims, md.dtype);
    memory_desc out;
    out.ndims = ndims;
    out.dtype = md.dtype;
    out.layout = layout_kind::blocked;
    out.offset0 = md.offset0;
    std::copy_n(dims, ndims, out.dims.begin());
    out.padded_dims = out.dims;
    reshaper(md, out).run();
    return out;
}

memory_desc permute_axes(const memory_desc &md, const int *permutation) {
    require(permutation != nullptr, "permutation: must not be NULL");
    require_transformable(md, "in_memory_desc");
    unsigned seen = 0;
    for (int i = 0; i < md.ndims; ++i) {
        require(permutation[i] >= 0 && permutation[i] < md.ndims, "permutation: axis out of range");
        seen |= 1u << permutation[i];
    }
    require(seen == (1u << md.ndims) - 1, "permutation: an axis appears twice");
    memory_desc out = md;
    for (int i = 0; i < md.ndims; ++i) {
        const auto to = std::size_t(permutation[i]);
        out.dims[to] = md.dims[i];
        out.padded_dims[to] = md.padded_dims[i];
        out.strides[to] = md.strides[i];
    }
    for (int b = 0; b < md.inner_nblks; ++b) out.inner_idxs[b] = permutation[md.inner_idxs[b]];
    return out;
}

memory_desc submemory(const memory_desc &parent, const dim_t *dims, const dim_t *offsets) {
    require(dims != nullptr, "dims: must not be NULL");
    require(offsets != nullptr, "offsets: must not be NULL");
    require(!parent.is_zero(), "parent_memory_desc: the zero descriptor has no regions");
    require_implemented(!parent.is_any(), "parent_memory_desc: layout `any` has no regions");
    require_implemented(
        !parent.has_runtime(), "parent_memory_desc: run-time dimensions or strides");
    require(parent.is_blocked(), "parent_memory_desc: the layout is private");
    require_implemented(
        parent.column_sums_mask == 0, "parent_memory_desc: column sums belong to the layout");
    memory_desc md = parent;
    for (int d = 0; d < parent.ndims; ++d) {
        require(dims[d] >= 0 && offsets[d] >= 0, "dims or offsets: must not be negative");
        require(offsets[d] <= parent.dims[d] && dims[d] <= parent.dims[d] - offsets[d],
            "dims or offsets: the region leaves its parent");
        const dim_t block = parent.block(d);
        const bool reaches_end = offsets[d] + dims[d] == parent.dims[d];
        require_implemented(offsets[d] % block == 0, "offsets: not a multiple of the block");
        require_implemented(
            reaches_end || dims[d] % block == 0, "dims: the region ends inside a block");
        md.dims[d] = dims[d];
        md.padded_dims[d] = reaches_end ? parent.padded_dims[d] - offsets[d] : dims[d];
        const auto at = checked_add(checked_mul(offsets[d] / block, parent.strides[d]), md.offset0);
        require(at.has_value(), "offsets: the offset overflows 64 bits");
        md.offset0 = *at;
    }
    require(has_sound_end(md), "offsets: the offset in bytes overflows 64 bits");
    return md;
}

} // namespace dnnl::impl
