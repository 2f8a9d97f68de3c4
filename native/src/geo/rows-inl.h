// SPDX-License-Identifier: Apache-2.0
//
// The loop over the rows of columns of doubles, in whole vectors.

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

// The validity of up to 64 rows from row i on, a multiple of 64, of n.
TOMBOLO_INLINE uint64_t valid_word(const uint8_t* valid, int64_t i, int64_t n) {
  const int64_t rows = n - i;
  const uint64_t all = rows >= 64 ? ~uint64_t{0} : (uint64_t{1} << rows) - 1;
  if (valid == nullptr) return all;
  uint64_t word = 0;
  if (rows >= 64) {
    __builtin_memcpy(&word, valid + (i >> 3), 8);
  } else {
    for (int64_t byte = 0; byte * 8 < rows; byte++) {
      word |= static_cast<uint64_t>(valid[(i >> 3) + byte]) << (8 * byte);
    }
  }
  return word & all;
}

// One vector of a column from row i on; beyond n lanes are zero and memory is not touched.
TOMBOLO_INLINE F64 load_rows(const double* from, int64_t i, int64_t n) {
  if (i + kLanes <= n) return load(from + i);
  double lanes[kLanes] = {};
  for (int64_t k = 0; k < n - i; k++) lanes[k] = from[i + k];
  return load(lanes);
}
TOMBOLO_INLINE void store_rows(double* to, int64_t i, int64_t n, F64 v) {
  if (i + kLanes <= n) return store(to + i, v);
  double lanes[kLanes];
  store(lanes, v);
  for (int64_t k = 0; k < n - i; k++) to[i + k] = lanes[k];
}

// Calls body(in, out) for each vector of rows, in and out being one vector for each column.
template <int kIn, int kOut, class Body>
TOMBOLO_INLINE void for_rows(const double* const (&in)[kIn], double* const (&out)[kOut], int64_t n,
                             const uint8_t* valid, const Body& body) {
  F64 arguments[kIn];
  F64 results[kOut];
  int64_t i = 0;
  if (valid == nullptr) {
    for (; i + kLanes <= n; i += kLanes) {
      for (int c = 0; c < kIn; c++) arguments[c] = load(in[c] + i);
      body(arguments, results);
      for (int c = 0; c < kOut; c++) store(out[c] + i, results[c]);
    }
  }
  uint64_t word = 0;
  for (; i < n; i += kLanes) {
    // Lanes divide 64, so a vector never spans two words.
    if ((i & 63) == 0 || valid == nullptr)
      word = valid_word(valid, i & ~int64_t{63}, n) >> (i & 63);
    const Mask mask = mask_from_bits(word & ((uint64_t{1} << kLanes) - 1));
    word >>= kLanes;
    for (int c = 0; c < kIn; c++) arguments[c] = load_rows(in[c], i, n);
    body(arguments, results);
    for (int c = 0; c < kOut; c++) {
      store_rows(out[c], i, n, from_bits(bits(results[c]) & mask));
    }
  }
}

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
