// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/hash_table.h"

namespace tombolo {
inline namespace v0 {

struct HashOps {
  // The number of each key in the table, or -1. Over texts the keys are tags: where a long tag
  // matches, the bytes must still be compared.
  void (*find)(const HashTable* table, const uint64_t* keys, int64_t count, int32_t* numbers);

  // Values of an integer, bool, date or timestamp column as keys: sign- or zero-extended. Null rows
  // get keys without meaning.
  void (*widen)(const ColumnView* column, int64_t row, int64_t count, uint64_t* keys);

  // Tags of a utf8, large_utf8 or utf8_view column; returns their bitwise or, whose top bit says
  // whether any is long. Null rows get tags without meaning.
  uint64_t (*tag)(const ColumnView* column, int64_t row, int64_t count, const HashSeeds* seeds,
                  uint64_t* tags);

  // The entry of a matrix, 1 << width_shift wide, at each pair, less one: -1 for none. Returns the
  // bitwise or of all.
  int32_t (*look_up_pairs)(const int32_t* matrix, int32_t width_shift, const int32_t* firsts,
                           const int32_t* seconds, int64_t count, int32_t* numbers);

  // Turns every -1 of numbers into 0 and clears its bit in found, of which whole words are written:
  // room for count rounded up to 64. Returns how many there were.
  int64_t (*drop_missing)(int32_t* numbers, int64_t count, uint64_t* found);

  // For each row the entry of by_code at its code, for codes of a dictionary column without nulls.
  // Returns false, with numbers undefined, when a code is not below by_code_count.
  bool (*look_up)(const ColumnView* codes, int64_t row, int64_t count, const int32_t* by_code,
                  int64_t by_code_count, int32_t* numbers);
};

}  // namespace v0
}  // namespace tombolo
