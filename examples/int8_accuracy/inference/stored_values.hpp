// SPDX-License-Identifier: Apache-2.0
// The tensors between the steps of a program, in each form in which a step reads them.
#pragma once

#include "../execution/program.hpp"
#include "forms.hpp"

namespace int8_accuracy {

/// A tensor and how its numbers are to be read: as they are if there is no scale.
struct stored_value {
    dnnl::memory data;
    dnnl::memory scale;      // one f32
    dnnl::memory zero_point; // one s32; none if it is 0 for certain
    stored_form form;

    dnnl::memory::desc desc() const { return data.get_desc(); }
};

/// The same numbers as a tensor of other dimensions or strides.
dnnl::memory view(const dnnl::memory &of, const dnnl::memory::desc &desc);

class stored_values {
  public:
    stored_values(const dnnl::engine &engine, const network &net, int batch, program &steps);

    const dnnl::engine &engine() const { return engine_; }
    const network &net() const { return net_; }
    int batch() const { return batch_; }
    program &steps() { return steps_; }

    /// A new tensor for the result of layer l, which later steps find by stored(l).
    stored_value create(int l, const stored_form &form);
    /// The same in memory that exists already.
    stored_value create(int l, const stored_form &form, const dnnl::memory &data);

    const stored_value &stored(int l) const { return stored_[l]; }

    /// The result of layer l in another form; adds a reorder unless it is there already.
    stored_value in_form(int l, const stored_form &form);

    /// The result of layer l as a product with this grid reads it. The form of a simulated one is
    /// f32.
    stored_value on_grid(int l, const number_grid &grid);

    /// The numbers of layer l after a run, in the order of desc_of(). Throws std::out_of_range if
    /// they are only inside of a primitive.
    std::vector<float> numbers(int l, dnnl::stream &stream) const;

  private:
    struct reading {
        int layer;
        number_grid grid;
        stored_value value;
    };
    struct conversion {
        int layer;
        stored_form form;
        stored_value value;
    };

    stored_value new_value(int l, const stored_form &form) const;
    void add_reorder(const stored_value &from, const stored_value &to);

    dnnl::engine engine_;
    const network &net_;
    int batch_;
    program &steps_;
    std::vector<stored_value> stored_; // of each layer
    std::vector<conversion> conversions_;
    std::vector<reading> readings_;
};

} // namespace int8_accuracy
