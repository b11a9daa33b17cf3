// SPDX-License-Identifier: Apache-2.0
// Binding of arguments to guarded buffers, execution and judgement.
#include "execution/execution.hpp"

#include "execution/diagnostics.hpp"
#include "language/usage_error.hpp"
#include "oracle/sparse.hpp"

#include <cstring>
#include <iterator>

namespace conformance {
namespace {

// 0xff bytes are a NaN in every floating type; 0xa5 is an unlikely integer.
std::uint8_t poison_of(data_type type) { return is_integer(type) ? 0xa5 : 0xff; }

std::string number_text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", value);
    return buffer;
}

std::string mismatch_text(
    const tensor_spec &spec, const dims &position, const interval &expected, double got) {
    return spec.name + text_of(position) + " is " + number_text(got) + ", expected " +
           number_text(expected.value) + " in [" + number_text(expected.low) + ", " +
           number_text(expected.high) + "]";
}

// The first of the arguments that the problem has, 0 if it has none.
int first_present(const test_problem &problem, std::initializer_list<int> arguments) {
    for (int argument : arguments)
        for (const tensor_spec &spec : problem.tensors)
            if (spec.argument == argument) return argument;
    return 0;
}

} // namespace

memory::desc concrete_desc(const tensor_spec &spec, const dnnl::primitive_desc_base &pd) {
    // Values of scales and zero points are dense; run-time dimensions are known by now.
    const memory::desc md = is_value_array(spec.holds) ? spec.requested : spec.concrete;
    return md.is_zero() ? pd.query_md(dnnl::query::exec_arg_md, spec.argument) : md;
}

bool is_in_place(const test_case &c) {
    const auto found = c.settings.find("inplace");
    return found != c.settings.end() && found->second == "true";
}

guarded_buffer &workplace::buffer(std::size_t index) {
    while (buffers_.size() <= index) buffers_.emplace_back();
    return *std::next(buffers_.begin(), std::ptrdiff_t(index));
}

// A layout that only the library knows is written by the library's own reorder: by its first
// implementation or by its last one, so that what they write besides the elements is judged, too.
std::vector<std::uint8_t> workplace::library_packed(
    const memory::desc &md, const tensor &values, placement where) const {
    const memory::desc plain(values.shape, values.type, dims {});
    const dnnl::memory from(plain, engine_), to(md, engine_);
    const auto contents = layout(plain).pack(values, 0);
    std::memcpy(from.get_data_handle(), contents.data(), contents.size());
    dnnl::reorder::primitive_desc reorder(from, to);
    if (where == placement::begin)
        while (dnnl_primitive_desc_next_impl(reorder.get()) == dnnl_success) {}
    dnnl::reorder(reorder).execute(stream_, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    const auto *const bytes = static_cast<const std::uint8_t *>(to.get_data_handle());
    return {bytes, bytes + md.get_size()};
}

tensor workplace::library_unpacked(const memory::desc &md, const void *data) const {
    const memory::desc plain(md.get_dims(), md.get_data_type(), dims {});
    const dnnl::memory from(md, engine_, const_cast<void *>(data)), to(plain, engine_);
    dnnl::reorder(from, to).execute(stream_, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return layout(plain).unpack(to.get_data_handle());
}

workplace::bound_argument workplace::bind(const tensor_spec &spec, std::size_t index,
    const evaluation &data, const dnnl::primitive_desc_base &pd, placement where) {
    const memory::desc md = concrete_desc(spec, pd);
    bound_argument bound {&spec, md, layout(md, spec.bytes), {}, nullptr, poison_of(spec.type)};
    if (spec.use == role::output)
        bound.contents = bound.placed.poisoned(bound.poison);
    else if (bound.placed.is_known())
        bound.contents = bound.placed.pack(data.values.at(spec.argument), bound.poison);
    else
        bound.contents = library_packed(md, data.values.at(spec.argument), where);
    bound.buffer = &buffer(index);
    bound.buffer->fill(bound.contents, where);
    return bound;
}

// The memory of an argument that may be a host scalar: it is one where the data are given with the
// memory, and an ordinary memory elsewhere.
dnnl::memory workplace::host_scalar(const tensor_spec &spec, const void *value) {
    dnnl_memory_t made = nullptr;
    const memory::desc md = memory::desc::host_scalar(spec.type);
    dnnl::error::wrap_c_api(
        dnnl_memory_create_host_scalar(&made, md.get(), const_cast<void *>(value)),
        "cannot create a host scalar");
    return dnnl::memory(made);
}

// Each buffer of a sparse input has guarded memory of its own, from number `index` on.
dnnl::memory workplace::bind_sparse(const tensor_spec &spec, std::size_t index,
    const evaluation &data, const dnnl::primitive_desc_base &pd, placement where, binding &b) {
    const memory::desc md = concrete_desc(spec, pd);
    std::vector<void *> handles;
    for (auto &contents : sparse_buffers(spec, md, data.values.at(spec.argument))) {
        guarded_buffer &place = buffer(index + handles.size());
        place.fill(contents, where);
        handles.push_back(place.data());
        b.bound.push_back({&spec, md, layout(md), std::move(contents), &place, 0});
    }
    return dnnl::memory(md, engine_, handles);
}

workplace::binding workplace::bind_all(const test_problem &problem, const evaluation &data,
    const dnnl::primitive_desc_base &pd, placement where) {
    binding b;
    for (std::size_t i = 0; i < problem.tensors.size(); ++i) {
        const tensor_spec &spec = problem.tensors[i];
        if (!spec.passed) continue;
        if (spec.is_sparse) {
            // Behind those of all tensors, the scratchpad and the workspace.
            const std::size_t first = problem.tensors.size() + 2 + 3 * i;
            b.arguments[spec.argument] = bind_sparse(spec, first, data, pd, where, b);
            continue;
        }
        b.bound.push_back(bind(spec, i, data, pd, where));
        // The data are given with the memory, or later.
        void *const bytes = b.bound.back().buffer->data();
        dnnl::memory argument(
            b.bound.back().md, engine_, where == placement::end ? bytes : DNNL_MEMORY_NONE);
        if (where == placement::begin) argument.set_data_handle(bytes);
        if (spec.on_host && where == placement::end) argument = host_scalar(spec, bytes);
        b.arguments[spec.argument] = argument;
    }
    if (is_in_place(problem.line)) share_buffers(problem, b);
    problem.complete(engine_, stream_, data.values, pd, b.arguments);
    bind_workspace(problem, pd, where, b);
    const memory::desc scratchpad = pd.scratchpad_desc();
    if (!scratchpad.is_zero()) {
        guarded_buffer &scratch = buffer(problem.tensors.size());
        scratch.fill(std::vector<std::uint8_t>(scratchpad.get_size(), 0xff), where);
        b.arguments[DNNL_ARG_SCRATCHPAD] = dnnl::memory(scratchpad, engine_, scratch.data());
    }
    return b;
}

// Forward passes write the workspace, backward passes read that of a forward pass.
void workplace::bind_workspace(
    const test_problem &problem, const dnnl::primitive_desc_base &pd, placement where, binding &b) {
    const memory::desc md = pd.workspace_desc();
    if (md.is_zero()) return;
    const auto given = b.arguments.find(DNNL_ARG_WORKSPACE);
    b.workspace = std::make_unique<tensor_spec>();
    b.workspace->argument = DNNL_ARG_WORKSPACE;
    b.workspace->name = "workspace";
    b.workspace->shape = md.get_dims();
    b.workspace->type = md.get_data_type();
    b.workspace->use = given == b.arguments.end() ? role::output : role::input;
    guarded_buffer &place = buffer(problem.tensors.size() + 1);
    bound_argument bound {b.workspace.get(), md, layout(md), {}, &place, 0xff};
    bound.contents.assign(md.get_size(), bound.poison);
    if (given != b.arguments.end() && !bound.contents.empty())
        std::memcpy(bound.contents.data(), given->second.get_data_handle(), bound.contents.size());
    bound.buffer->fill(bound.contents, where);
    b.arguments[DNNL_ARG_WORKSPACE] = dnnl::memory(md, engine_, bound.buffer->data());
    b.bound.push_back(std::move(bound));
}

// In place: the output takes the memory of the input, if the descriptors agree.
void workplace::share_buffers(const test_problem &problem, binding &b) const {
    const int from =
        first_present(problem, {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_MULTIPLE_SRC});
    const int to = first_present(problem, {DNNL_ARG_DIFF_SRC, DNNL_ARG_DST});
    bound_argument *source = nullptr, *output = nullptr;
    for (bound_argument &candidate : b.bound) {
        if (candidate.spec->argument == from) source = &candidate;
        if (candidate.spec->argument == to) output = &candidate;
    }
    if (!source || !output || source->md != output->md ||
        source->placed.bytes() != output->placed.bytes()) // views may end in different places
        throw skipped_case("Invalid case: in place needs equal descriptors");
    if (output->spec->use == role::update)
        throw skipped_case("Invalid case: in place with a sum post-op");
    output->buffer = source->buffer;
    b.arguments[output->spec->argument] = dnnl::memory(output->md, engine_, source->buffer->data());
    source->buffer = nullptr; // its contents may change
}

execution_result workplace::execute(const test_problem &problem, const evaluation &data,
    const dnnl::primitive_desc_base &pd, placement where) {
    execution_result result;
    const binding b = bind_all(problem, data, pd, where);
    const std::string line = problem.line.line();
    const auto action = [&] {
        dnnl::primitive(pd.get()).execute(stream_, b.arguments);
        stream_.wait();
    };
    if (!runs_inside_memory(action, line, result.wrong)) return result;
    const expectation_map expected = expected_of(problem, data, b);
    for (const bound_argument &argument : b.bound) judge(argument, expected, data.judged, result);
    const std::size_t scratch = problem.tensors.size();
    if (b.arguments.count(DNNL_ARG_SCRATCHPAD) && result.wrong.empty() &&
        !buffer(scratch).rest_is_untouched())
        result.wrong = "wrote outside the scratchpad";
    return result;
}

tensor workplace::contents_of(
    const memory::desc &md, const layout &placed, const void *bytes) const {
    return placed.is_known() ? placed.unpack(bytes) : library_unpacked(md, bytes);
}

// What the inputs decide, or the inputs together with the states that the execution came to.
expectation_map workplace::expected_of(
    const test_problem &problem, const evaluation &data, const binding &b) const {
    const int argument = problem.states_argument();
    if (argument == 0 || !data.judged) return data.expected;
    const dnnl::memory &states = b.arguments.at(argument);
    const memory::desc md = states.get_desc();
    return problem.expected_from_states(
        data.values, contents_of(md, layout(md), states.get_data_handle()), data.flushed);
}

void workplace::judge(const bound_argument &argument, const expectation_map &expected, bool judges,
    execution_result &result) const {
    const tensor_spec &spec = *argument.spec;
    if (!argument.buffer) return;
    const auto complain = [&](const std::string &what) {
        if (result.wrong.empty()) result.wrong = what;
    };
    if (!argument.buffer->rest_is_untouched())
        return complain("wrote outside the buffer of " + spec.name);
    const std::uint8_t *const bytes = argument.buffer->data();
    if (spec.use == role::input) {
        if (!std::equal(argument.contents.begin(), argument.contents.end(), bytes))
            complain("changed its input " + spec.name);
        return;
    }
    const tensor got = contents_of(argument.md, argument.placed, bytes);
    for (double value : got.values) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        result.hash = (result.hash ^ bits) * 1099511628211u;
    }
    if (!judges) return;
    const auto found = expected.find(spec.argument);
    const std::size_t judged = found == expected.end() ? 0 : found->second.size();
    const bool opaque = judged != got.values.size() && spec.argument == DNNL_ARG_WORKSPACE;
    if (judged != got.values.size() && !opaque)
        throw usage_error("the oracle gave too few results for " + spec.name);
    if (judged > 0 && !opaque) judge_values(spec, found->second, got, result);
    const std::string damage =
        argument.placed.is_known() ? argument.placed.damage_outside(bytes, argument.poison) : "";
    if (!damage.empty()) complain(damage);
}

void workplace::judge_values(const tensor_spec &spec, const std::vector<interval> &expected,
    const tensor &got, execution_result &result) const {
    if (tells_elements_) print_comparison(spec, expected, got);
    std::size_t errors = 0, first = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (leaves_open(spec.type, expected[i])) {
            ++result.open;
            continue;
        }
        result.trivial &= got.values[i] == 0;
        if (!conforms(spec.type, expected[i], got.values[i]) && errors++ == 0) first = i;
        result.scores.add(score_of(spec.type, expected[i], got.values[i]));
    }
    result.total += expected.size();
    result.errors += errors;
    if (errors == 0 || !result.wrong.empty()) return;
    dims position(spec.shape.size(), 0);
    for (std::size_t i = 0; i < first; ++i) next_position(position, spec.shape);
    result.wrong = mismatch_text(spec, position, expected[first], got.values[first]);
}

} // namespace conformance
