// SPDX-License-Identifier: Apache-2.0
//
// Bitmaps, 64 rows at a time.
#pragma once

#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

inline constexpr int64_t kWordRows = 64;

constexpr int64_t word_count(int64_t rows) noexcept { return (rows + kWordRows - 1) / kWordRows; }

// The low n bits set, n from 0 to 64 or more.
constexpr uint64_t low_bits(int64_t n) noexcept {
  return n >= kWordRows ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}

// The bits of rows i to i + 63 of a bitmap whose row 0 is bit offset; those from rows on are clear
// and no byte behind the last row's is read. Without bits every row is set.
inline uint64_t word_at(const uint8_t* bits, int64_t offset, int64_t i, int64_t rows) noexcept {
  if (bits == nullptr) return low_bits(rows - i);
  const int64_t first = (offset + i) >> 3;
  const int shift = static_cast<int>((offset + i) & 7);
  const int64_t end = (offset + rows + 7) >> 3;
  uint64_t word = 0;
  if (first + 9 <= end) {
    memcpy(&word, bits + first, sizeof word);
    // Two shifts, since one by 64 is undefined.
    word = word >> shift | static_cast<uint64_t>(bits[first + 8]) << 1 << (63 - shift);
  } else {
    for (int64_t byte = first; byte < end; byte++) {
      const int64_t place = 8 * (byte - first) - shift;
      const uint64_t value = bits[byte];
      word |= place < 0 ? value >> -place : value << place;
    }
  }
  return word & low_bits(rows - i);
}

// Copies a bitmap to whole words from bit 0 on; returns how many bits are set.
inline int64_t copy_words(const uint8_t* bits, int64_t offset, int64_t rows,
                          uint64_t* out) noexcept {
  int64_t set = 0;
  for (int64_t i = 0; i < rows; i += kWordRows) {
    const uint64_t word = word_at(bits, offset, i, rows);
    set += std::popcount(word);
    out[i / kWordRows] = word;
  }
  return set;
}

}  // namespace v0
}  // namespace tombolo
