// SPDX-License-Identifier: Apache-2.0
#include "arrow/validity.h"

#include "arrow/bitmap.h"

namespace tombolo {
inline namespace v0 {
Status intersect_validity(Context& context, const ColumnView* columns, int32_t count, int64_t rows,
                          Validity* out) noexcept {
  out->bitmap.reset();
  out->null_count = 0;
  bool nullable = false;
  for (int32_t c = 0; c < count; c++) nullable |= columns[c].validity != nullptr;
  if (!nullable || rows == 0) return TOMBOLO_OK;

  const int64_t words = (rows + kWordRows - 1) / kWordRows;
  const Status status = out->bitmap.allocate(context, words * 8);
  if (status != TOMBOLO_OK) return status;
  auto* bitmap = out->bitmap.as<uint64_t>();
  int64_t valid = 0;
  // Four columns, the most that a kernel has, read 64 KiB in so many words.
  constexpr int64_t kPollWords = kPollBytes / 8 / 4;
  for (int64_t w = 0; w < words; w++) {
    if (w % kPollWords == 0 && context.cancelled()) return context.fail_cancelled();
    uint64_t word = rows - w * kWordRows >= kWordRows ? ~uint64_t{0}
                                                      : (uint64_t{1} << (rows - w * kWordRows)) - 1;
    for (int32_t c = 0; c < count; c++) {
      if (columns[c].validity == nullptr) continue;
      word &= word_at(columns[c].validity, columns[c].offset, w * kWordRows, rows);
    }
    bitmap[w] = word;
    valid += std::popcount(word);
  }
  pad_buffer(bitmap, words * 8);
  out->null_count = rows - valid;
  if (out->null_count == 0) out->bitmap.reset();
  return TOMBOLO_OK;
}

void adopt_validity(ArrowArray* out, Validity&& validity) noexcept {
  out->null_count = validity.null_count;
  if (validity.bits() != nullptr) adopt_buffer(out, 0, static_cast<Buffer&&>(validity.bitmap));
  validity.null_count = 0;
}

Status copy_validity(Context& context, ArrowArray* out, const Validity& validity,
                     int64_t rows) noexcept {
  out->null_count = validity.null_count;
  if (validity.bits() == nullptr) return TOMBOLO_OK;
  const int64_t size_bytes = bitmap_bytes(rows);
  Status status = TOMBOLO_OK;
  void* copy = array_buffer(context, out, 0, size_bytes, &status);
  if (copy == nullptr) return status;
  memcpy(copy, validity.bits(), static_cast<size_t>(size_bytes));
  pad_buffer(copy, size_bytes);
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
