// SPDX-License-Identifier: Apache-2.0
// The files that make a run fail: rows that must be there, elements that may be open.
#include "oracle/interval.hpp"
#include "report/open_elements.hpp"
#include "report/required_rows.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace conformance;

namespace {

// A file with this text, gone with the object.
class text_file {
  public:
    explicit text_file(const std::string &text)
        : path_("/tmp/dnnl-conformance-test." + std::to_string(getpid())) {
        std::ofstream(path_) << text;
    }
    ~text_file() { std::remove(path_.c_str()); }
    const std::string &path() const { return path_; }

  private:
    const std::string path_;
};

case_result walked_case(const std::string &line, std::initializer_list<const char *> rows) {
    case_result result;
    result.driver = "conv";
    result.direction = "FWD_B";
    result.types = "f32";
    result.line = line;
    result.what = status::initialized;
    result.walked = true;
    for (const char *name : rows) {
        row_result row;
        row.implementation = name;
        result.rows.push_back(row);
    }
    return result;
}

const char *const rules = R"(
float = f32|bf16   # alternatives
exempt conv WINO
level AVX2:avx2 AVX512_CORE:avx512
conv FWD_.* {float} gemm:* unless:dw:
conv .* .* depthwise:* when:g(\d+)ic\1
)";

std::unique_ptr<required_rows> rows_of_level(const std::string &only) {
    const text_file file(rules);
    return std::make_unique<required_rows>(
        file.path(), [&](const std::string &level) { return level == only; });
}

} // namespace

BOOST_AUTO_TEST_CASE(rows_of_an_effective_level_are_required) {
    const auto required = rows_of_level("AVX2");
    const std::vector<std::string> nothing, gemm = {"gemm:avx2"};
    BOOST_CHECK(required->missing(walked_case("--conv ic4oc4", {"gemm:avx2"})) == nothing);
    BOOST_CHECK(required->missing(walked_case("--conv ic4oc4", {"gemm:avx512"})) == gemm);
    BOOST_CHECK(required->missing(walked_case("--conv --alg=WINO ic4", {})) == nothing);
    BOOST_CHECK(required->missing(walked_case("--conv --x=dw:k3 ic4", {})) == nothing);
    BOOST_CHECK_EQUAL(required->never_asked().size(), 1u);
    const std::vector<std::string> depthwise = {"depthwise:avx2"};
    BOOST_CHECK(required->missing(walked_case("--conv g4ic4oc4", {"gemm:avx2"})) == depthwise);
    BOOST_CHECK(required->never_asked().empty());
}

BOOST_AUTO_TEST_CASE(a_case_without_its_row_fails) {
    report results;
    results.require(rows_of_level("AVX512_CORE"), false);
    results.finish_case(walked_case("--conv ic4oc4", {"gemm:avx512"}));
    results.finish_case(walked_case("--conv ic4oc4", {"gemm:avx2"}));
    case_result refused = walked_case("--conv ic4oc4", {});
    refused.what = status::unimplemented;
    refused.walked = false;
    results.finish_case(refused);
    BOOST_CHECK_EQUAL(results.failed(), 2u);
    const auto &failures = results.results().failures;
    BOOST_REQUIRE_EQUAL(failures.size(), 2u);
    BOOST_CHECK(failures[0].reason.find("gemm:avx512") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_first_ceiling_that_fits_decides) {
    const text_file file("lrn bf16 X 50\nlrn .* XR 10\n");
    const open_elements ceilings(file.path());
    const auto excess = [&](const char *types, char fill, const element_count &of_each_case) {
        element_total two;
        two.add(of_each_case);
        two.add(of_each_case);
        return ceilings.excess("lrn", types, fill, two);
    };
    BOOST_CHECK(excess("bf16", 'X', {1000, 400}).empty());
    BOOST_CHECK(!excess("bf16", 'X', {1000, 700}).empty());
    BOOST_CHECK(!excess("f32", 'X', {1000, 400}).empty());
    BOOST_CHECK(!excess("f32", 'E', {1000000, 1}).empty());
    BOOST_CHECK(excess("f32", 'E', {1000000, 0}).empty());
}

BOOST_AUTO_TEST_CASE(one_case_does_not_reach_a_ceiling_alone) {
    const text_file file("lrn .* X 10\n");
    const open_elements ceilings(file.path());
    element_total total;
    total.add({10000, 9000});
    for (int i = 0; i < 10; ++i) total.add({1000, 50});
    BOOST_CHECK(ceilings.excess("lrn", "f32", 'X', total).empty());
    total.add({10000, 8000});
    BOOST_CHECK(!ceilings.excess("lrn", "f32", 'X', total).empty());
}

BOOST_AUTO_TEST_CASE(an_interval_over_the_whole_type_is_open) {
    BOOST_CHECK(leaves_open(data_type::u8, interval(100, 1000)));
    BOOST_CHECK(!leaves_open(data_type::u8, interval(100, 120)));
    BOOST_CHECK(!leaves_open(data_type::f32, interval(0, 1e30)));
    BOOST_CHECK(leaves_open(data_type::f32, interval(0, INFINITY)));
    BOOST_CHECK(!leaves_open(data_type::f32, interval(NAN)));
}
