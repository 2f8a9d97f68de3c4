// SPDX-License-Identifier: Apache-2.0
//
// First include of every .cc file: forbids fusing of a*b+c, so that every level and every compiler
// rounds alike (cgo refuses the command line flag for it), and brings in the standard headers
// before any target region opens.
#pragma once

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <atomic>
#include <bit>
#include <limits>
#include <new>
#include <type_traits>
