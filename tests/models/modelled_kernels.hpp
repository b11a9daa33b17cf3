// SPDX-License-Identifier: Apache-2.0
// Included in front of a kernel source, by a compiler option. Every assembler statement of the
// kernels is one instruction that tests/models has a model of; here each becomes a call of the
// emulator, which reads the instruction behind the call, carries it out and returns to the one
// after it. Compiled without a red zone, because the call writes below the stack pointer.
#pragma once

#define DNNL_CALL_EMULATOR "call dnnl_carry_out_next\n\t"
// `asm volatile(...)` meets the second macro, `asm(...)` the first.
#define asm(...) __asm__(DNNL_CALL_EMULATOR __VA_ARGS__)
#define volatile(...) volatile(DNNL_CALL_EMULATOR __VA_ARGS__)
