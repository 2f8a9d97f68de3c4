// SPDX-License-Identifier: Apache-2.0

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

// The bits of w whose mask bit is set, moved to the low end in order.
TOMBOLO_INLINE uint64_t compress_word(uint64_t w, uint64_t mask) {
#if TOMBOLO_LEVEL >= 1
  return _pext_u64(w, mask);
#else
  // Six rounds; each moves the bits whose distance has that bit set.
  w &= mask;
  uint64_t gaps = ~mask << 1;
  for (int round = 0; round < 6; round++) {
    uint64_t parity = gaps ^ gaps << 1;
    parity ^= parity << 2;
    parity ^= parity << 4;
    parity ^= parity << 8;
    parity ^= parity << 16;
    parity ^= parity << 32;
    const uint64_t move = parity & mask;
    mask = (mask ^ move) | move >> (1 << round);
    const uint64_t moved = w & move;
    w = (w ^ moved) | moved >> (1 << round);
    gaps &= ~parity;
  }
  return w;
#endif
}

// 64 values, by vectors: a compiler makes a slow string move of a memcpy of this size.
template <class T>
TOMBOLO_INLINE void copy_word(const T* in, T* out) {
  const auto* from = reinterpret_cast<const uint8_t*>(in);
  auto* to = reinterpret_cast<uint8_t*>(out);
#if TOMBOLO_LEVEL == 2
  for (size_t i = 0; i < sizeof(T); i++) {
    _mm512_storeu_si512(to + 64 * i, _mm512_loadu_si512(from + 64 * i));
  }
#elif TOMBOLO_LEVEL == 1
  for (size_t i = 0; i < 2 * sizeof(T); i++) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32 * i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 32 * i), v);
  }
#else
  typedef uint8_t V __attribute__((vector_size(16)));
  for (size_t i = 0; i < 4 * sizeof(T); i++) {
    V v;
    __builtin_memcpy(&v, from + 16 * i, 16);
    __builtin_memcpy(to + 16 * i, &v, 16);
  }
#endif
}

// One value after another: for few rows, for rows at the end, and for wide values.
template <class T, bool kNulls>
TOMBOLO_INLINE T* keep_each(const T* in, uint64_t w, uint64_t valid, T* out) {
  while (w != 0) {
    const int row = __builtin_ctzll(w);
    if constexpr (kNulls) {
      *out++ = (valid >> row & 1) != 0 ? in[row] : T{};
    } else {
      *out++ = in[row];
    }
    w &= w - 1;
  }
  return out;
}

#if TOMBOLO_LEVEL == 1
struct alignas(32) LaneTable {
  uint32_t lanes[16][8];
};

// For each mask of four 8-byte values, where the 4-byte halves of the kept ones are.
constexpr LaneTable make_lane_table() {
  LaneTable table = {};
  for (uint32_t mask = 0; mask < 16; mask++) {
    uint32_t to = 0;
    for (uint32_t lane = 0; lane < 4; lane++) {
      if ((mask >> lane & 1) == 0) continue;
      table.lanes[mask][to++] = 2 * lane;
      table.lanes[mask][to++] = 2 * lane + 1;
    }
  }
  return table;
}
static constexpr LaneTable kLaneTable = make_lane_table();

TOMBOLO_INLINE __m256i load256(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}

// The lanes of 64 or 32 bits whose bit is set.
TOMBOLO_INLINE __m256i lanes64(uint64_t bits) {
  const __m256i lane = _mm256_set_epi64x(8, 4, 2, 1);
  const __m256i all = _mm256_set1_epi64x(static_cast<int64_t>(bits));
  return _mm256_cmpeq_epi64(_mm256_and_si256(all, lane), lane);
}
TOMBOLO_INLINE __m256i lanes32(uint64_t bits) {
  const __m256i lane = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
  const __m256i all = _mm256_set1_epi32(static_cast<int32_t>(bits));
  return _mm256_cmpeq_epi32(_mm256_and_si256(all, lane), lane);
}

template <class T, bool kNulls>
TOMBOLO_INLINE T* keep_dense(const T* in, uint64_t w, uint64_t valid, T* out) {
  if constexpr (sizeof(T) == 8) {
    for (int i = 0; i < 16; i++) {
      const uint64_t mask = w >> (4 * i) & 15;
      __m256i v = load256(in + 4 * i);
      if constexpr (kNulls) v = _mm256_and_si256(v, lanes64(valid >> (4 * i)));
      v = _mm256_permutevar8x32_epi32(v, load256(kLaneTable.lanes[mask]));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), v);
      out += _mm_popcnt_u64(mask);
    }
  } else if constexpr (sizeof(T) == 4) {
    for (int i = 0; i < 8; i++) {
      const uint64_t mask = w >> (8 * i) & 255;
      __m256i v = load256(in + 8 * i);
      if constexpr (kNulls) v = _mm256_and_si256(v, lanes32(valid >> (8 * i)));
      // The numbers of the kept lanes, a byte each, widened to the lanes of a permutation.
      const uint64_t bytes = _pdep_u64(mask, 0x0101010101010101) * 255;
      const uint64_t lanes = _pext_u64(0x0706050403020100, bytes);
      const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<int64_t>(lanes)));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(v, order));
      out += _mm_popcnt_u64(mask);
    }
  } else {
    constexpr int kRows = 8 / sizeof(T);
    constexpr uint64_t kOnes = sizeof(T) == 1 ? 0x0101010101010101 : 0x0001000100010001;
    constexpr uint64_t kLane = sizeof(T) == 1 ? 0xff : 0xffff;
    for (int i = 0; i < 64 / kRows; i++) {
      const uint64_t mask = w >> (kRows * i) & low_bits(kRows);
      uint64_t v;
      __builtin_memcpy(&v, in + kRows * i, 8);
      if constexpr (kNulls) {
        v &= _pdep_u64(valid >> (kRows * i) & low_bits(kRows), kOnes) * kLane;
      }
      v = _pext_u64(v, _pdep_u64(mask, kOnes) * kLane);
      __builtin_memcpy(out, &v, 8);
      out += _mm_popcnt_u64(mask);
    }
  }
  return out;
}
#elif TOMBOLO_LEVEL == 2
template <class T, bool kNulls>
TOMBOLO_INLINE T* keep_dense(const T* in, uint64_t w, uint64_t valid, T* out) {
  constexpr int kRows = 64 / sizeof(T);
  for (int i = 0; i < 64 / kRows; i++) {
    const uint64_t mask = kRows == 64 ? w : w >> (kRows * i % 64) & low_bits(kRows);
    const uint64_t there = kRows == 64 ? valid : valid >> (kRows * i % 64);
    __m512i v = _mm512_loadu_si512(in + kRows * i);
    if constexpr (sizeof(T) == 8) {
      if constexpr (kNulls) v = _mm512_maskz_mov_epi64(static_cast<__mmask8>(there), v);
      v = _mm512_maskz_compress_epi64(static_cast<__mmask8>(mask), v);
    } else if constexpr (sizeof(T) == 4) {
      if constexpr (kNulls) v = _mm512_maskz_mov_epi32(static_cast<__mmask16>(there), v);
      v = _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), v);
    } else if constexpr (sizeof(T) == 2) {
      if constexpr (kNulls) v = _mm512_maskz_mov_epi16(static_cast<__mmask32>(there), v);
      v = _mm512_maskz_compress_epi16(static_cast<__mmask32>(mask), v);
    } else {
      if constexpr (kNulls) v = _mm512_maskz_mov_epi8(there, v);
      v = _mm512_maskz_compress_epi8(mask, v);
    }
    _mm512_storeu_si512(out, v);
    out += _mm_popcnt_u64(mask);
  }
  return out;
}
#else
template <class T, bool kNulls>
TOMBOLO_INLINE T* keep_dense(const T* in, uint64_t w, uint64_t valid, T* out) {
  for (int row = 0; row < 64; row++) {
    // Every value is stored; only a kept one moves the end.
    if constexpr (kNulls) {
      *out = static_cast<T>(in[row] & -static_cast<T>(valid >> row & 1));
    } else {
      *out = in[row];
    }
    out += w >> row & 1;
  }
  return out;
}
#endif

template <class T, bool kNulls>
TOMBOLO_INLINE T* keep_word(const T* in, uint64_t w, uint64_t valid, T* out) {
  constexpr bool kWide = sizeof(T) > 8;
  // Below this many rows single moves are cheaper than all lanes.
  constexpr int kFew = TOMBOLO_LEVEL == 0 ? 40 : 6;
  if (w == ~uint64_t{0} && (!kNulls || valid == ~uint64_t{0})) {
    copy_word(in, out);
    return out + 64;
  }
  if (kWide || __builtin_popcountll(w) <= kFew) return keep_each<T, kNulls>(in, w, valid, out);
  if constexpr (!kWide) return keep_dense<T, kNulls>(in, w, valid, out);
}

template <class T, bool kNulls>
TOMBOLO_INLINE int64_t filter_words(const T* in, const uint64_t* kept, const uint64_t* valid,
                                    int64_t rows, T* out) {
  T* const begin = out;
  int64_t i = 0;
  for (; i + 64 <= rows; i += 64) {
    const uint64_t w = kept[i / 64];
    if (w == 0) continue;
    out = keep_word<T, kNulls>(in + i, w, kNulls ? valid[i / 64] : 0, out);
  }
  if (i < rows) out = keep_each<T, kNulls>(in + i, kept[i / 64], kNulls ? valid[i / 64] : 0, out);
  return out - begin;
}

template <class T>
static int64_t filter_fixed(const void* in, const uint64_t* kept, const uint64_t* valid,
                            int64_t rows, void* out) {
  const auto* from = static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  if (valid == nullptr) return filter_words<T, false>(from, kept, valid, rows, to);
  return filter_words<T, true>(from, kept, valid, rows, to);
}

static void filter_bits(const uint64_t* in, const uint64_t* kept, int64_t words, BitSink* sink) {
  BitSink s = *sink;
  for (int64_t i = 0; i < words; i++) {
    const uint64_t w = compress_word(in[i], kept[i]);
    const int64_t n = __builtin_popcountll(kept[i]);
    s.set += __builtin_popcountll(w);
    s.pending |= w << s.used;
    if (s.used + n < 64) {
      s.used += n;
      continue;
    }
    *s.out++ = s.pending;
    s.pending = s.used == 0 ? 0 : w >> (64 - s.used);
    s.used += n - 64;
  }
  *sink = s;
}

template <class O>
static int64_t filter_offsets(const O* offsets, const uint64_t* kept, const uint64_t* valid,
                              int64_t rows, O* out, int64_t* position) {
  O* const begin = out;
  O end = static_cast<O>(*position);
  for (int64_t i = 0; i < rows; i += 64) {
    uint64_t w = kept[i / 64];
    const uint64_t there = valid == nullptr ? w : valid[i / 64];
    const O* from = offsets + i;
    while (w != 0) {
      const int row = __builtin_ctzll(w);
      end += (from[row + 1] - from[row]) & -static_cast<O>(there >> row & 1);
      *out++ = end;
      w &= w - 1;
    }
  }
  *position = end;
  return out - begin;
}

// Copies size bytes. Up to 32 go as whole vectors: out has the room, and what is written past the
// row is written again by the next.
TOMBOLO_INLINE void copy_text(uint8_t* out, const uint8_t* in, int64_t size, const uint8_t* end) {
  if (__builtin_expect(size <= 32 && end - in >= 32, 1)) {
#if TOMBOLO_LEVEL >= 1
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), v);
#else
    typedef uint8_t V __attribute__((vector_size(16)));
    V low;
    V high;
    __builtin_memcpy(&low, in, 16);
    __builtin_memcpy(&high, in + 16, 16);
    __builtin_memcpy(out, &low, 16);
    __builtin_memcpy(out + 16, &high, 16);
#endif
    return;
  }
  if (size > 0) memcpy(out, in, static_cast<size_t>(size));
}

template <class O>
static int64_t filter_bytes(const O* offsets, const uint8_t* data, const uint8_t* end,
                            const uint64_t* kept, const uint64_t* valid, int64_t rows,
                            uint8_t* out) {
  uint8_t* const begin = out;
  for (int64_t i = 0; i < rows; i += 64) {
    uint64_t w = valid == nullptr ? kept[i / 64] : kept[i / 64] & valid[i / 64];
    const O* from = offsets + i;
    while (w != 0) {
      // A run of rows is one stretch of bytes.
      const int first = __builtin_ctzll(w);
      const uint64_t rest = ~(w >> first);
      const int run = rest == 0 ? 64 : __builtin_ctzll(rest);
      const int64_t size = static_cast<int64_t>(from[first + run]) - from[first];
      copy_text(out, data + from[first], size, end);
      out += size;
      if (first + run >= 64) break;
      w &= ~uint64_t{0} << (first + run);
    }
  }
  return out - begin;
}

template <class O>
static void gather_bytes(const int64_t* starts, const O* out_offsets, const uint8_t* data,
                         const uint8_t* end, int64_t rows, uint8_t* out) {
  constexpr int64_t kAhead = 12;
  for (int64_t i = 0; i < rows; i++) {
    if (i + kAhead < rows) __builtin_prefetch(data + starts[i + kAhead]);
    const int64_t size = static_cast<int64_t>(out_offsets[i + 1]) - out_offsets[i];
    copy_text(out + out_offsets[i], data + starts[i], size, end);
  }
}

template <class T>
static bool outside(const void* index, const uint64_t* valid, int64_t rows, uint64_t limit) {
  const auto* in = static_cast<const T*>(index);
  // A limit past the type's end lets every value through.
  if (limit > std::numeric_limits<T>::max()) return false;
  const T first_outside = static_cast<T>(limit);
  for (int64_t i = 0; i < rows; i += 64) {
    const int64_t n = rows - i < 64 ? rows - i : 64;
    T any = 0;
    for (int64_t row = 0; row < n; row++) any |= static_cast<T>(in[i + row] >= first_outside);
    if (any == 0) continue;
    if (valid == nullptr) return true;
    for (int64_t row = 0; row < n; row++) {
      if ((valid[i / 64] >> row & 1) != 0 && in[i + row] >= first_outside) return true;
    }
  }
  return false;
}

static constexpr SelectionOps kSelectionOps = {
    .filter_fixed = {filter_fixed<uint8_t>, filter_fixed<uint16_t>, filter_fixed<uint32_t>,
                     filter_fixed<uint64_t>, filter_fixed<Slot16>, filter_fixed<Slot32>},
    .filter_bits = filter_bits,
    .filter_offsets32 = filter_offsets<int32_t>,
    .filter_offsets64 = filter_offsets<int64_t>,
    .filter_bytes32 = filter_bytes<int32_t>,
    .filter_bytes64 = filter_bytes<int64_t>,
    .gather_bytes32 = gather_bytes<int32_t>,
    .gather_bytes64 = gather_bytes<int64_t>,
    .outside = {outside<uint8_t>, outside<uint16_t>, outside<uint32_t>, outside<uint64_t>},
};

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
