// SPDX-License-Identifier: Apache-2.0
// Runs the node tests of ONNX that export_node_tests.py wrote: a folder per test with model.onnx,
// input_K.pb and output_K.pb. Counts what passes, what is wrong, and what is unsupported, by name.
#include "../model/error.hpp"
#include "../model/read_model.hpp"
#include "../network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace {

using namespace dnnl_onnx;
namespace fs = std::filesystem;

/// As ONNX's own runner judges: |found - wanted| <= 1e-7 + 1e-3 |wanted|; NaN equals NaN. The
/// results of bf16 there are cut off rather than rounded, which is 2^-7 of a number.
std::string difference(const tensor &found, const tensor &wanted) {
    if (found.type() != wanted.type())
        return "is " + text_of(found.type()) + " instead of " + text_of(wanted.type());
    const double relative = found.type().type == element_type::bf16 ? 0x1p-7 : 1e-3;
    const auto a = found.numbers(), b = wanted.numbers();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        if (std::abs(a[i] - b[i]) <= 1e-7 + relative * std::abs(b[i])) continue;
        return fmt::format("has {} instead of {} at {}", a[i], b[i], i);
    }
    return "";
}

std::vector<tensor> tensors_in(const fs::path &folder, const char *prefix) {
    std::vector<tensor> found;
    for (;;) {
        const fs::path file = folder / fmt::format("{}_{}.pb", prefix, found.size());
        if (!fs::exists(file)) return found;
        found.push_back(read_tensor(file));
    }
}

/// Empty where the outputs are right, otherwise what is wrong.
std::string run_test(const fs::path &folder) {
    // Tests with values that are no tensors have a file that says so.
    if (std::ifstream reason(folder / "unsupported"); reason) {
        std::string text;
        std::getline(reason, text);
        throw unsupported(text);
    }
    network_options options;
    options.check_extents = false; // some tests declare others than they give
    network net(read_model(folder / "model.onnx"), options);
    const std::vector<tensor> inputs = tensors_in(folder, "input");
    const std::vector<tensor> wanted = tensors_in(folder, "output");
    named_tensors given;
    for (std::size_t i = 0; i < inputs.size(); ++i) given[net.inputs().at(i).name] = inputs[i];
    // Twice: the second run takes the program that the first one made.
    for (int run = 0; run < 2; ++run) {
        const std::vector<tensor> found = net.run(given);
        if (found.size() != wanted.size()) return "has another number of outputs";
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::string text = difference(found[i], wanted[i]);
            if (!text.empty()) return fmt::format("output {} {}", i, text);
        }
    }
    return "";
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2 || argc > 4) {
        fmt::print(stderr, "usage: onnx_node_tests FOLDER [LEAST_PASSED [NAME]]\n");
        return 2;
    }
    std::vector<fs::path> folders;
    for (const auto &entry : fs::directory_iterator(argv[1]))
        if (entry.is_directory() && (argc < 4 || entry.path().filename() == argv[3]))
            folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    int passed = 0, wrong = 0, refused = 0;
    for (const fs::path &folder : folders) {
        const std::string name = folder.filename().string();
        try {
            const std::string text = run_test(folder);
            ++(text.empty() ? passed : wrong);
            if (!text.empty()) fmt::print("wrong        {}: {}\n", name, text);
        } catch (const unsupported &e) {
            ++refused;
            fmt::print("unsupported  {}: {}\n", name, e.what());
        } catch (const std::exception &e) {
            ++wrong;
            fmt::print("wrong        {}: {}\n", name, e.what());
        }
        std::fflush(stdout);
    }
    fmt::print(
        "{} passed, {} wrong, {} unsupported of {}\n", passed, wrong, refused, folders.size());
    return wrong > 0 || passed < (argc > 2 ? std::atoi(argv[2]) : 0) ? 1 : 0;
}
