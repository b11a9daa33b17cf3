// SPDX-License-Identifier: Apache-2.0
// How evenly products are shared among 4 to 128 threads: the rows and columns that each thread gets
// are counted, over the shapes of the benchmarks, on any machine.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "common/runtime/parallel.hpp"
#include "cpu/gemm/gemm.hpp"

namespace {

using namespace dnnl::impl;
using namespace dnnl::impl::cpu;

struct product {
    std::string name;
    dim_t groups, M, N;
};

/// Extents of a convolution's line: letters, then a number. Missing heights are widths, and so on.
product convolution_of(const std::string &line, dim_t mb) {
    std::map<std::string, dim_t> extents;
    const std::regex extent("([a-z]+)([0-9]+)");
    const std::string problem = line.substr(0, line.find('"'));
    for (std::sregex_iterator i(problem.begin(), problem.end(), extent), end; i != end; ++i)
        extents[(*i)[1]] = std::stoll((*i)[2]);
    const auto first_of = [&](std::initializer_list<const char *> names) -> dim_t {
        for (const char *name : names)
            if (extents.count(name)) return extents[name];
        return 1;
    };
    const bool has_depth = extents.count("od") > 0,
               has_height = has_depth || extents.count("oh") > 0;
    const dim_t D = has_depth ? extents["od"] : 1, H = has_height ? first_of({"oh", "od"}) : 1;
    const dim_t W = first_of({"ow", "oh", "od"}), G = first_of({"g"});
    return {line + " mb" + std::to_string(mb), G, mb * D * H * W, extents["oc"] / G};
}

/// MxK:KxN, with batches before.
product matmul_of(const std::string &line) {
    const std::regex plain("^(?:([0-9x]+)x)?([0-9]+)x[0-9]+:(?:[0-9x]+x)?[0-9]+x([0-9]+)");
    std::smatch found;
    if (!std::regex_search(line, found, plain)) return {line, 0, 0, 0};
    dim_t batches = 1;
    const std::string outer = found[1];
    const std::regex number("[0-9]+");
    for (std::sregex_iterator i(outer.begin(), outer.end(), number), end; i != end; ++i)
        batches *= std::stoll(i->str());
    return {line, batches, std::stoll(found[2]), std::stoll(found[3])};
}

std::vector<product> products() {
    std::vector<product> all;
    for (const auto &file : std::filesystem::directory_iterator(SHAPES)) {
        const std::string name = file.path().stem().string();
        const bool convolution = name.rfind("conv_", 0) == 0,
                   matmul = name.rfind("matmul_", 0) == 0;
        std::ifstream lines(file.path());
        for (std::string line; (convolution || matmul) && std::getline(lines, line);) {
            if (line.empty() || line[0] == '#') continue;
            if (matmul) all.push_back(matmul_of(line));
            for (dim_t mb : {1, 16})
                if (convolution) all.push_back(convolution_of(line, mb));
        }
    }
    return all;
}

struct kernel_shape {
    dim_t mr, panel_columns;
};

/// The largest share of any thread, divided by the mean; and whether there are as many register
/// tiles as threads.
struct evenness {
    double largest;
    bool has_pieces;
};
evenness evenness_of(const product &p, const kernel_shape &kernel, int threads, bool of_matmul) {
    constexpr dim_t most_rows = 384;
    const dim_t columns = of_matmul ? 256 : round_up(p.N, kernel.panel_columns);
    const work_item item = choose_item(
        {p.groups, p.M, p.N, 1, kernel.mr, kernel.panel_columns, most_rows, columns}, threads);
    const dim_t row_parts = div_up(p.M, item.rows), column_parts = div_up(p.N, item.columns);
    const dim_t items = p.groups * row_parts * column_parts;
    double largest = 0, all = 0;
    for (int thread = 0; thread < threads; ++thread) {
        const item_range range = range_of_thread(items, threads, thread);
        double own = 0;
        for (dim_t i = range.begin; i < range.end; ++i) {
            const dim_t m0 = i / column_parts % row_parts * item.rows;
            const dim_t n0 = i % column_parts * item.columns;
            own += static_cast<double>(std::min(item.rows, p.M - m0)) *
                   static_cast<double>(std::min(item.columns, p.N - n0));
        }
        largest = std::max(largest, own);
        all += own;
    }
    BOOST_TEST(all == static_cast<double>(p.groups * p.M * p.N)); // nothing lost, nothing twice
    const dim_t pieces = p.groups * div_up(p.M, kernel.mr) * div_up(p.N, kernel.panel_columns);
    return {largest * threads / all, pieces >= 4 * threads};
}

BOOST_AUTO_TEST_CASE(threads_get_equal_shares) {
    const std::map<int, double> limits {
        {4, 1.15}, {8, 1.15}, {16, 1.15}, {32, 1.3}, {64, 1.5}, {128, 2.0}};
    for (const auto &[threads, limit] : limits) {
        dim_t few = 0, counted = 0;
        double worst = 1;
        for (const product &p : products())
            for (const kernel_shape &kernel : {kernel_shape {6, 64}, {12, 32}}) {
                if (p.groups * p.M * p.N == 0) continue;
                const bool of_matmul = p.name.find(':') < p.name.find('"');
                const evenness e = evenness_of(p, kernel, threads, of_matmul);
                if (!e.has_pieces) {
                    ++few;
                    BOOST_TEST_MESSAGE(
                        "fewer than four tiles for each of " << threads << " threads: " << p.name);
                    continue;
                }
                ++counted;
                worst = std::max(worst, e.largest);
                BOOST_TEST(e.largest <= limit, p.name << " on " << threads << " threads, tiles of "
                                                      << kernel.mr << " x " << kernel.panel_columns
                                                      << ": " << e.largest);
            }
        BOOST_TEST_MESSAGE(threads << " threads: at most " << worst << " times the mean, of "
                                   << counted << " products; " << few << " have too few tiles");
        BOOST_TEST(counted > 100);
    }
}

} // namespace
