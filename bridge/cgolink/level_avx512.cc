// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux && (amd64 || arm64) && !tombolo_portable

// Unity file: kernel bodies for the AVX-512 level.
#include "../../native/src/simd/level_avx512.cc"
