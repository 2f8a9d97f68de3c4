// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

#include "textflag.h"

// func trampolineAddress() uintptr
TEXT ·trampolineAddress(SB), NOSPLIT, $0-8
	LEAQ callC<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// callC(frame *callFrame), in the System V convention, on the system stack. Pushing the frame's address keeps it, and
// aligns the stack for the call.
TEXT callC<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ DI
	MOVQ  0(DI), AX
	MOVQ  16(DI), SI
	MOVQ  24(DI), DX
	MOVQ  32(DI), CX
	MOVQ  40(DI), R8
	MOVQ  48(DI), R9
	MOVQ  8(DI), DI
	CALL  AX
	POPQ  DI
	MOVQ  AX, 56(DI)
	RET
