// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

#include "textflag.h"

// func trampolineAddress() uintptr
TEXT ·trampolineAddress(SB), NOSPLIT, $0-8
	MOVD $callC<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// callC(frame *callFrame), in the procedure call standard of the architecture, on the system stack.
TEXT callC<>(SB), NOSPLIT|NOFRAME, $0
	SUB  $16, RSP
	MOVD R30, 0(RSP)
	MOVD R19, 8(RSP)
	MOVD R0, R19
	MOVD 0(R19), R9
	MOVD 8(R19), R0
	MOVD 16(R19), R1
	MOVD 24(R19), R2
	MOVD 32(R19), R3
	MOVD 40(R19), R4
	MOVD 48(R19), R5
	CALL (R9)
	MOVD R0, 56(R19)
	MOVD 8(RSP), R19
	MOVD 0(RSP), R30
	ADD  $16, RSP
	RET
