// SPDX-License-Identifier: Apache-2.0
// Generators of random case lines: shapes, types, layouts and attributes drawn together.
#include "execution/random_cases.hpp"

#include "language/attributes.hpp"
#include "language/text.hpp"
#include "oracle/fill.hpp"

namespace conformance {
namespace {

class dice {
  public:
    explicit dice(std::uint64_t seed) : state_(seed) {}
    std::int64_t between(std::int64_t low, std::int64_t high) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return low + std::int64_t((state_ >> 33) % std::uint64_t(high - low + 1));
    }
    std::string one_of(const char *words) {
        const auto list = split(words, ' ');
        return list[std::size_t(between(0, std::int64_t(list.size()) - 1))];
    }
    bool chance(int percent) { return between(1, 100) <= percent; }
    /// From 1 to `high`, or 0 once in a while.
    std::int64_t extent(std::int64_t high) { return chance(2) ? 0 : between(1, high); }

  private:
    std::uint64_t state_;
};

const char *const weighted_types =
    "f32 f32 bf16:bf16:f32 bf16 f16 f16:f16:f32 u8:s8:u8 u8:s8:s8 s8:s8:s8 u8:s8:s32 s8:s8:f32";

std::string number(std::int64_t value) { return std::to_string(value); }

// Takes its parts from left to right, each drawn after the one before it: the operands of + would
// be drawn in an order that every compiler chooses for itself.
class case_text {
  public:
    case_text &operator<<(const std::string &part) {
        text_ += part;
        return *this;
    }
    case_text &operator<<(std::int64_t value) { return *this << number(value); }
    operator std::string() const { return text_; }

  private:
    std::string text_;
};

std::string random_post_ops(dice &d) {
    std::string chain;
    const std::int64_t count = d.between(0, 3);
    for (std::int64_t i = 0; i < count; ++i)
        chain += (i ? "+" : "") +
                 d.one_of("relu relu:0.25 sum sum:0.5 add:f32:per_oc mul:f32:common add:s8:per_oc "
                          "clip:-4:4 linear:0.5:1 max:f32:per_oc tanh hardswish:0.25:0.5 abs "
                          "select:f32.per_oc:per_tensor select:s8.per_tensor:per_oc");
    return chain.empty() ? "" : " --attr-post-ops=" + chain;
}

// Of the whole range of a type, its ends in half of the cases; `wild`: of 32 bits once in a while.
std::string random_zero_point(dice &d, const std::string &type, bool wild = false) {
    if (wild && d.chance(20)) return d.one_of("5000 -70000 100000000 -100000000 2147483647");
    const std::int64_t low = type == "u8" ? 0 : type == "s8" ? -128 : -100000;
    const std::int64_t high = type == "u8" ? 255 : type == "s8" ? 127 : 100000;
    if (type == "f32") return number(d.between(-5, 5));
    if (d.chance(50)) return number(d.chance(50) ? low : high);
    return number(d.between(low, high));
}

std::string random_quantization(dice &d, const std::string &types, bool zero_points) {
    if (types.find("s8") == std::string::npos) return "";
    std::string text;
    if (d.chance(70))
        text += " --attr-scales=" +
                d.one_of("src:common:0.25 wei:per_oc src:common:0.5+wei:per_oc "
                         "src:common:2+wei:common:0.125+dst:common:0.5 wei:per_oc+dst:common:4 "
                         "src:host_scalar:0.5 src:host_scalar:2:f16+wei:per_oc+dst:host_scalar:4");
    if (!zero_points || !d.chance(50)) return text;
    const auto names = split(types, ':');
    const std::string src = ":common:" + random_zero_point(d, names[0], true);
    const std::string dst = ":common:" + random_zero_point(d, names[2]);
    const std::string choices[] = {"src" + src, "dst" + dst, "src" + src + "+dst" + dst};
    return text + " --attr-zero-points=" + choices[d.between(0, 2)];
}

// A product whose scales of dst the library computes.
std::string random_computed_scales(dice &d) {
    const bool fp = d.chance(50);
    const std::int64_t m = d.between(1, 40), k = d.between(1, 90);
    const std::int64_t n = (fp ? 16 : 32) * d.between(1, 6);
    return case_text() << "--matmul --dt=" << d.one_of("f32:f32 bf16:bf16 f16:f16") << ":"
                       << d.one_of("f8_e4m3 f8_e5m2 f4_e2m1") << " --stag=" << d.one_of("ab ba")
                       << " --wtag=" << d.one_of("ab ba any") << " --bia-dt=f32 --bia_mask=2"
                       << " --attr-scales=" << (fp ? "dst:dynamic_fp" : "dst:mx")
                       << " --attr-post-ops=" << d.one_of("relu tanh clip:-1:1") << " " << m << "x"
                       << k << ":" << k << "x" << n;
}

// Elements that share a value, of so many: a divisor, or all and more.
std::string random_group(dice &d, std::int64_t extent) {
    std::int64_t group = 0;
    do group = integer_of(d.one_of("1 2 8 16 32 48 64 128 1000"), "group");
    while (group < extent && extent % group != 0);
    return number(group);
}

// Types, masks and groups of compressed weights and quantized sources.
std::string random_compressed_matmul(dice &d) {
    const std::string types =
        d.one_of("bf16:s4:bf16 f32:u4:f32 f16:s8:f16 bf16:u8:s8 f32:s4:f8_e4m3 bf16:f8_e4m3:bf16 "
                 "f16:f8_e5m2:f32 f32:f4_e2m1:bf16 f4_e2m1:f4_e2m1:bf16 f4_e2m1:f8_e5m2:u8 "
                 "f8_e5m2:f8_e4m3:f16 f8_e4m3:f8_e4m3:u8 s8:s4:f32 "
                 "u8:u4:bf16 s8:s8:f16 u8:s8:s8 f32:f32:s8");
    const bool integer = types[0] == 's' || types[0] == 'u';
    const std::string weights = split(types, ':')[1];
    const std::int64_t m = d.extent(80), k = 16 * d.extent(10), n = 2 * d.extent(70);
    const std::string scale_types = "f32 f32 bf16 f16 e8m0 f8_e4m3";
    case_text text;
    text << "--matmul --attr-fpmath=any:true --dt=" << types << " --stag=" << d.one_of("ab ba")
         << " --wtag=" << d.one_of("any ab ba");
    std::string scales;
    const auto add = [&](const std::string &entry) {
        scales += (scales.empty() ? "" : "+") + entry;
    };
    if (d.chance(75)) {
        const std::string of = d.one_of(scale_types.c_str());
        const std::string groups =
            random_group(d, k) + "x" + (d.chance(30) ? random_group(d, n) : "1");
        add(d.chance(30) ? "wei:per_oc:" + of : "wei:per_ocic:" + of + ":" + groups);
    }
    if (integer && d.chance(50))
        add(d.chance(50) ? std::string("src:1") : "src:3:f32:1x" + random_group(d, k));
    if (d.chance(30)) add("dst:" + d.one_of("common:0.5 1 2 3"));
    if (!scales.empty()) text << " --attr-scales=" << scales;
    if (weights[0] != 'f' && d.chance(40))
        text << " --attr-zero-points="
             << d.one_of("wei:common:3 wei:per_oc:s8 wei:per_oc:u4 wei:per_ocic:u8:16x1 "
                         "wei:per_ocic:s4:16x1 wei:common:-70000")
             << (integer && d.chance(50) ? "+src:common:" + random_zero_point(d, types, true) : "");
    return text << random_post_ops(d) << " " << m << "x" << k << ":" << k << "x" << n;
}

std::string random_sparse_matmul(dice &d) {
    const std::string encoding =
        d.one_of("csr coo") + "+" + d.one_of("0 0.3 0.5 0.8 0.9 0.95 0.99");
    const std::int64_t m = d.between(1, 150), k = d.between(1, 200), n = d.between(1, 150);
    return case_text() << "--matmul --dt="
                       << d.one_of("f32 f32 f16 f16:f16:f32 bf16 bf16:bf16:f32 u8:s8:s32 "
                                   "s8:s8:s32 s8:u8:f32 u8:u8:s32")
                       << " --encoding=" << (d.chance(50) ? encoding + "::" : ":" + encoding + ":")
                       << " " << m << "x" << k << ":" << k << "x" << n;
}

std::string random_matmul(dice &d) {
    if (d.chance(25)) return random_compressed_matmul(d);
    if (d.chance(15)) return random_sparse_matmul(d);
    if (d.chance(10)) return random_computed_scales(d);
    const std::string types = d.one_of(weighted_types);
    const bool batched = d.chance(40);
    const std::int64_t m = d.extent(40), k = d.extent(90), n = d.extent(70);
    const std::string batch = batched ? number(d.extent(3)) + "x" : "";
    const std::string row = batched ? "abc" : "ab", column = batched ? "acb" : "ba";
    const std::string bias =
        d.chance(50) ? " --bia-dt=f32 --bia_mask=" + number(batched ? 4 : 2) : "";
    return case_text() << "--matmul --dt=" << types << " --stag=" << (d.chance(70) ? row : column)
                       << " --wtag="
                       << (d.chance(40)      ? "any"
                              : d.chance(50) ? row
                                             : column)
                       << bias << random_quantization(d, types, true)
                       << (batched ? "" : random_post_ops(d)) << " " << batch << m << "x" << k
                       << ":" << batch << k << "x" << n;
}

// A convolution or deconvolution.
std::string random_convolution(const std::string &driver, dice &d) {
    const bool forward = d.chance(60);
    const std::string types = forward ? d.one_of(weighted_types) : d.one_of("f32 bf16 f16");
    const std::int64_t groups = d.chance(30) ? d.between(1, 4) : 0;
    const std::int64_t unit = groups ? groups : 1;
    const std::int64_t kh = d.between(1, 4), kw = d.between(1, 4);
    case_text text;
    text << "--" << driver
         << " --dir=" << (forward ? d.one_of("FWD_B FWD_D FWD_I") : d.one_of("BWD_D BWD_W BWD_WB"))
         << " --dt=" << types << " --stag=" << d.one_of("any axb abx")
         << " --wtag=" << d.one_of("any abx axb") << " --dtag=" << d.one_of("any axb abx");
    if (forward) text << random_quantization(d, types, true) << random_post_ops(d);
    text << " " << (groups ? "g" + number(groups) : "") << "mb" << d.extent(3) << "ic"
         << (unit * d.between(1, 20)) << "ih" << d.between(4, 11) << "iw" << d.between(4, 11)
         << "oc" << (unit * d.between(1, 34)) << "kh" << kh << "kw" << kw << "sh" << d.between(1, 2)
         << "sw" << d.between(1, 2) << "ph" << d.between(0, kh - 1) << "pw" << d.between(0, kw - 1);
    return text;
}

std::string random_inner_product(dice &d) {
    const bool forward = d.chance(60);
    const std::string types = forward ? d.one_of(weighted_types) : d.one_of("f32 bf16 f16");
    case_text text;
    text << "--ip --dir="
         << (forward ? d.one_of("FWD_B FWD_D FWD_I") : d.one_of("BWD_D BWD_W BWD_WB"))
         << " --dt=" << types;
    if (d.chance(50))
        text << " --stag=" << d.one_of("abx axb xba") << " --wtag=" << d.one_of("any abx axb")
             << " --dtag=" << d.one_of("ab ba");
    if (forward) text << random_quantization(d, types, false) << random_post_ops(d);
    return text << " mb" << (d.chance(30) ? 1 : d.extent(33)) << "ic" << d.between(1, 70)
                << (d.chance(30) ? "ih" + number(d.between(1, 4)) : "") << "oc" << d.between(1, 60);
}

std::string random_pooling(dice &d) {
    const std::int64_t k = d.between(1, 4);
    const bool forward = d.chance(60);
    return case_text() << "--pool --dir="
                       << (forward ? d.one_of("FWD_D FWD_I") : std::string("BWD_D")) << " --dt="
                       << (forward ? d.one_of("f32 bf16 f16 s8 u8 s32") : d.one_of("f32 bf16 f16"))
                       << " --alg=" << d.one_of("max avg_np avg_p")
                       << " --tag=" << d.one_of("abx axb aBx16b") << " mb" << d.extent(3) << "ic"
                       << d.between(1, 35) << "ih" << d.between(4, 12) << "iw" << d.between(4, 12)
                       << "kh" << k << "kw" << k << "sh" << d.between(1, 3) << "sw"
                       << d.between(1, 3) << "ph" << d.between(0, k - 1) << "pw"
                       << d.between(0, k - 1);
}

std::string random_shape(dice &d) {
    std::vector<std::string> parts;
    const std::int64_t count = d.between(2, 4);
    for (std::int64_t i = 0; i < count; ++i) parts.push_back(number(d.extent(i == 1 ? 40 : 9)));
    return joined(parts, "x");
}

// A quarter of the cases that can: the destination is the source then, so that it has its type.
std::string in_place(bool shared) { return shared ? " --inplace=true" : ""; }

std::string random_normalization(const std::string &driver, dice &d) {
    const bool forward = d.chance(50), layer = driver == "lnorm", shared = d.chance(25);
    const std::string directions = forward ? d.one_of("FWD_D FWD_I") : d.one_of("BWD_D BWD_DW");
    const bool mixed = forward && driver != "bnorm" && !shared;
    const std::string type =
        d.one_of(mixed ? "f32 bf16 f16 s8:f32 f32:u8 bf16:f32" : "f32 bf16 f16");
    const std::string line = case_text()
                             << "--" << driver << " --dir=" << directions << " --dt=" << type
                             << " --tag=" << d.one_of(layer ? "abx axb xba" : "abx axb aBx16b")
                             << " --flags=" << d.one_of("C CH G GCH H")
                             << (layer && d.chance(50) ? "M" : "") << in_place(shared) << " ";
    if (layer) return line + random_shape(d);
    const std::int64_t groups = driver == "gnorm" ? d.between(1, 5) : 1;
    return case_text() << line << (driver == "gnorm" ? "g" + number(groups) : "") << "mb"
                       << d.between(1, 4) << "ic" << (groups * d.between(1, 24)) << "ih"
                       << d.between(1, 12) << "iw" << d.between(1, 12);
}

const char *const any_type = "f32 bf16 f16 s32 s8 u8";
const char *const dense_tags = "abx axb xba";

// Shuffle and local response normalization.
std::string random_channels(const std::string &driver, dice &d) {
    const bool shuffles = driver == "shuffle";
    const std::string line = case_text()
                             << "--" << driver << " --dir=" << d.one_of("FWD_D FWD_I BWD_D")
                             << " --dt=" << d.one_of(shuffles ? any_type : "f32 bf16 f16")
                             << " --tag=" << d.one_of("abx axb aBx16b");
    const std::string images = number(d.between(1, 3));
    if (shuffles)
        return case_text() << line << " --axis=1 --group=" << d.one_of("1 2 3 4 6 12") << " "
                           << images << "x" << (12 * d.between(1, 6)) << "x" << d.between(1, 9)
                           << "x" << d.between(1, 9);
    return case_text() << line << " --alg=" << d.one_of("ACROSS WITHIN") << " mb" << images << "ic"
                       << d.between(1, 40) << "ih" << d.between(1, 9) << "iw" << d.between(1, 20)
                       << "ls" << d.between(1, 9) << d.one_of("k1 k2 beta0.5");
}

const char *const float_type = "f32 bf16 f16";

std::string random_resampling(dice &d) {
    const bool forward = d.chance(60);
    return case_text() << "--resampling --dir="
                       << (forward ? d.one_of("FWD_D FWD_I") : std::string("BWD_D"))
                       << " --sdt=" << d.one_of(float_type) << " --ddt=" << d.one_of(float_type)
                       << " --tag=" << d.one_of("abx axb")
                       << " --alg=" << d.one_of("nearest linear") << " mb" << d.between(1, 3)
                       << "ic" << d.between(1, 20) << "ih" << d.between(1, 9) << "oh"
                       << d.between(1, 13) << "iw" << d.between(1, 9) << "ow" << d.between(1, 13);
}

std::string random_recurrence(dice &d) {
    const std::string cell = d.one_of("VANILLA_RNN VANILLA_LSTM VANILLA_GRU LBR_GRU VANILLA_AUGRU");
    const bool attention = cell == "VANILLA_AUGRU";
    const std::string width = number(d.between(1, 20));
    return case_text() << "--rnn --alg=" << cell << " --prop=" << d.one_of("FWD_I FWD_D BWD_DW")
                       << " --cfg=" << d.one_of("f32 f32 bf16 bf16f32") << " --direction="
                       << (attention ? "left2right" : d.one_of("left2right right2left concat sum"))
                       << " --activation=" << d.one_of("RELU TANH LOGISTIC") << " l"
                       << (attention ? 1 : d.between(1, 2)) << "t" << d.between(1, 4) << "mb"
                       << d.between(1, 5) << "sic" << width << "dhc" << width;
}

// A shape, and the same one with some of its dimensions 1.
std::string random_broadcast(dice &d) {
    std::string whole, part;
    bool reduced = false;
    const std::int64_t count = d.between(2, 4);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t extent = d.between(2, i == 1 ? 40 : 7);
        const bool one = d.chance(50) || (i + 1 == count && !reduced);
        reduced |= one;
        whole += (i ? "x" : "") + number(extent);
        part += (i ? "x" : "") + number(one ? 1 : extent);
    }
    return whole + ":" + part;
}

std::string random_reduction(dice &d) {
    return case_text() << "--reduction --sdt=" << d.one_of("f32 bf16 f16 s8 u8")
                       << " --ddt=" << d.one_of("f32 bf16") << " --alg="
                       << d.one_of("sum mean max min mul norm_lp_sum norm_lp_power_p_max")
                       << " --p=2 --eps=0.5 --stag=" << d.one_of("abx axb") << " "
                       << random_broadcast(d);
}

std::string random_prelu(dice &d) {
    return case_text() << "--prelu --dir=" << d.one_of("FWD_D FWD_I BWD_DW")
                       << " --sdt=" << d.one_of(float_type)
                       << " --stag=" << d.one_of("abx:abx axb:axb abx:any") << " "
                       << random_broadcast(d);
}

std::string random_elementwise(const std::string &driver, dice &d) {
    const std::string shape = random_shape(d), tag = d.one_of(dense_tags);
    const bool shared = d.chance(25);
    const auto dst_of = [&](const std::string &type, const std::string &drawn) {
        return " --ddt=" + (shared ? type : drawn) + in_place(shared);
    };
    if (driver == "eltwise")
        return case_text() << "--eltwise --dir=" << d.one_of("FWD_D FWD_I BWD_D")
                           << " --dt=" << d.one_of("f32 bf16 f16") << " --tag=" << tag
                           << " --alg=" << d.one_of(differentiable_eltwise().c_str())
                           << " --alpha=0.5 --beta=2" << in_place(shared) << " " << shape;
    const std::string type = d.one_of(driver == "softmax" ? float_type : any_type);
    if (driver == "binary")
        return case_text() << "--binary --sdt=" << type << ":" << d.one_of(any_type)
                           << dst_of(type, d.one_of(any_type)) << " --stag=" << tag << ":"
                           << d.one_of(dense_tags)
                           << " --alg=" << d.one_of("add sub mul div max min ge gt le lt eq ne")
                           << " " << shape << ":" << (d.chance(50) ? shape : "1");
    if (driver == "softmax")
        return case_text() << "--softmax --dir=" << d.one_of("FWD_D FWD_I BWD_D")
                           << " --sdt=" << type << dst_of(type, d.one_of(float_type))
                           << " --stag=" << tag << " --alg=" << d.one_of("SOFTMAX LOGSOFTMAX")
                           << " --axis=" << d.between(0, 1) << " " << shape;
    if (driver == "reorder")
        return case_text() << "--reorder --sdt=" << type << " --ddt=" << d.one_of(any_type)
                           << " --stag=" << tag << " --dtag=" << d.one_of(dense_tags) << " "
                           << shape;
    if (driver == "sum")
        return case_text() << "--sum --sdt=" << type << ":" << d.one_of(any_type)
                           << dst_of(type, d.one_of(any_type))
                           << " --dtag=" << (shared ? tag : "abx") << " --stag=" << tag
                           << ":abx --scales=0.5:2 " << shape;
    return case_text() << "--concat --sdt=" << type << " --ddt=" << d.one_of(any_type)
                       << " --stag=" << tag << " --dtag=abx --axis=0 " << shape << ":" << shape;
}

std::string random_problem(const std::string &driver, dice &d) {
    if (driver == "matmul") return random_matmul(d);
    if (driver == "conv" || driver == "deconv") return random_convolution(driver, d);
    if (driver == "ip") return random_inner_product(d);
    if (driver == "pool") return random_pooling(d);
    if (driver == "rnn") return random_recurrence(d);
    if (driver == "prelu") return random_prelu(d);
    if (driver == "shuffle" || driver == "lrn") return random_channels(driver, d);
    if (driver == "reduction") return random_reduction(d);
    if (driver == "resampling") return random_resampling(d);
    for (const char *normalization : {"bnorm", "gnorm", "lnorm"})
        if (driver == normalization) return random_normalization(driver, d);
    for (const char *elementwise : {"eltwise", "binary", "softmax", "reorder", "sum", "concat"})
        if (driver == elementwise) return random_elementwise(driver, d);
    return {};
}

// In a third of the cases tensors are parts of others, or have strides that count for nothing.
std::string random_case(const std::string &driver, dice &d) {
    const std::string line = random_problem(driver, d);
    if (line.empty() || !d.chance(33)) return line;
    const std::size_t options = line.find(' ');
    return line.substr(0, options) + " --views=" + number(d.between(1, 1000000)) +
           line.substr(options);
}

} // namespace

std::vector<std::string> random_cases(
    const std::string &driver, std::size_t count, std::uint64_t seed) {
    dice d(hash_of(driver, seed + 1469598103934665603u));
    std::vector<std::string> lines;
    while (lines.size() < count) lines.push_back(random_case(driver, d));
    if (count > 0 && lines[0].empty()) return {}; // a driver without a generator
    return lines;
}

} // namespace conformance
