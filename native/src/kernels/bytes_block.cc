// SPDX-License-Identifier: Apache-2.0
#include "kernels/bytes_block.h"

namespace tombolo {
inline namespace v0 {
namespace {

template <class O>
void read_text(const O* offsets, const uint8_t* data, int64_t n, BytesRef* out) noexcept {
  for (int64_t i = 0; i < n; i++) {
    out[i] = {data + offsets[i], static_cast<int64_t>(offsets[i + 1]) - offsets[i]};
  }
}

}  // namespace

void read_bytes(const ColumnView& column, int64_t i, int64_t n, BytesRef* out) noexcept {
  if (has_offsets32(column.type.id)) {
    return read_text(column.offsets<int32_t>() + i, column.data(), n, out);
  }
  if (has_offsets64(column.type.id)) {
    return read_text(column.offsets<int64_t>() + i, column.data(), n, out);
  }
  if (column.type.id == TypeId::kFixedSizeBinary) {
    const int64_t width = column.type.width;
    for (int64_t row = 0; row < n; row++) out[row] = {column.bytes() + (i + row) * width, width};
    return;
  }
  const uint64_t valid = word_at(column.validity, column.offset, i, column.length);
  for (int64_t row = 0; row < n; row++) {
    out[row] = (valid >> row & 1) != 0 ? bytes_at(column, i + row) : BytesRef{nullptr, 0};
  }
}

void spread_bytes(const ColumnView& column, BytesRef* out) noexcept {
  read_bytes(column, 0, 1, out);
  for (int64_t row = 1; row < kWordRows; row++) out[row] = out[0];
}

}  // namespace v0
}  // namespace tombolo
