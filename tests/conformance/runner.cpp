// SPDX-License-Identifier: Apache-2.0
// Creation, execution between guard pages, and judgement of one case.
#include "runner.hpp"

#include "usage_error.hpp"

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

std::string mismatch_text(const tensor_spec &spec, const dims &position, const interval &expected,
    double got, std::size_t errors, std::size_t total) {
    return spec.name + text_of(position) + " is " + number_text(got) + ", expected " +
           number_text(expected.value) + " in [" + number_text(expected.low) + ", " +
           number_text(expected.high) + "]) (errors:" + std::to_string(errors) +
           " total:" + std::to_string(total);
}

bool is_in_place(const test_case &c) {
    const auto found = c.settings.find("inplace");
    return found != c.settings.end() && found->second == "true";
}

// Elements that share their place (stride 0) share their value.
tensor as_stored(const tensor_spec &spec, tensor values) {
    if (is_value_array(spec.holds) || !spec.concrete.is_zero() ||
        spec.requested.get_format_kind() != memory::format_kind::blocked)
        return values;
    const layout placed(spec.requested);
    if (!placed.is_known() || placed.bytes() >= values.values.size() * bytes_of(spec.type))
        return values;
    return placed.unpack(placed.pack(values, 0).data());
}

// The input whose buffer an in-place run writes, 0 if there is none.
int in_place_source(const test_problem &problem) {
    for (int argument : {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_MULTIPLE_SRC})
        for (const tensor_spec &spec : problem.tensors)
            if (spec.argument == argument) return argument;
    return 0;
}

} // namespace

runner::runner(report &out, std::uint64_t seed)
    : report_(out), seed_(seed), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

guarded_buffer &runner::buffer(std::size_t index) {
    while (buffers_.size() <= index) buffers_.emplace_back();
    return *std::next(buffers_.begin(), std::ptrdiff_t(index));
}

void runner::run(const test_case &c, const implementation_filter &filter) {
    const std::string line = c.line();
    try {
        const auto problem = make_problem(c);
        const std::string wrong = judge_all(*problem, filter, created(*problem));
        report_.finish_case(line, wrong.empty() ? verdict::passed : verdict::failed, wrong);
    } catch (const skipped_case &reason) {
        report_.finish_case(line, verdict::skipped, reason.what());
    } catch (const usage_error &) {
        throw;
    } catch (const std::runtime_error &fault) {
        report_.finish_case(line, verdict::failed, fault.what());
    } catch (const dnnl::error &error) {
        if (error.status == dnnl_unimplemented) {
            report_.count_refusal(c.what->name, error.what());
            return report_.finish_case(
                line, verdict::skipped, std::string("unimplemented: ") + error.what());
        }
        report_.finish_case(line, verdict::failed,
            "status " + std::to_string(int(error.status)) + ": " + error.what());
    }
}

dnnl::primitive_desc_base runner::created(const test_problem &problem) const {
    dnnl::primitive_desc_base pd;
    std::string fault;
    const auto create = [&] { pd = problem.create(engine_, problem.attributes()); };
    if (!runs_inside_memory(create, problem.line.line(), fault))
        throw std::runtime_error("creation " + fault);
    return pd;
}

std::vector<runner::evaluation> runner::evaluate(const test_problem &problem) const {
    std::vector<evaluation> result;
    const std::uint64_t seed = hash_of(problem.line.line(), seed_);
    for (fill kind : {fill::exact, fill::random, fill::adversarial}) {
        evaluation data {kind, {}, {}};
        for (const tensor_spec &spec : problem.tensors)
            if (spec.use != role::output)
                data.values[spec.argument] = as_stored(spec, filled(spec, kind, seed));
        data.expected = problem.expected(data.values);
        result.push_back(std::move(data));
    }
    return result;
}

std::string runner::judge_all(const test_problem &problem, const implementation_filter &filter,
    dnnl::primitive_desc_base pd) {
    const auto evaluations = evaluate(problem);
    std::string first_wrong;
    bool judged = false;
    while (true) {
        const std::string name = pd.impl_info_str();
        if (filter.accepts(name)) {
            judged = true;
            const std::string wrong = judge_implementation(problem, evaluations, pd);
            if (first_wrong.empty() && !wrong.empty()) first_wrong = name + ", " + wrong;
        }
        dnnl_status_t status = dnnl_runtime_error;
        std::string fault;
        const auto advance = [&] { status = dnnl_primitive_desc_next_impl(pd.get()); };
        if (!runs_inside_memory(advance, problem.line.line(), fault))
            return "next implementation after " + name + ": " + fault;
        if (status == dnnl_last_impl_reached) break;
        dnnl::error::wrap_c_api(status, "next implementation");
    }
    if (!judged) throw skipped_case("Skip-impl option hit");
    return first_wrong;
}

std::string runner::judge_implementation(const test_problem &problem,
    const std::vector<evaluation> &evaluations, const dnnl::primitive_desc_base &pd) {
    const std::string row = problem.line.what->name + " " + pd.impl_info_str();
    std::string first_wrong;
    std::uint64_t hash = hash_of(row);
    for (const evaluation &data : evaluations)
        for (placement where : {placement::end, placement::begin}) {
            if (data.kind == fill::random && where == placement::begin) continue;
            if (data.kind == fill::adversarial && where == placement::end) continue;
            execution_result result;
            try {
                result = execute(problem, data, pd, where);
            } catch (const dnnl::error &error) {
                result.wrong =
                    "execution: status " + std::to_string(int(error.status)) + ": " + error.what();
            }
            report_.count_execution(row, result.wrong.empty());
            hash = hash_of(std::to_string(result.hash), hash);
            if (first_wrong.empty() && !result.wrong.empty())
                first_wrong = std::string("fill ") + name_of(data.kind) + ", data at the " +
                              (where == placement::end ? "end" : "begin") + ": " + result.wrong;
        }
    report_.record_hash(problem.line.line(), row, hash);
    return first_wrong;
}

// A layout that only the library knows is written by the library's own reorder.
std::vector<std::uint8_t> runner::library_packed(
    const memory::desc &md, const tensor &values) const {
    const memory::desc plain(values.shape, values.type, dims {});
    const dnnl::memory from(plain, engine_), to(md, engine_);
    const auto contents = layout(plain).pack(values, 0);
    std::memcpy(from.get_data_handle(), contents.data(), contents.size());
    dnnl::reorder(from, to).execute(stream_, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    const auto *const bytes = static_cast<const std::uint8_t *>(to.get_data_handle());
    return {bytes, bytes + md.get_size()};
}

tensor runner::library_unpacked(const memory::desc &md, const void *data) const {
    const memory::desc plain(md.get_dims(), md.get_data_type(), dims {});
    const dnnl::memory from(md, engine_, const_cast<void *>(data)), to(plain, engine_);
    dnnl::reorder(from, to).execute(stream_, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return layout(plain).unpack(to.get_data_handle());
}

runner::bound_argument runner::bind(const tensor_spec &spec, const evaluation &data,
    const dnnl::primitive_desc_base &pd, placement where) {
    // Values of scales and zero points are dense; run-time dimensions are known by now.
    memory::desc md = is_value_array(spec.holds) ? spec.requested : spec.concrete;
    if (md.is_zero()) md = pd.query_md(dnnl::query::exec_arg_md, spec.argument);
    bound_argument bound {&spec, md, layout(md), {}, nullptr, poison_of(spec.type)};
    if (spec.use == role::output)
        bound.contents = bound.placed.poisoned(bound.poison);
    else if (bound.placed.is_known())
        bound.contents = bound.placed.pack(data.values.at(spec.argument), bound.poison);
    else
        bound.contents = library_packed(md, data.values.at(spec.argument));
    bound.buffer = &buffer(std::size_t(&spec - data_begin_));
    bound.buffer->fill(bound.contents, where);
    return bound;
}

runner::execution_result runner::execute(const test_problem &problem, const evaluation &data,
    const dnnl::primitive_desc_base &pd, placement where) {
    execution_result result;
    std::vector<bound_argument> bound;
    argument_map arguments;
    data_begin_ = problem.tensors.data();
    for (const tensor_spec &spec : problem.tensors) {
        if (!spec.passed) continue;
        bound.push_back(bind(spec, data, pd, where));
        arguments[spec.argument] =
            dnnl::memory(bound.back().md, engine_, bound.back().buffer->data());
    }
    if (is_in_place(problem.line)) share_buffers(problem, bound, arguments);
    problem.complete(engine_, stream_, data.values, pd, arguments);
    const memory::desc scratchpad = pd.scratchpad_desc();
    if (!scratchpad.is_zero()) {
        guarded_buffer &scratch = buffer(problem.tensors.size());
        scratch.fill(std::vector<std::uint8_t>(scratchpad.get_size(), 0xff), where);
        arguments[DNNL_ARG_SCRATCHPAD] = dnnl::memory(scratchpad, engine_, scratch.data());
    }
    const std::string line = problem.line.line();
    const auto action = [&] {
        dnnl::primitive(pd.get()).execute(stream_, arguments);
        stream_.wait();
    };
    if (!runs_inside_memory(action, line, result.wrong)) return result;
    for (const bound_argument &argument : bound) {
        const std::string wrong = judge_argument(argument, data, result.hash);
        if (result.wrong.empty()) result.wrong = wrong;
    }
    return result;
}

// In place: the output takes the memory of the input, if the descriptors agree.
void runner::share_buffers(const test_problem &problem, std::vector<bound_argument> &bound,
    argument_map &arguments) const {
    bound_argument *source = nullptr, *output = nullptr;
    for (bound_argument &candidate : bound) {
        if (candidate.spec->argument == in_place_source(problem)) source = &candidate;
        if (candidate.spec->use != role::input) output = &candidate;
    }
    if (!source || !output || source->md != output->md)
        throw skipped_case("Invalid case: in place needs equal descriptors");
    if (output->spec->use == role::update)
        throw skipped_case("Invalid case: in place with a sum post-op");
    output->buffer = source->buffer;
    arguments[output->spec->argument] = dnnl::memory(output->md, engine_, source->buffer->data());
    source->buffer = nullptr; // its contents may change
}

std::string runner::judge_argument(
    const bound_argument &argument, const evaluation &data, std::uint64_t &hash) const {
    const tensor_spec &spec = *argument.spec;
    if (!argument.buffer) return {};
    if (!argument.buffer->rest_is_untouched()) return "wrote outside the buffer of " + spec.name;
    const std::uint8_t *const bytes = argument.buffer->data();
    if (spec.use == role::input) {
        const bool same = std::equal(argument.contents.begin(), argument.contents.end(), bytes);
        return same ? "" : "changed its input " + spec.name;
    }
    const tensor got = argument.placed.is_known() ? argument.placed.unpack(bytes)
                                                  : library_unpacked(argument.md, bytes);
    for (double value : got.values) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    const auto found = data.expected.find(spec.argument);
    const std::size_t judged = found == data.expected.end() ? 0 : found->second.size();
    if (judged != got.values.size()) throw usage_error("the oracle gave too few results");
    std::size_t errors = 0, first = 0, open = 0;
    for (std::size_t i = 0; i < judged; ++i) {
        open += found->second[i].any_allowed;
        if (!conforms(spec.type, found->second[i], got.values[i]) && errors++ == 0) first = i;
    }
    report_.count_elements(judged, open);
    if (errors > 0) {
        dims position(spec.shape.size(), 0);
        for (std::size_t i = 0; i < first; ++i) next_position(position, spec.shape);
        return mismatch_text(
            spec, position, found->second[first], got.values[first], errors, judged);
    }
    return argument.placed.is_known() ? argument.placed.damage_outside(bytes, argument.poison) : "";
}

} // namespace conformance
