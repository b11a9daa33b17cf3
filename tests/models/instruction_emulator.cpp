// SPDX-License-Identifier: Apache-2.0
// Decodes an instruction and carries it out on the tiles of the thread or on the vectors of the
// interrupted code; the signal handler of amx_emulator.
#include "instruction_emulator.hpp"

#include <csignal>
#include <cstring>
#include <ucontext.h>

#include "bf16_arithmetic.hpp"
#include "tile_model.hpp"

namespace dnnl::impl {

namespace {

thread_local tile_model thread_tiles;
tile_counts total;
struct sigaction handler_before;

/// A VEX instruction of map 0F38: C4, the inverted high bits of the register numbers and the map,
/// the inverted third register, the length and the prefix, opcode, ModRM, memory operand. Or the
/// same with registers alone in EVEX form: 62, one more byte, and numbers of five bits.
struct instruction {
    enum prefix_kind { none, p66, pf3, pf2 };
    bool valid = false, evex = false;
    int vector_bytes = 16, prefix = none, opcode = 0, length = 0;
    int mod = 0, reg = 0, rm = 0, third = 0;
    std::int64_t base = 0, index = 0; ///< address and stride of the memory operand
};

template <class T> std::int64_t read(const u8 *p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

/// Adds the memory operand after ModRM at p[4]; rip-relative operands count from the next one.
void decode_memory(instruction &i, const u8 *p, const register_file &registers) {
    int base = i.rm;
    const u8 *next = p + 5;
    if ((i.rm & 7) == 4) {
        const int sib = *next++, index = (sib >> 3 & 7) | (p[1] & 0x40 ? 0 : 8);
        if (index != 4) i.index = *registers.general[index] << (sib >> 6);
        base = (sib & 7) | (p[1] & 0x20 ? 0 : 8);
    }
    const bool without_base = i.mod == 0 && (base & 7) == 5;
    if (!without_base) i.base = *registers.general[base];
    if (i.mod == 1) i.base += read<std::int8_t>(next++);
    if (i.mod == 2 || without_base) i.base += read<std::int32_t>(next), next += 4;
    i.length = static_cast<int>(next - p);
    if (without_base && (i.rm & 7) == 5) i.base += reinterpret_cast<std::int64_t>(next);
}

instruction decode_vex(const u8 *p, const register_file &registers) {
    instruction i;
    i.valid = (p[1] & 0x1f) == 2 && (p[2] & 0x80) == 0; // map 0F38, W0
    if (!i.valid) return i;
    i.vector_bytes = p[2] & 4 ? 32 : 16;
    i.prefix = p[2] & 3;
    i.third = ~(p[2] >> 3) & 15;
    i.opcode = p[3];
    i.mod = p[4] >> 6;
    i.reg = (p[4] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8);
    i.rm = (p[4] & 7) | (p[1] & 0x20 ? 0 : 8);
    i.length = 5;
    if (i.mod != 3) decode_memory(i, p, registers);
    return i;
}

/// Three registers without a mask.
instruction decode_evex(const u8 *p) {
    instruction i;
    i.valid = (p[1] & 0x0f) == 2 && (p[2] & 0x84) == 4 && (p[3] & 0x97) == 0 && p[5] >> 6 == 3;
    if (!i.valid) return i;
    i.evex = true;
    i.vector_bytes = 16 << (p[3] >> 5 & 3);
    i.prefix = p[2] & 3;
    i.third = (~(p[2] >> 3) & 15) | (p[3] & 8 ? 0 : 16);
    i.opcode = p[4];
    i.mod = 3;
    i.reg = (p[5] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8) | (p[1] & 0x10 ? 0 : 16);
    i.rm = (p[5] & 7) | (p[1] & 0x20 ? 0 : 8) | (p[1] & 0x40 ? 0 : 16);
    i.length = 6;
    return i;
}

instruction decode(const u8 *p, const register_file &registers) {
    if (p[0] == 0xc4) return decode_vex(p, registers);
    if (p[0] == 0x62) return decode_evex(p);
    return {};
}

bool configure(const instruction &i) {
    tile_model &tiles = thread_tiles;
    const bool before = tiles.configured();
    const bool memory = i.mod != 3 && i.reg == 0 && i.third == 0;
    if (memory && i.prefix == instruction::none) {
        tiles.load_configuration(reinterpret_cast<const void *>(i.base));
        ++total.configurations;
    } else if (memory && i.prefix == instruction::p66) {
        tiles.store_configuration(reinterpret_cast<void *>(i.base));
    } else if (i.mod == 3 && i.prefix == instruction::none && i.reg == 0 && i.rm == 0) {
        tiles.release();
        ++total.releases;
    } else if (i.mod == 3 && i.prefix == instruction::pf2 && i.rm == 0) {
        tiles.zero(i.reg);
        ++total.zeros;
    } else {
        return false;
    }
    total.configured_threads += int {tiles.configured()} - int {before};
    return true;
}

bool move(const instruction &i) {
    if (i.mod == 3 || (i.rm & 7) != 4 || i.third != 0) return false;
    switch (i.prefix) {
    case instruction::pf2: // tileloadd
    case instruction::p66: // tileloaddt1
        thread_tiles.load(i.reg, reinterpret_cast<const void *>(i.base), i.index);
        ++total.loads;
        return true;
    case instruction::pf3:
        thread_tiles.store(i.reg, reinterpret_cast<void *>(i.base), i.index);
        ++total.stores;
        return true;
    default: return false;
    }
}

bool multiply(const instruction &i) {
    using product = tile_model::product;
    static constexpr product bytes[4] = {
        product::u8_u8, product::u8_s8, product::s8_u8, product::s8_s8}; // none, 66, F3, F2
    if (i.mod != 3 || (i.opcode == 0x5c && i.prefix != instruction::pf3)) return false;
    const product what = i.opcode == 0x5c ? product::bf16 : bytes[i.prefix];
    thread_tiles.multiply(what, i.reg, i.rm, i.third);
    ++total.products;
    return true;
}

/// vpdpbusd: each 32 bits of the first operand += four unsigned bytes of the second one times four
/// signed bytes of the third one; the sum wraps. What is above the vector's length becomes zero.
bool multiply_bytes(const instruction &i, register_file::vector *vectors) {
    if (i.mod != 3 || i.prefix != instruction::p66 || i.vector_bytes > 64 || !vectors) return false;
    const register_file::vector &u = vectors[i.third], &s = vectors[i.rm];
    register_file::vector sums {};
    for (int lane = 0; lane < i.vector_bytes; lane += 4) {
        std::uint32_t sum;
        std::memcpy(&sum, vectors[i.reg].bytes + lane, sizeof sum);
        for (int k = lane; k < lane + 4; ++k)
            sum += static_cast<std::uint32_t>(u.bytes[k] * static_cast<s8>(s.bytes[k]));
        std::memcpy(sums.bytes + lane, &sum, sizeof sum);
    }
    vectors[i.reg] = sums;
    return true;
}

/// vdpbf16ps: each f32 of the first operand += the odd, then the even product of a pair of bf16 of
/// the others, by fused multiply-adds that take subnormal numbers for zero.
bool multiply_pairs(const instruction &i, register_file::vector *vectors) {
    if (!i.evex || i.mod != 3 || i.prefix != instruction::pf3 || !vectors) return false;
    const register_file::vector &a = vectors[i.third], &b = vectors[i.rm];
    register_file::vector sums {};
    const flushing_arithmetic flushing;
    for (int lane = 0; lane < i.vector_bytes; lane += 4) {
        f32 sum;
        std::memcpy(&sum, vectors[i.reg].bytes + lane, sizeof sum);
        for (int at : {lane + 2, lane})
            sum = fused_multiply_add(widened_bf16(a.bytes + at), widened_bf16(b.bytes + at), sum);
        std::memcpy(sums.bytes + lane, &sum, sizeof sum);
    }
    vectors[i.reg] = sums;
    return true;
}

/// vcvtne2ps2bf16: the f32 of the third operand, then those of the second one, as bf16, rounded to
/// nearest even; subnormal numbers become zeros, a NaN a quiet one.
bool convert_pairs(const instruction &i, register_file::vector *vectors) {
    if (!i.evex || i.prefix != instruction::pf2 || !vectors) return false;
    register_file::vector halves {};
    u8 *to = halves.bytes;
    for (int source : {i.rm, i.third})
        for (int lane = 0; lane < i.vector_bytes; lane += 4, to += 2) {
            std::uint32_t bits;
            std::memcpy(&bits, vectors[source].bytes + lane, sizeof bits);
            const std::uint32_t magnitude = bits & 0x7fffffff;
            std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
            if (magnitude > 0x7f800000) rounded = bits | 0x400000;
            if (magnitude < 0x800000) rounded = bits & 0x80000000;
            to[0] = static_cast<u8>(rounded >> 16);
            to[1] = static_cast<u8>(rounded >> 24);
        }
    vectors[i.reg] = halves;
    return true;
}

bool execute(const instruction &i, const register_file &registers) {
    if (!i.valid) return false;
    if (i.opcode == 0x50) return multiply_bytes(i, registers.vectors);
    if (i.opcode == 0x52) return multiply_pairs(i, registers.vectors);
    if (i.opcode == 0x72) return convert_pairs(i, registers.vectors);
    if (i.evex || i.vector_bytes != 16) return false; // no tile instruction
    if (i.opcode == 0x49) return configure(i);
    if (i.opcode == 0x4b) return move(i);
    return (i.opcode == 0x5c || i.opcode == 0x5e) && multiply(i);
}

void on_refused_instruction(int, siginfo_t *, void *context_pointer) {
    static constexpr int places[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
        REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    greg_t *const saved = static_cast<ucontext_t *>(context_pointer)->uc_mcontext.gregs;
    register_file registers {};
    for (int i = 0; i < 16; ++i) registers.general[i] = &saved[places[i]];
    if (const int length = carry_out(reinterpret_cast<const u8 *>(saved[REG_RIP]), registers))
        saved[REG_RIP] += length;
    else // executed again, and refused again
        sigaction(SIGILL, &handler_before, nullptr);
}

} // namespace

int carry_out(const u8 *code, const register_file &registers) {
    const instruction i = decode(code, registers);
    return execute(i, registers) ? i.length : 0;
}

amx_emulator::amx_emulator() {
    for (auto *count : {&total.configurations, &total.releases, &total.loads, &total.stores,
             &total.zeros, &total.products, &total.configured_threads})
        *count = 0;
    thread_tiles.release();
    tile_model::reset_violation();
    struct sigaction action {};
    action.sa_sigaction = on_refused_instruction;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGILL, &action, &handler_before);
}

amx_emulator::~amx_emulator() { sigaction(SIGILL, &handler_before, nullptr); }

tile_counts &amx_emulator::counts() { return total; }

} // namespace dnnl::impl
