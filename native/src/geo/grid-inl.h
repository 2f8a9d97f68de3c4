// SPDX-License-Identifier: Apache-2.0
//
// Cells of a square grid. Twin: bridge/portable/geo.go.

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

// floor(v) for |v| < 2^51, its low 32 bits in *low; beyond, some number outside int32.
TOMBOLO_INLINE F64 floor_near(F64 v, I64* low) {
  const F64 rounded = nearest(v);
  const F64 floor = rounded - select(rounded > v, splat(1.0), F64{});
  *low = bits(floor + kToInteger) & 0xFFFFFFFF;
  return floor;
}

TOMBOLO_INLINE Mask fits_int32(F64 v) { return (v >= -0x1p31) & (v < 0x1p31); }

static int64_t grid_cell(const double* x, const double* y, int64_t n, double size,
                         const uint8_t* valid, int64_t* cell, uint8_t* out_valid) {
  constexpr uint64_t kLaneBits = (uint64_t{1} << kLanes) - 1;
  int64_t count = 0;
  for (int64_t first = 0; first < n; first += 64) {
    const uint64_t word = valid_word(valid, first, n);
    const int64_t end = first + 64 < n ? first + 64 : n;
    uint64_t kept = 0;
    for (int64_t i = first; i < end; i += kLanes) {
      I64 column;
      I64 row;
      const Mask fits = fits_int32(floor_near(load_rows(x, i, n) / size, &column)) &
                        fits_int32(floor_near(load_rows(y, i, n) / size, &row));
      const Mask mask = fits & mask_from_bits(word >> (i - first) & kLaneBits);
      kept |= mask_bits(mask) << (i - first);
      const I64 id = (column << 32 | row) & mask;
      if (i + kLanes <= n) {
        store(cell + i, id);
      } else {
        for (int64_t k = 0; k < n - i; k++) cell[i + k] = id[k];
      }
    }
    __builtin_memcpy(out_valid + (first >> 3), &kept, 8);
    count += std::popcount(kept);
  }
  return count;
}

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
