// SPDX-License-Identifier: Apache-2.0
// The case language point by point: state machine, global options, statuses, batch files, problem
// forms, drivers (case-language.md 1, 2, 3, 5, 6).
#include "execution/interpreter.hpp"
#include "language/spatial.hpp"
#include "language/usage_error.hpp"
#include "oracle/problem.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <fstream>

using namespace conformance;

namespace {

struct session {
    std::vector<std::string> lines, repro;
    std::vector<test_case> cases;
    interpreter language;
    explicit session(std::vector<std::string> folders = {})
        : language(
              [this](const test_case &c, const run_options &o) {
                  lines.push_back(c.line());
                  repro.push_back(o.line(c));
                  cases.push_back(c);
              },
              std::move(folders)) {}
    session &say(const std::string &text) {
        language.run(batch_tokens(text));
        return *this;
    }
};

std::vector<std::string> lines_of(const std::string &text) { return session().say(text).lines; }

std::string repro_of(const std::string &text) {
    session s;
    s.say(text);
    BOOST_REQUIRE_EQUAL(s.repro.size(), 1u);
    return s.repro[0];
}

int exit_code_of(const std::string &text) {
    try {
        lines_of(text);
    } catch (const usage_error &error) {
        return error.exit_code;
    }
    return 0;
}

struct written_file {
    std::string path;
    written_file(const std::string &name, const std::string &contents) : path(name) {
        std::ofstream(path) << contents;
    }
    ~written_file() { std::remove(path.c_str()); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(state_machine)

BOOST_AUTO_TEST_CASE(all_drivers_exist) {
    for (const char *name : {"conv", "deconv", "ip", "matmul", "pool", "bnorm", "gnorm", "lnorm",
             "lrn", "softmax", "eltwise", "binary", "prelu", "reduction", "resampling", "reorder",
             "shuffle", "sum", "concat", "rnn", "zeropad"})
        BOOST_CHECK_MESSAGE(find_driver(name), name);
}

BOOST_AUTO_TEST_CASE(exit_codes_of_wrong_tokens) {
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --colour=red 2x3:3x2"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--matmul -x"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--nonsense"), 1); // no driver
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --nonsense"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--colour=red --matmul"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --fast-ref-gpu=true 2x3:3x2"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--mode=CP --matmul 2x3:3x2"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--mode=S --fix-times-per-prb=3 --matmul 2x3:3x2"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--fix-times-per-prb=3 --mode=S --matmul 2x3:3x2"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--mode=S --matmul 2x3:3x2"), 0);
    BOOST_CHECK_EQUAL(exit_code_of("--summary=no-failures+impl --matmul 2x3:3x2"), 0);
    BOOST_CHECK_EQUAL(exit_code_of("--summary=everything --matmul 2x3:3x2"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--execution-mode=graph --matmul 2x3:3x2"), 1);
    for (const char *flag : {"true", "1", "TRUE", "false", "0"})
        BOOST_CHECK_EQUAL(exit_code_of(std::string("--eltwise --inplace=") + flag + " 2x3"), 0);
    BOOST_CHECK_EQUAL(exit_code_of("--eltwise --inplace=yes 2x3"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --dt=f33 2x3:3x2"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --stag=aab 2x3:3x2"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --stag=cab 2x3:3x2"), 0); // a tag, of three dimensions
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --stag=fedcba 2x3:3x2"), 2); // not in the enumeration
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --batch=no_such_file"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--mode=F --max-ms-per-prb=20 --matmul 2x3:3x2"), 2);
    BOOST_CHECK_EQUAL(exit_code_of("--engine=gpu --matmul 2x3:3x2"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--memory-kind=usm --matmul 2x3:3x2"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--cold-cache=custom --matmul 2x3:3x2"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--cold-cache=all+tlb:64 --matmul 2x3:3x2"), 1);
    BOOST_CHECK_EQUAL(
        exit_code_of("--mode=P --max-ms-per-prb=10 --cold-cache=all+tlb:4M --matmul 2x3:3x2"), 0);
    BOOST_CHECK_EQUAL(exit_code_of("--matmul --perf-template=%colour% 2x3:3x2"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("--eltwise --alg=RELU:0.25 2x3"), 1); // alpha has its own knob
    BOOST_CHECK_EQUAL(exit_code_of("--eltwise --alg=RELU+TANH 2x3"), 1);
    BOOST_CHECK_EQUAL(exit_code_of("-v5 --matmul 2x3:3x2"), 0);
}

BOOST_AUTO_TEST_CASE(the_nearest_option_is_suggested) {
    const auto told_of = [](const std::string &text) -> std::string {
        try {
            lines_of(text);
        } catch (const usage_error &error) {
            return error.what();
        }
        return {};
    };
    const auto tells = [&](const std::string &text, const char *what) {
        return told_of(text).find(what) != std::string::npos;
    };
    BOOST_CHECK(tells("--matmul --stagg=ab 2x3:3x2", "Did you mean --stag?"));
    BOOST_CHECK(tells("--matmul --attr-postops=relu 2x3:3x2", "--attr-post-ops?"));
    BOOST_CHECK(!tells("--matmul --zzzzzzzzzzzz=1 2x3:3x2", "Did you mean"));
    BOOST_CHECK(tells("--nonsense", "can't parse the driver name"));
}

BOOST_AUTO_TEST_CASE(types_of_a_bias) {
    BOOST_CHECK_EQUAL(
        lines_of("--matmul --bia_dt=f32 2x3:3x2")[0], "--matmul --bia-dt=f32 2x3:3x2");
    BOOST_CHECK_EQUAL(lines_of("--conv --dt=bf16 --bia-dt=f32 ic3ih5oc4kh3")[0],
        "--conv --dt=bf16 --bia-dt=f32 ic3ih5oc4kh3");
    const auto bias_of = [](const std::string &text) {
        session s;
        s.say(text);
        for (const tensor_spec &t : make_problem(s.cases.at(0))->tensors)
            if (t.argument == DNNL_ARG_BIAS) return t.type;
        return data_type::undef;
    };
    BOOST_CHECK(bias_of("--conv --dt=bf16 --bia-dt=f32 ic3ih5oc4kh3") == data_type::f32);
    BOOST_CHECK(bias_of("--conv --dt=bf16 ic3ih5oc4kh3") == data_type::bf16);
    BOOST_CHECK(bias_of("--ip --dt=u8:s8:f16 --bia-dt=f16 ic3oc4") == data_type::f16);
    BOOST_CHECK(bias_of("--ip --dt=u8:s8:f16 ic3oc4") == data_type::f32);
    BOOST_CHECK(bias_of("--deconv --dir=FWD_D --bia-dt=f32 ic3ih5oc4kh3") == data_type::undef);
}

BOOST_AUTO_TEST_CASE(parameters_in_vain_are_warned_of) {
    const auto warning_of = [](const std::string &text) {
        session s;
        s.say(text);
        return make_problem(s.cases.at(0))->warning;
    };
    BOOST_CHECK(!warning_of("--eltwise --alg=TANH --alpha=2 2x3").empty());
    BOOST_CHECK(!warning_of("--eltwise --alg=RELU --beta=2 2x3").empty());
    BOOST_CHECK(warning_of("--eltwise --alg=RELU --alpha=2 2x3").empty());
    BOOST_CHECK(warning_of("--eltwise --alg=CLIP --beta=2 2x3").empty());
}

BOOST_AUTO_TEST_CASE(options_hold_until_they_change) {
    const auto lines = lines_of("--softmax --axis=0 2x3 --axis=1 2x3 --axis=0 --reset 4x5");
    BOOST_CHECK_EQUAL(lines[0], "--softmax --axis=0 2x3");
    BOOST_CHECK_EQUAL(lines[1], "--softmax 2x3");
    BOOST_CHECK_EQUAL(lines[2], "--softmax 4x5");
    BOOST_CHECK_EQUAL(lines_of("--softmax --axis=0 --axis= 2x3")[0], "--softmax 2x3");
}

BOOST_AUTO_TEST_CASE(empty_elements_are_defaults) {
    const auto lines = lines_of("--matmul --attr-post-ops=,relu 2x3:3x2");
    BOOST_REQUIRE_EQUAL(lines.size(), 2u);
    BOOST_CHECK_EQUAL(lines[0], "--matmul 2x3:3x2");
    BOOST_CHECK_EQUAL(lines[1], "--matmul --attr-post-ops=relu 2x3:3x2");
    BOOST_CHECK_EQUAL(lines_of("--bnorm --flags=,CH,GCHR ic4").size(), 3u);
}

BOOST_AUTO_TEST_CASE(nesting_order_of_knobs) {
    // matmul: types, tags, attributes, and innermost the bias.
    session s;
    s.say("--matmul --dt=f32,bf16 --attr-post-ops=,relu --bia-dt=undef,f32 2x3:3x2");
    BOOST_REQUIRE_EQUAL(s.cases.size(), 8u);
    BOOST_CHECK_EQUAL(s.cases[0]["bia-dt"] + s.cases[1]["bia-dt"], "undeff32");
    BOOST_CHECK_EQUAL(s.cases[2]["attr-post-ops"], "relu");
    BOOST_CHECK_EQUAL(s.cases[3]["dt"], "f32");
    BOOST_CHECK_EQUAL(s.cases[4]["dt"], "bf16");
    // Attributes: scales slowest, rounding mode fastest.
    session t;
    t.say("--matmul --attr-scales=,src:common:2 --attr-rounding-mode=,dst:stochastic 2x3:3x2");
    BOOST_CHECK(
        t.cases[1].is_default("attr-scales") && !t.cases[1].is_default("attr-rounding-mode"));
    // The minibatch of conv is innermost, that of eltwise stands before the attributes.
    session u;
    u.say("--conv --mb=1,2 --attr-post-ops=,relu ic1iw3oc1kw1");
    BOOST_CHECK_EQUAL(u.cases[1]["mb"], "2");
    session v;
    v.say("--eltwise --mb=1,2 --attr-post-ops=,add:f32 --inplace=true,false 2x3");
    BOOST_CHECK_EQUAL(v.cases[1]["inplace"], "false");
    BOOST_CHECK_EQUAL(v.cases[3]["mb"], "1");
    BOOST_CHECK_EQUAL(v.cases[4]["mb"], "2");
}

BOOST_AUTO_TEST_CASE(match_drops_the_rest_of_a_problem) {
    const auto lines =
        lines_of("--eltwise --match=alg=RELU --alg=RELU,TANH,RELU 2x3 --alg=RELU 4x5");
    BOOST_REQUIRE_EQUAL(lines.size(), 2u);
    BOOST_CHECK_EQUAL(lines_of("--rnn --match=nothing sic4").size(), 1u);
    BOOST_CHECK_EQUAL(exit_code_of("--eltwise --match=a\\{2 2x3"), 1);
}

BOOST_AUTO_TEST_CASE(an_option_at_the_end_has_no_problem) {
    BOOST_CHECK(session().say("--matmul --dt=f32").language.ends_with_option());
    BOOST_CHECK(!session().say("--matmul 2x3:3x2").language.ends_with_option());
}

BOOST_AUTO_TEST_CASE(problems_repeat) {
    BOOST_CHECK_EQUAL(lines_of("--repeats-per-prb=3 --matmul 2x3:3x2").size(), 3u);
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(batch_files)

BOOST_AUTO_TEST_CASE(tokens_comments_and_glue) {
    const auto tokens = batch_tokens("a # comment\nb\\\n c\nd \\\ne \"q r\"");
    const std::vector<std::string> wanted = {"a", "bc", "de", "\"q", "r\""};
    BOOST_CHECK_EQUAL_COLLECTIONS(tokens.begin(), tokens.end(), wanted.begin(), wanted.end());
}

BOOST_AUTO_TEST_CASE(nested_files_share_state_and_folders) {
    const written_file inner("batch_inner.txt", "4x5:5x6\n--dt=bf16 # stays\n");
    const written_file outer("batch_outer.txt", "--batch=batch_inner.txt\n2x3:3x2\n");
    const auto lines = lines_of("--matmul --batch=batch_outer.txt 1x1:1x1");
    BOOST_REQUIRE_EQUAL(lines.size(), 3u);
    BOOST_CHECK_EQUAL(lines[0], "--matmul 4x5:5x6");
    BOOST_CHECK_EQUAL(lines[1], "--matmul --dt=bf16 2x3:3x2");
    BOOST_CHECK_EQUAL(lines[2], "--matmul --dt=bf16 1x1:1x1");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(repro_lines)

BOOST_AUTO_TEST_CASE(order_of_options) {
    BOOST_CHECK_EQUAL(
        repro_of("--mode=P --fix-times-per-prb=3 --max-ms-per-prb=50 --cold-cache=wei "
                 "--mem-check=false --matmul --impl=gemm --ctx-exe=2 --attr-post-ops=relu "
                 "--attr-scales=src:common:2 --bia-dt=f32 --dt=bf16 2x3:3x2n\"x\""),
        "--mode=P --max-ms-per-prb=50 --fix-times-per-prb=3 --matmul --mem-check=false "
        "--cold-cache=wei --dt=bf16 --bia-dt=f32 --attr-scales=src:common:2 --attr-post-ops=relu "
        "--ctx-exe=2 --impl=gemm 2x3:3x2n\"x\"");
    BOOST_CHECK_EQUAL(repro_of("--cold-cache=all+tlb --matmul 2x3:3x2"),
        "--matmul --cold-cache=all+tlb:1024M 2x3:3x2");
    BOOST_CHECK_EQUAL(repro_of("--buffer-prefix=data/in --matmul 2x3:3x2"),
        "--matmul --buffer-prefix=data/in 2x3:3x2");
    // Mode F leaves its fixed settings out.
    BOOST_CHECK_EQUAL(repro_of("--mode=F --matmul --attr-scratchpad=library 2x3:3x2")
                          .rfind("--mode=F --matmul", 0),
        0u);
}

BOOST_AUTO_TEST_CASE(they_read_back) {
    for (const char *text :
        {"--mode=S --matmul --dt=u8:s8:s8 --attr-zero-points=src:common:3 2x3:3x2",
            "--rnn --alg=VANILLA_LSTM --with-projection=true --prop=FWD_D l2t5mb3sic20dhc20dic12",
            "--canonical=true --conv --dir=BWD_D g4mb3ic32ih14oc64oh14kh3ph1",
            "--canonical=true --lrn --alg=WITHIN mb1ic6ih9ls3",
            "--reduction --alg=norm_lp_sum --p=2 --eps=0.5 4x6x5:4x1x1",
            "--bnorm --flags=RHCG --inplace=true mb2ic19ih6eps0.001",
            "--lnorm --tag=abc:bac --stat_tag=ab --ss_dt=bf16 --flags=MCHG 3x5x40",
            "--reorder --oflag=s8s8_comp:1+zp_comp:3 --runtime-dim-mask=2 4x5",
            "--global-skip-impl=ref --prelu --sdt=bf16 3x8x6:1x8x1"}) {
        const std::string once = repro_of(text);
        BOOST_CHECK_EQUAL(repro_of(once), once);
    }
}

BOOST_AUTO_TEST_CASE(canonical_lines_have_everything) {
    const std::string line = repro_of("--canonical=true --pool ic3ih5kh3");
    for (const char *part : {"--mode=C", "--engine=cpu", "--dir=FWD_D",
             "--attr-scales=", "--attr-fpmath=strict", "mb2", "sh1", "ow3", "pw0"})
        BOOST_CHECK_MESSAGE(line.find(part) != std::string::npos, line);
}

BOOST_AUTO_TEST_CASE(modes_change_defaults) {
    session user;
    user.say("--mode-modifier=P --matmul 2x3:3x2");
    BOOST_CHECK_EQUAL(user.cases[0]["attr-scratchpad"], "user");
    session overwrite;
    overwrite.say("--mode=B --rnn sic4");
    BOOST_CHECK_EQUAL(overwrite.cases[0]["flags"], "O");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(problem_forms)

BOOST_AUTO_TEST_CASE(descriptors) {
    for (const char *bad : {"--conv _ic1iw3oc1kw1", "--conv ic1__iw3oc1kw1", "--conv ic1iw3oc1",
             "--conv ic1iw3oc1kw5", "--conv ic1id3ih3oc1kd1kh1", "--conv ic3oc1", "--rnn l2t3"})
        BOOST_CHECK_MESSAGE(exit_code_of(bad) != 0, bad);
    BOOST_CHECK_EQUAL(lines_of("--conv iw3_kw1ic1ic2oc1")[0], "--conv ic2iw3oc1kw1");
    BOOST_CHECK_EQUAL(lines_of("--rnn t4mb6_sic32")[0], "--rnn l1t4mb6sic32slc32dhc32dic32");
}

BOOST_AUTO_TEST_CASE(deconvolution_sizes) {
    const std::string keys = find_driver("deconv")->keys;
    const auto doubled =
        window_problem_of(descriptor_of("ic3ih8oc4kh4sh2ph1", keys), window_kind::deconvolution);
    BOOST_CHECK_EQUAL(doubled.spatial[0].out, 16);
    BOOST_CHECK_EQUAL(doubled.spatial[1].pad_right, 1);
    const auto padded =
        window_problem_of(descriptor_of("ic3iw8oc4ow16kw4sw2", keys), window_kind::deconvolution);
    BOOST_CHECK_EQUAL(padded.spatial[0].pad_left, 1);
}

BOOST_AUTO_TEST_CASE(shapes_joined_by_colons) {
    for (const char *bad : {"--matmul 2x3", "--matmul 2x3:3x2:2x2", "--binary :2x3",
             "--reduction 2x3:", "--concat x2", "--sum 2x3:2x3", "--eltwise 2x-3"})
        BOOST_CHECK_MESSAGE(exit_code_of(bad) != 0, bad);
    BOOST_CHECK_EQUAL(lines_of("--concat --axis=0 2x3").size(), 1u);
}

BOOST_AUTO_TEST_CASE(tables_of_values) {
    for (const char *good : {"--sum --scales=0.5:2:1 --sdt=f32:f32:f32 3x7x4",
             "--prelu --sdt=bf16 2x3:2x3", "--pool --alg=pooling_avg_include_padding ic3ih5kh3",
             "--softmax --alg=softmax_log 2x3", "--resampling --alg=resampling_linear ic1ih2oh4",
             "--conv --alg=convolution_auto ic1iw3oc1kw1", "--matmul --encoding=:csr+0.5: 2x3:3x2",
             "--matmul --runtime_dims_masks=6:3 4x9x16:1x16x5", "--zeropad --dt=dnnl_s8 7x3"})
        BOOST_CHECK_MESSAGE(exit_code_of(good) == 0, good);
    for (const char *bad : {"--binary --sdt=f32 2x3:2x3", "--prelu --stag=abx 2x3:2x3",
             "--bnorm --flags=X ic3", "--bnorm --flags=M ic3", "--lnorm --flags=R 2x3",
             "--reorder --oflag=s8s8_comp 2x3", "--conv --strides=1x2 ic1iw3oc1kw1",
             "--matmul --ctx-exe=0 2x3:3x2", "--zeropad --attr-post-ops=relu 7x3",
             "--matmul --mb=3 2x3:3x2", "--conv --cfg=f32 ic1iw3oc1kw1"})
        BOOST_CHECK_MESSAGE(exit_code_of(bad) != 0, bad);
}

BOOST_AUTO_TEST_CASE(performance_templates) {
    const driver &conv = *find_driver("conv");
    BOOST_CHECK(performance_template("csv").text(conv).find(conv.csv) != std::string::npos);
    BOOST_CHECK_EQUAL(performance_template("def").text(conv), performance_template("").text(conv));
    session s;
    s.say("--matmul --dt=bf16 2x3:3x2n\"fc\"");
    measurement m;
    m.run_ms = {4, 2, 6};
    m.operations = 4e6;
    m.implementation = "gemm";
    const performance_template all("%driver%|%impl%|%name%|%sdt%|%time%|%0time%|%+time%|%Gflops%");
    BOOST_CHECK_EQUAL(all.line(s.cases[0], m, "cpu"), "matmul|gemm|\"fc\"|bf16|2|4|6|2");
    BOOST_CHECK_THROW(performance_template("%time"), usage_error);
}

BOOST_AUTO_TEST_SUITE_END()
