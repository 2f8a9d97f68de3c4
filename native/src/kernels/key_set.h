// SPDX-License-Identifier: Apache-2.0
//
// Numbers for keys: the distinct values of a column are numbered from 0 in order of first
// appearance. Value sets look keys up, groups also add them.
#pragma once

#include "kernels/hash_ops.h"

namespace tombolo {
inline namespace v0 {

enum class KeyKind : int32_t {
  kNone,     // the type is no key
  kInteger,  // the value, widened to 64 bits; also bool, date and timestamp
  kText,     // the tag of hash_table.h
};

// The kind of a column; a dictionary of text has the kind of its values.
KeyKind key_kind_of(const Field& field) noexcept;

// Rows that are numbered at a time: the scratch stays in the first cache, and the cancel flag is
// seen in time.
inline constexpr int64_t kKeyBlockRows = 1024;

// Bounds the numbers of a KeySet and of a PairSet.
inline constexpr int64_t kKeysMax = std::numeric_limits<int32_t>::max();

// Names the column where status is about its values; running out of memory has no place.
inline Status at_column(Context& context, Status status, int32_t column) noexcept {
  if (status == TOMBOLO_INVALID || status == TOMBOLO_INDEX || status == TOMBOLO_OVERFLOW) {
    context.raw()->argument = 0;
    context.raw()->column = column;
  }
  return status;
}

// How many of count rows from row on have about kPollBytes of text at most; at least one.
int64_t rows_within_poll(const ColumnView& column, int64_t row, int64_t count) noexcept;

// Texts one behind the other, by number.
class TextHeap {
 public:
  BytesRef at(int32_t i) const noexcept {
    const int64_t* ends = ends_.as<int64_t>();
    const int64_t begin = i > 0 ? ends[i - 1] : 0;
    return {data_.as<uint8_t>() + begin, ends[i] - begin};
  }
  Status add(Context& context, BytesRef text) noexcept;
  void clear() noexcept;

 private:
  Buffer ends_;
  Buffer data_;
  int64_t count_ = 0;
  int64_t bytes_ = 0;
};

inline bool equal_texts(BytesRef a, BytesRef b) noexcept {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.data, b.data, static_cast<size_t>(a.size)) == 0);
}

// The key column of one batch, in any encoding.
class KeyColumn {
 public:
  // code_numbers is kept for the next batch.
  Status open(Context& context, const ColumnView& column) noexcept;

  int64_t block_rows(int64_t row, int64_t rows) const noexcept;

 private:
  friend class KeySet;

  // A code that was not looked up yet.
  static constexpr int32_t kUnknown = std::numeric_limits<int32_t>::min();

  ColumnView column_;
  KeyKind kind_ = KeyKind::kNone;
  bool coded_ = false;
  // Whether code_numbers_ holds the number of each code. Not where the dictionary is longer than
  // the batch, so that clearing it would cost more than it saves.
  bool mapped_ = false;
  ColumnView values_;  // of the dictionary
  Buffer code_numbers_;
};

class KeySet {
 public:
  Status open(Context& context, KeyKind kind, int64_t capacity = 0,
              const HashSeeds* seeds = nullptr) noexcept;

  // Fills numbers for count rows from row on, at most kKeyBlockRows, and adds what is new. INDEX
  // for a dictionary code outside its dictionary; OVERFLOW when a number would not fit.
  Status number(Context& context, const HashOps& ops, KeyColumn& column, int64_t row, int64_t count,
                int32_t* numbers) noexcept;

  // The same without adding: -1 for what is not in the set.
  Status find(Context& context, const HashOps& ops, KeyColumn& column, int64_t row, int64_t count,
              int32_t* numbers) const noexcept;

  // Adds the keys of other in their order; numbers gets the number here for each number there.
  Status merge(Context& context, const KeySet& other, int32_t* numbers) noexcept;

  int64_t count() const noexcept { return count_; }
  KeyKind kind() const noexcept { return kind_; }
  // The number of the null key, or -1.
  int32_t null_number() const noexcept { return null_; }
  // Keys by number; those of a null are 0 and empty.
  const uint64_t* integers() const noexcept { return integers_.as<uint64_t>(); }
  BytesRef text(int32_t number) const noexcept { return texts_.at(number); }

  // A lower bound than kKeysMax, for tests.
  void set_limit(int64_t limit) noexcept { limit_ = limit; }

 private:
  uint64_t read_keys(const HashOps& ops, const KeyColumn& column, int64_t row, int64_t count,
                     uint64_t* keys) const noexcept;
  void verify_texts(const KeyColumn& column, int64_t row, int64_t count, const uint64_t* tags,
                    int32_t* numbers) const noexcept;
  int32_t find_text(uint64_t tag, BytesRef text) const noexcept;
  int32_t find_value(const ColumnView& values, int64_t i) const noexcept;
  template <class NumberOf>
  Status number_codes(Context& context, const HashOps& ops, KeyColumn& column, int64_t row,
                      int64_t count, int32_t* numbers, int32_t null_number,
                      NumberOf number_of) const noexcept;
  Status add_missing(Context& context, const KeyColumn& column, int64_t row, int64_t count,
                     const uint64_t* keys, int32_t* numbers) noexcept;
  Status add_null(Context& context, int32_t* number) noexcept;
  Status add_integer(Context& context, uint64_t key, int32_t* number) noexcept;
  Status add_text(Context& context, uint64_t tag, BytesRef text, int32_t* number) noexcept;
  Status add_value(Context& context, const ColumnView& values, int64_t i, int32_t* number) noexcept;
  Status check_limit(Context& context) const noexcept;

  KeyKind kind_ = KeyKind::kNone;
  HashTable table_;
  int32_t null_ = -1;
  int64_t count_ = 0;
  int64_t limit_ = kKeysMax;
  Buffer integers_;
  TextHeap texts_;
};

// The distinct pairs of two key numbers, numbered from 0 in order of first appearance. While both
// sets are small a pair is looked up in a plain matrix, later in a hash table.
class PairSet {
 public:
  Status open(Context& context) noexcept;

  // Turns the first numbers into pair numbers, in place. The counts are those of the two sets.
  Status number(Context& context, const HashOps& ops, int32_t* firsts, const int32_t* seconds,
                int64_t count, int64_t first_count, int64_t second_count) noexcept;

  int64_t count() const noexcept { return count_; }
  int32_t first(int64_t i) const noexcept { return static_cast<int32_t>(pairs()[i] >> 32); }
  int32_t second(int64_t i) const noexcept { return static_cast<int32_t>(pairs()[i]); }

  void set_limit(int64_t limit) noexcept { limit_ = limit; }

 private:
  const uint64_t* pairs() const noexcept { return pairs_.as<uint64_t>(); }
  Status resize(Context& context, int64_t first_count, int64_t second_count) noexcept;
  Status number_by_table(Context& context, const HashOps& ops, int32_t* firsts,
                         const int32_t* seconds, int64_t count) noexcept;
  Status add(Context& context, int32_t first, int32_t second, int32_t* number) noexcept;

  Buffer matrix_;  // number plus one by first * width_ + second, 0 = none; empty when given up
  int64_t height_ = 0;
  int64_t width_ = 0;  // a power of two
  HashTable table_;
  Buffer pairs_;  // first << 32 | second, by number
  int64_t count_ = 0;
  int64_t limit_ = kKeysMax;
};

}  // namespace v0
}  // namespace tombolo
