// SPDX-License-Identifier: Apache-2.0
//
// The hash table behind value sets and groups: 64-bit keys to int32 numbers.
//
// One bucket is one cache line: five keys, their numbers, and a last number that is always -1. A
// probe compares all five keys at once and reads the number of the lane that matched, or the last
// one: hit and miss take the same path, and the only branch is the rare one into the next bucket
// when this one is full.
#pragma once

#include "arrow/view.h"

namespace tombolo {
inline namespace v0 {

// Keeps the keys of one table apart from those of any other: an input that makes one table slow
// says nothing about the next. Seeds move keys about inside a table and never show in a result.
struct HashSeeds {
  uint64_t slot = 0;
  uint64_t slot_factor = 1;
  uint64_t text = 0;
  uint64_t text_factor = 1;

  static HashSeeds random() noexcept;
};

// Multiplies to 128 bits and folds the halves, so that every input bit reaches the high output
// bits.
inline uint64_t hash_fold(uint64_t a, uint64_t b) noexcept {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

inline uint64_t load_word(const uint8_t* bytes) noexcept {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

// A text is known by a 64-bit tag. Up to 7 bytes the tag is the text: its bytes from the lowest
// up, its length in the top byte. From 8 bytes on the top bit is set over a hash, and equal tags
// need a look at the bytes.
inline constexpr int64_t kTextShortMax = 7;
inline constexpr uint64_t kTextLong = uint64_t{1} << 63;

// The tag of a text of 8 bytes or more.
inline uint64_t long_text_tag(const uint8_t* data, int64_t size, const HashSeeds& seeds) noexcept {
  uint64_t hash = seeds.text ^ static_cast<uint64_t>(size);
  const uint8_t* rest = data;
  const uint8_t* const end = data + size;
  for (; end - rest > 16; rest += 16) {
    hash = hash_fold(load_word(rest) ^ seeds.text_factor, load_word(rest + 8) ^ hash);
  }
  // The last two words may overlap: the tail of the text always fills them.
  const uint64_t first = load_word(size >= 16 ? end - 16 : data);
  return hash_fold(first ^ seeds.text_factor, load_word(end - 8) ^ hash) | kTextLong;
}

inline uint64_t short_text_tag(const uint8_t* data, int64_t size) noexcept {
  uint64_t word = 0;
  for (int64_t i = 0; i < size; i++) word |= uint64_t{data[i]} << (8 * i);
  return word | static_cast<uint64_t>(size) << 56;
}

inline uint64_t text_tag(BytesRef text, const HashSeeds& seeds) noexcept {
  return text.size > kTextShortMax ? long_text_tag(text.data, text.size, seeds)
                                   : short_text_tag(text.data, text.size);
}

struct alignas(64) HashBucket {
  static constexpr int32_t kLanes = 5;

  uint64_t keys[kLanes];
  int32_t numbers[kLanes + 1];  // filled from the front; -1 is free; the last is always -1
};
static_assert(sizeof(HashBucket) == 64);

// Maps 64-bit keys to numbers from 0 to 2^31 - 2. The caller looks up before it inserts, so that a
// table over texts may hold one tag more than once.
class HashTable {
 public:
  // Seeds are drawn when none are given.
  Status open(Context& context, int64_t capacity, const HashSeeds* seeds = nullptr) noexcept;

  // Makes room for capacity keys in all.
  Status reserve(Context& context, int64_t capacity) noexcept;

  Status insert(Context& context, uint64_t key, int32_t number) noexcept {
    if (count_ >= capacity_) {
      const Status status = reserve(context, count_ + 1);
      if (status != TOMBOLO_OK) return status;
    }
    place(key, number);
    count_++;
    return TOMBOLO_OK;
  }

  // The number of a key, or -1. For many keys there is HashOps::find.
  int32_t find(uint64_t key) const noexcept {
    return find_if(key, [](int32_t) { return true; });
  }

  // The number of the first entry with this key that accept takes, or -1.
  template <class Accept>
  int32_t find_if(uint64_t key, Accept accept) const noexcept {
    for (uint64_t at = start(key);; at = (at + 1) & mask_) {
      const HashBucket& bucket = buckets()[at];
      for (int32_t lane = 0; lane < HashBucket::kLanes; lane++) {
        if (bucket.numbers[lane] < 0) return -1;
        if (bucket.keys[lane] == key && accept(bucket.numbers[lane])) return bucket.numbers[lane];
      }
    }
  }

  uint64_t start(uint64_t key) const noexcept {
    return hash_fold(key ^ seeds_.slot, seeds_.slot_factor) >> shift_;
  }
  const HashBucket* buckets() const noexcept { return memory_.as<HashBucket>(); }
  uint64_t mask() const noexcept { return mask_; }
  int32_t shift() const noexcept { return shift_; }
  int64_t count() const noexcept { return count_; }
  const HashSeeds& seeds() const noexcept { return seeds_; }

 private:
  Status resize(Context& context, int64_t bucket_count) noexcept;
  void take(Buffer* buckets, int64_t bucket_count) noexcept;
  void place(uint64_t key, int32_t number) noexcept;

  Buffer memory_;
  uint64_t mask_ = 0;
  int32_t shift_ = 0;
  int64_t count_ = 0;
  int64_t capacity_ = 0;  // keys until the next growth
  HashSeeds seeds_;
};

}  // namespace v0
}  // namespace tombolo
