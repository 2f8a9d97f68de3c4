// SPDX-License-Identifier: Apache-2.0
//
// The text columns of a result.
#pragma once

#include "arrow/output.h"

namespace tombolo {
inline namespace v0 {

template <class Offset, class TextAt>
Status write_offsets(Context& context, int64_t total, ArrowArray* column, TextAt text_at) noexcept {
  Status status = TOMBOLO_OK;
  const int64_t offset_bytes = (column->length + 1) * static_cast<int64_t>(sizeof(Offset));
  auto* offsets = static_cast<Offset*>(array_buffer(context, column, 1, offset_bytes, &status));
  if (offsets == nullptr) return status;
  auto* data = static_cast<uint8_t*>(array_buffer(context, column, 2, total, &status));
  if (data == nullptr) return status;
  offsets[0] = 0;
  int64_t end = 0;
  int64_t polled = 0;
  for (int64_t i = 0; i < column->length; i++) {
    const BytesRef text = text_at(i);
    if (text.size > 0) memcpy(data + end, text.data, static_cast<size_t>(text.size));
    end += text.size;
    offsets[i + 1] = static_cast<Offset>(end);
    polled += text.size + static_cast<int64_t>(sizeof(Offset));
    if (polled > kPollBytes) {
      if (context.cancelled()) return context.fail_cancelled();
      polled = 0;
    }
  }
  pad_buffer(offsets, offset_bytes);
  pad_buffer(data, total);
  return TOMBOLO_OK;
}

// Writes offsets and bytes of a utf8 or large_utf8 column whose length is set; text_at(row) is
// empty for a null. OVERFLOW when the texts are longer than utf8 can say.
template <class TextAt>
Status write_texts(Context& context, bool is_large, ArrowArray* column, TextAt text_at) noexcept {
  int64_t total = 0;
  for (int64_t i = 0; i < column->length; i++) total += text_at(i).size;
  if (is_large) return write_offsets<int64_t>(context, total, column, text_at);
  if (total > std::numeric_limits<int32_t>::max()) {
    return context.fail(TOMBOLO_OVERFLOW, "more bytes of text than a utf8 column holds");
  }
  return write_offsets<int32_t>(context, total, column, text_at);
}

}  // namespace v0
}  // namespace tombolo
