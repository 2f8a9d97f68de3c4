// SPDX-License-Identifier: Apache-2.0

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

// Bit i is set where lane i has the key; free lanes may match too, behind any that is taken.
static inline uint32_t match_lanes(const HashBucket& bucket, uint64_t key) {
#if defined(__x86_64__) && TOMBOLO_LEVEL == 2
  const __m512i keys = _mm512_load_si512(&bucket);
  const __m512i wanted = _mm512_set1_epi64(static_cast<int64_t>(key));
  return _mm512_mask_cmpeq_epi64_mask(0x1f, keys, wanted);
#elif defined(__x86_64__) && TOMBOLO_LEVEL == 1
  const __m256i keys = _mm256_load_si256(reinterpret_cast<const __m256i*>(&bucket));
  const __m256i wanted = _mm256_set1_epi64x(static_cast<int64_t>(key));
  const __m256d equal = _mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, wanted));
  return static_cast<uint32_t>(_mm256_movemask_pd(equal)) |
         static_cast<uint32_t>(bucket.keys[4] == key) << 4;
#else
  uint32_t lanes = 0;
  for (int32_t i = 0; i < HashBucket::kLanes; i++) {
    lanes |= static_cast<uint32_t>(bucket.keys[i] == key) << i;
  }
  return lanes;
#endif
}

static inline int32_t find_from(const HashBucket* buckets, uint64_t mask, uint64_t key,
                                uint64_t at) {
  for (;;) {
    const HashBucket& bucket = buckets[at];
    const uint32_t lanes = match_lanes(bucket, key) | 1u << HashBucket::kLanes;
    const int32_t number = bucket.numbers[__builtin_ctz(lanes)];
    // Negative for a miss in a full bucket alone. GCC would split the test into hit and miss, which
    // are as unpredictable as the data; the empty statement keeps it one.
    int32_t decided = number & ~bucket.numbers[HashBucket::kLanes - 1];
    asm("" : "+r"(decided));
    if (__builtin_expect(decided >= 0, 1)) return number;
    at = (at + 1) & mask;
  }
}

// Rows that are hashed ahead of those that are looked up, so that their buckets are on the way.
static constexpr int64_t kHashAhead = 128;

static inline void hash_starts(const HashTable* table, const uint64_t* keys, int64_t count,
                               uint32_t* starts) {
  const HashSeeds seeds = table->seeds();
  const int32_t shift = table->shift();
  for (int64_t i = 0; i < count; i++) {
    starts[i] = static_cast<uint32_t>(hash_fold(keys[i] ^ seeds.slot, seeds.slot_factor) >> shift);
  }
  for (int64_t i = count; i < kHashAhead; i++) starts[i] = 0;
}

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// Tables of up to this many buckets (128 KiB) lie near enough for no hashing ahead.
static constexpr uint64_t kBucketsNear = 2048;

static void find_near(const HashTable* table, const uint64_t* keys, int64_t count,
                      int32_t* numbers) {
  const HashBucket* buckets = table->buckets();
  const uint64_t mask = table->mask();
  const HashSeeds seeds = table->seeds();
  const int32_t shift = table->shift();
  for (int64_t i = 0; i < count; i++) {
    const uint64_t start = hash_fold(keys[i] ^ seeds.slot, seeds.slot_factor) >> shift;
    numbers[i] = find_from(buckets, mask, keys[i], start);
  }
}

// Sorted data has long runs of one key.
static inline bool is_run(const uint64_t* keys, int64_t count) {
  if (count == 0 || keys[count / 2] != keys[0] || keys[count - 1] != keys[0]) return false;
  uint64_t differs = 0;
  for (int64_t i = 0; i < count; i++) differs |= keys[i] ^ keys[0];
  return differs == 0;
}

static void find_keys(const HashTable* table, const uint64_t* keys, int64_t count,
                      int32_t* numbers) {
  const HashBucket* buckets = table->buckets();
  const uint64_t mask = table->mask();
  if (is_run(keys, count)) {
    const int32_t number = find_from(buckets, mask, keys[0], table->start(keys[0]));
    for (int64_t i = 0; i < count; i++) numbers[i] = number;
    return;
  }
  if (mask < kBucketsNear) return find_near(table, keys, count, numbers);
  uint32_t starts[2][kHashAhead];
  hash_starts(table, keys, smaller(count, kHashAhead), starts[0]);
  for (int64_t i = 0; i < smaller(count, kHashAhead); i++) {
    __builtin_prefetch(&buckets[starts[0][i]]);
  }
  int32_t now = 0;
  for (int64_t row = 0; row < count; row += kHashAhead, now ^= 1) {
    const int64_t rows = smaller(count - row, kHashAhead);
    const int64_t after = smaller(count - row - rows, kHashAhead);
    hash_starts(table, keys + row + rows, after, starts[now ^ 1]);
    const uint32_t* here = starts[now];
    const uint32_t* next = starts[now ^ 1];
    for (int64_t i = 0; i < rows; i++) {
      __builtin_prefetch(&buckets[next[i]]);
      numbers[row + i] = find_from(buckets, mask, keys[row + i], here[i]);
    }
  }
}

template <class T>
static void widen_values(const T* values, int64_t count, uint64_t* keys) {
  for (int64_t i = 0; i < count; i++) {
    keys[i] = static_cast<uint64_t>(static_cast<int64_t>(values[i]));
  }
}

static void widen_column(const ColumnView* column, int64_t row, int64_t count, uint64_t* keys) {
  switch (column->type.id) {
    case TypeId::kBool: {
      const int64_t first = column->offset + row;
      for (int64_t i = 0; i < count; i++) keys[i] = bit_at(column->bits(), first + i) ? 1 : 0;
      return;
    }
    case TypeId::kInt8: return widen_values(column->values<int8_t>() + row, count, keys);
    case TypeId::kUInt8: return widen_values(column->values<uint8_t>() + row, count, keys);
    case TypeId::kInt16: return widen_values(column->values<int16_t>() + row, count, keys);
    case TypeId::kUInt16: return widen_values(column->values<uint16_t>() + row, count, keys);
    case TypeId::kInt32:
    case TypeId::kDate32: return widen_values(column->values<int32_t>() + row, count, keys);
    case TypeId::kUInt32: return widen_values(column->values<uint32_t>() + row, count, keys);
    default: return widen_values(column->values<int64_t>() + row, count, keys);
  }
}

// The first size bytes of a word; size from 0 to 7.
static inline uint64_t low_bytes(uint64_t word, int64_t size) {
#if defined(__x86_64__) && TOMBOLO_LEVEL >= 1
  return _bzhi_u64(word, static_cast<uint32_t>(8 * size));
#else
  return word & ((uint64_t{1} << (8 * size)) - 1);
#endif
}

// kWords says that a word may be read at every start of a text: none lies in the last 7 bytes.
template <bool kWords, class Offset>
static uint64_t tag_texts(const Offset* offsets, const uint8_t* data, int64_t count,
                          const HashSeeds* seeds, uint64_t* tags) {
  uint64_t all = 0;
  for (int64_t i = 0; i < count; i++) {
    const uint8_t* text = data + offsets[i];
    const int64_t size = static_cast<int64_t>(offsets[i + 1]) - static_cast<int64_t>(offsets[i]);
    uint64_t tag;
    if (__builtin_expect(size > kTextShortMax, 0)) {
      tag = long_text_tag(text, size, *seeds);
    } else if constexpr (kWords) {
      tag = low_bytes(load_word(text), size) | static_cast<uint64_t>(size) << 56;
    } else {
      tag = short_text_tag(text, size);
    }
    tags[i] = tag;
    all |= tag;
  }
  return all;
}

template <class Offset>
static uint64_t tag_offsets(const ColumnView* column, int64_t row, int64_t count,
                            const HashSeeds* seeds, uint64_t* tags) {
  const Offset* offsets = column->offsets<Offset>() + row;
  const uint8_t* data = column->data();
  // Texts that start late in the data are few, and all at the end.
  const int64_t words_end = static_cast<int64_t>(column->offsets<Offset>()[column->length]) - 8;
  int64_t words = count;
  while (words > 0 && offsets[words - 1] > words_end) words--;
  return tag_texts<true>(offsets, data, words, seeds, tags) |
         tag_texts<false>(offsets + words, data, count - words, seeds, tags + words);
}

static uint64_t tag_views(const ColumnView* column, int64_t row, int64_t count,
                          const HashSeeds* seeds, uint64_t* tags) {
  constexpr int64_t kViewBytes = 16;
  const auto* views =
      static_cast<const uint8_t*>(column->array->buffers[1]) + (column->offset + row) * kViewBytes;
  uint64_t all = 0;
  for (int64_t i = 0; i < count; i++) {
    const uint8_t* view = views + i * kViewBytes;
    int32_t size;
    memcpy(&size, view, sizeof size);
    uint64_t tag = 0;
    // The view of a null row may point anywhere.
    if (!valid_at(*column, row + i)) {
      tag = 0;
    } else if (size <= kTextShortMax) {
      tag = low_bytes(load_word(view + 4), size) | static_cast<uint64_t>(size) << 56;
    } else {
      const BytesRef text = bytes_at(*column, row + i);
      tag = long_text_tag(text.data, text.size, *seeds);
    }
    tags[i] = tag;
    all |= tag;
  }
  return all;
}

static uint64_t tag_column(const ColumnView* column, int64_t row, int64_t count,
                           const HashSeeds* seeds, uint64_t* tags) {
  if (count == 0) return 0;
  switch (column->type.id) {
    case TypeId::kUtf8: return tag_offsets<int32_t>(column, row, count, seeds, tags);
    case TypeId::kLargeUtf8: return tag_offsets<int64_t>(column, row, count, seeds, tags);
    default: return tag_views(column, row, count, seeds, tags);
  }
}

static int32_t look_up_pairs(const int32_t* matrix, int32_t width_shift, const int32_t* firsts,
                             const int32_t* seconds, int64_t count, int32_t* numbers) {
  int32_t all = 0;
  for (int64_t i = 0; i < count; i++) {
    const int64_t at = (static_cast<int64_t>(firsts[i]) << width_shift) + seconds[i];
    numbers[i] = matrix[at] - 1;
    all |= numbers[i];
  }
  return all;
}

// One bit for each of 64 numbers that is not negative.
static inline uint64_t found_bits(const int32_t* numbers) {
  uint64_t bits = 0;
#if defined(__x86_64__) && TOMBOLO_LEVEL == 2
  for (int32_t i = 0; i < 4; i++) {
    const __m512i four = _mm512_loadu_si512(numbers + 16 * i);
    bits |= static_cast<uint64_t>(static_cast<uint16_t>(~_mm512_movepi32_mask(four))) << (16 * i);
  }
#elif defined(__x86_64__) && TOMBOLO_LEVEL == 1
  for (int32_t i = 0; i < 8; i++) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers + 8 * i));
    const int32_t signs = _mm256_movemask_ps(_mm256_castsi256_ps(eight));
    bits |= static_cast<uint64_t>(static_cast<uint8_t>(~signs)) << (8 * i);
  }
#else
  for (int32_t i = 0; i < 64; i++) {
    bits |= static_cast<uint64_t>(numbers[i] >= 0) << i;
  }
#endif
  return bits;
}

static int64_t drop_missing(int32_t* numbers, int64_t count, uint64_t* found) {
  int64_t missing = 0;
  int64_t row = 0;
  for (; row + 64 <= count; row += 64) {
    const uint64_t bits = found_bits(numbers + row);
    found[row >> 6] = bits;
    if (bits == ~uint64_t{0}) continue;
    missing += 64 - std::popcount(bits);
    for (int64_t i = row; i < row + 64; i++) numbers[i] = numbers[i] < 0 ? 0 : numbers[i];
  }
  if (row == count) return missing;
  uint64_t bits = 0;
  for (int64_t i = row; i < count; i++) {
    bits |= static_cast<uint64_t>(numbers[i] >= 0) << (i - row);
    missing += numbers[i] < 0 ? 1 : 0;
    numbers[i] = numbers[i] < 0 ? 0 : numbers[i];
  }
  found[row >> 6] = bits;
  return missing;
}

// Codes are read without a sign; end is where a negative one, now large, is outside any dictionary.
template <class T>
static bool look_up_codes(const T* codes, int64_t count, const int32_t* by_code, uint64_t end,
                          int32_t* numbers) {
  T largest = 0;
  for (int64_t i = 0; i < count; i++) largest = codes[i] > largest ? codes[i] : largest;
  if (count > 0 && uint64_t{largest} >= end) return false;
  for (int64_t i = 0; i < count; i++) numbers[i] = by_code[codes[i]];
  return true;
}

static bool look_up(const ColumnView* codes, int64_t row, int64_t count, const int32_t* by_code,
                    int64_t by_code_count, int32_t* numbers) {
  const int32_t width = codes->type.width;
  auto end = static_cast<uint64_t>(by_code_count);
  const uint64_t negative = uint64_t{1} << (8 * width - 1);
  if (is_signed(codes->type.id) && end > negative) end = negative;
  switch (width) {
    case 1: return look_up_codes(codes->values<uint8_t>() + row, count, by_code, end, numbers);
    case 2: return look_up_codes(codes->values<uint16_t>() + row, count, by_code, end, numbers);
    case 4: return look_up_codes(codes->values<uint32_t>() + row, count, by_code, end, numbers);
    default: return look_up_codes(codes->values<uint64_t>() + row, count, by_code, end, numbers);
  }
}

static constexpr HashOps kHashOps = {
    .find = find_keys,
    .widen = widen_column,
    .tag = tag_column,
    .look_up_pairs = look_up_pairs,
    .drop_missing = drop_missing,
    .look_up = look_up,
};

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
