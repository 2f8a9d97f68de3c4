// SPDX-License-Identifier: Apache-2.0
//
// Values of any layout of bytes, 64 rows at a time, so that every pair of layouts shares one loop.
#pragma once

#include "arrow/bitmap.h"
#include "arrow/view.h"

namespace tombolo {
inline namespace v0 {

constexpr bool is_bytes(TypeId id) noexcept {
  return has_offsets32(id) || has_offsets64(id) || is_view(id) || id == TypeId::kFixedSizeBinary;
}

// References to rows i to i + n - 1, n up to 64. What a null view holds is not looked at.
void read_bytes(const ColumnView& column, int64_t i, int64_t n, BytesRef* out) noexcept;

// 64 references to row 0.
void spread_bytes(const ColumnView& column, BytesRef* out) noexcept;

inline bool same_bytes(const BytesRef& a, const BytesRef& b) noexcept {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.data, b.data, static_cast<size_t>(a.size)) == 0);
}

// Below, at or above zero, as the bytes of a come before, with or after those of b.
inline int order_bytes(const BytesRef& a, const BytesRef& b) noexcept {
  const int64_t shorter = a.size < b.size ? a.size : b.size;
  const int order = shorter == 0 ? 0 : memcmp(a.data, b.data, static_cast<size_t>(shorter));
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

}  // namespace v0
}  // namespace tombolo
