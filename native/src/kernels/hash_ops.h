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
};

}  // namespace v0
}  // namespace tombolo
