// SPDX-License-Identifier: Apache-2.0
// dnnl_carry_out_next: saves every register that the emulator could change, lets it read and write
// their copies, and loads these again.
#include "instruction_emulator.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

/// What the entry pushes, from the lowest address on.
struct saved_registers {
    long long general[16], flags;
    const dnnl::impl::u8 *next; ///< the return address: of the instruction to carry out
};

} // namespace

extern "C" [[gnu::visibility("hidden")]] void dnnl_carry_out_saved(
    saved_registers *saved, dnnl::impl::register_file::vector *vectors) {
    dnnl::impl::register_file registers {};
    for (int i = 0; i < 16; ++i) registers.general[i] = &saved->general[i];
    saved->general[4] = reinterpret_cast<long long>(saved + 1); // rsp before the call
    registers.vectors = vectors;
    const int length = dnnl::impl::carry_out(saved->next, registers);
    if (length == 0) {
        std::fputs("a call of the emulator precedes an instruction without a model\n", stderr);
        std::abort();
    }
    saved->next += length;
}

asm(R"(
    .text
    .globl dnnl_carry_out_next
    .hidden dnnl_carry_out_next
    .type dnnl_carry_out_next, @function
dnnl_carry_out_next:
    pushfq
    .irp register, r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rsp, rbx, rdx, rcx, rax
    pushq %\register
    .endr
    movq %rsp, %rbp
    subq $2176, %rsp
    andq $-64, %rsp
    .irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovups %zmm\number, 64*\number(%rsp)
    .endr
    .irp number, 0,1,2,3,4,5,6,7
    kmovq %k\number, 2048+8*\number(%rsp)
    .endr
    stmxcsr 2112(%rsp)
    movq %rbp, %rdi
    movq %rsp, %rsi
    cld
    call dnnl_carry_out_saved
    ldmxcsr 2112(%rsp)
    .irp number, 0,1,2,3,4,5,6,7
    kmovq 2048+8*\number(%rsp), %k\number
    .endr
    .irp number, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    vmovups 64*\number(%rsp), %zmm\number
    .endr
    movq %rbp, %rsp
    .irp register, rax, rcx, rdx, rbx
    popq %\register
    .endr
    leaq 8(%rsp), %rsp
    .irp register, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    popq %\register
    .endr
    popfq
    ret
    .size dnnl_carry_out_next, .-dnnl_carry_out_next
)");
