// SPDX-License-Identifier: Apache-2.0
//
// Operations of the selection kernels, one set for each level.
//
// Masks and validity come as whole words: word i has a bit for each of the rows from 64 i on, and
// the bits past the last row are clear. A null valid says that no row is null. Outputs have
// kSlackBytes of room behind them.
#pragma once

#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

// Values of 16 and 32 bytes, moved as they are.
struct Slot16 {
  uint64_t words[2];
};
struct Slot32 {
  uint64_t words[4];
};

// Bits appended one after another to out, which has room for whole words.
struct BitSink {
  uint64_t* out;
  uint64_t pending;
  int64_t used;  // bits in pending
  int64_t set;   // ones so far
};

struct SelectionOps {
  // Copies the values of the kept rows, zero where not valid; returns how many. One function for
  // each width of 1, 2, 4, 8, 16 and 32 bytes.
  int64_t (*filter_fixed[6])(const void* in, const uint64_t* kept, const uint64_t* valid,
                             int64_t rows, void* out);

  // Appends the bits of the kept rows.
  void (*filter_bits)(const uint64_t* in, const uint64_t* kept, int64_t words, BitSink* sink);

  // Writes the end of each kept row, from *position on, to out; a row that is not valid is empty.
  // Returns how many.
  int64_t (*filter_offsets32)(const int32_t* offsets, const uint64_t* kept, const uint64_t* valid,
                              int64_t rows, int32_t* out, int64_t* position);
  int64_t (*filter_offsets64)(const int64_t* offsets, const uint64_t* kept, const uint64_t* valid,
                              int64_t rows, int64_t* out, int64_t* position);

  // Copies the bytes of the kept and valid rows and returns how many. Nothing is read from end on.
  int64_t (*filter_bytes32)(const int32_t* offsets, const uint8_t* data, const uint8_t* end,
                            const uint64_t* kept, const uint64_t* valid, int64_t rows,
                            uint8_t* out);
  int64_t (*filter_bytes64)(const int64_t* offsets, const uint8_t* data, const uint8_t* end,
                            const uint64_t* kept, const uint64_t* valid, int64_t rows,
                            uint8_t* out);

  // Copies rows of text that start at starts[i] and end, in out, at out_offsets[i + 1].
  void (*gather_bytes32)(const int64_t* starts, const int32_t* out_offsets, const uint8_t* data,
                         const uint8_t* end, int64_t rows, uint8_t* out);
  void (*gather_bytes64)(const int64_t* starts, const int64_t* out_offsets, const uint8_t* data,
                         const uint8_t* end, int64_t rows, uint8_t* out);

  // Says whether a valid index lies outside [0, limit). One function for each unsigned width of 1,
  // 2, 4 and 8 bytes; a negative index reads as a huge one, so limit is cut to the signed maximum
  // by the caller where the type is signed.
  bool (*outside[4])(const void* index, const uint64_t* valid, int64_t rows, uint64_t limit);
};

}  // namespace v0
}  // namespace tombolo
