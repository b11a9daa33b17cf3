// SPDX-License-Identifier: Apache-2.0
// How fast bytes are multiplied by one instruction, by three, and exactly by widening, beside f32
// on the same registers and beside what the processor's channels allow.
#include "claims.hpp"
#include "sequences.hpp"

#include <cmath>
#include <exception>

using techniques::rate_of;
using techniques::sequence;

namespace {

struct pair {
    const char *id, *statement, *published;
    sequence of, over;
    int bits;
    double least; // of the ratio, as a part of what the channels allow
};

constexpr pair pairs[] = {{"S0-01", "three instructions over f32", "1.33 times", sequence::three,
                              sequence::float_fma, 512, .9},
    {"S0-01", "three instructions over f32", "", sequence::three, sequence::float_fma, 256, .85},
    {"S0-03", "vpdpbusd over f32", "4 times", sequence::fused, sequence::float_fma, 512, .9},
    {"S0-03", "vpdpbusd (VEX) over f32", "", sequence::fused, sequence::float_fma, 256, .9},
    {"S0-05", "vpdpbusd over three instructions", "2.75 times", sequence::fused, sequence::three,
        512, .8},
    {"S0-05", "vpdpbusd (VEX) over three instructions", "", sequence::fused, sequence::three, 256,
        .7},
    {"S0-06", "vpdpwssd over f32", "", sequence::fused_widened, sequence::float_fma, 512, .9},
    {"S0-06", "vpmaddwd and vpaddd over f32", "", sequence::widened, sequence::float_fma, 512, .8},
    {"S0-06", "vpmaddwd and vpaddd over f32", "", sequence::widened, sequence::float_fma, 256, .7},
    {"S2-06", "vdpbf16ps over f32", "", sequence::bf16_pairs, sequence::float_fma, 512, .4}};

} // namespace

int main(int count, char **arguments) {
    try {
        techniques::claims c(count, arguments);
        std::printf("%s\n", techniques::name_of_processor().c_str());
        for (const pair &p : pairs) {
            if (!c.timed()) break;
            const double rate = rate_of(p.of, p.bits), base = rate_of(p.over, p.bits);
            if (rate == 0 || base == 0) continue; // the processor lacks one of them
            const models::machine here = techniques::this_machine(p.bits);
            const double limit =
                gain(techniques::step_of(p.of, p.bits), techniques::step_of(p.over, p.bits), here);
            char text[200];
            std::snprintf(text, sizeof(text), "%s, %d bits; channels allow %.2f; %.0f GMAC/s",
                p.statement, p.bits, limit, rate);
            c.figure(p.id, text, rate / base, "times", p.published, rate / base > p.least * limit);
        }
        return c.finish();
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "instruction_sequences: %s\n", failure.what());
        return 1;
    }
}
