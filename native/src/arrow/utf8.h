// SPDX-License-Identifier: Apache-2.0
//
// utf8.h: whether bytes are UTF-8.
#pragma once

#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

// Whether all bytes are below 0x80; the loop is plain so that compilers use vectors for it.
inline bool is_ascii(const uint8_t* data, int64_t size_bytes) noexcept {
  uint8_t bits = 0;
  for (int64_t i = 0; i < size_bytes; i++) bits |= data[i];
  return bits < 0x80;
}

// Whether the bytes are well-formed UTF-8: no surrogates, nothing above U+10FFFF, no overlong form.
bool is_utf8(const uint8_t* data, int64_t size_bytes) noexcept;

}  // namespace v0
}  // namespace tombolo
