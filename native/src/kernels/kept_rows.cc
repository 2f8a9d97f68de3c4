// SPDX-License-Identifier: Apache-2.0
#include "kernels/kept_rows.h"

#include "kernels/index_rows.h"

namespace tombolo {
inline namespace v0 {

namespace {

constexpr int64_t kPollWords = kPollBytes / 8;

}  // namespace

Status KeptRows::open(Context& context, const ColumnView& mask, bool emit_null) noexcept {
  rows_ = mask.length;
  count_ = 0;
  const bool keep_nulls = emit_null && mask.validity != nullptr;
  Status status = kept_.allocate(context, word_count(rows_) * 8);
  if (status == TOMBOLO_OK && keep_nulls) {
    status = nulls_.allocate(context, word_count(rows_) * 8);
  }
  if (status != TOMBOLO_OK) return status;
  for (int64_t i = 0; i < rows_; i += kWordRows) {
    // A mask reads two bits of each row.
    if (i % (kPollBits / 2) == 0 && context.cancelled()) return context.fail_cancelled();
    const uint64_t valid = word_at(mask.validity, mask.offset, i, rows_);
    uint64_t kept = word_at(mask.bits(), mask.offset, i, rows_) & valid;
    if (keep_nulls) {
      const uint64_t missing = ~valid & low_bits(rows_ - i);
      nulls_.as<uint64_t>()[i / kWordRows] = missing;
      kept |= missing;
    }
    kept_.as<uint64_t>()[i / kWordRows] = kept;
    count_ += std::popcount(kept);
  }
  return TOMBOLO_OK;
}

Status KeptRows::open_all(Context& context, int64_t rows) noexcept {
  rows_ = rows;
  count_ = rows;
  const Status status = kept_.allocate(context, word_count(rows) * 8);
  if (status != TOMBOLO_OK) return status;
  for (int64_t i = 0; i < rows; i += kWordRows) {
    if (i % kPollBits == 0 && context.cancelled()) return context.fail_cancelled();
    kept_.as<uint64_t>()[i / kWordRows] = low_bits(rows - i);
  }
  return TOMBOLO_OK;
}

Status KeptRows::words_of(Context& context, const uint8_t* bits, const ColumnView& column,
                          Buffer* words) const noexcept {
  Status status = words->allocate(context, word_count(rows_) * 8);
  if (status != TOMBOLO_OK) return status;
  auto* out = words->as<uint64_t>();
  status = copy_bitmap(context, bits, column.offset, rows_, out, nullptr);
  if (status != TOMBOLO_OK || nulls() == nullptr) return status;
  for (int64_t i = 0; i < word_count(rows_); i++) {
    if (i % kPollWords == 0 && context.cancelled()) return context.fail_cancelled();
    out[i] &= ~nulls()[i];
  }
  return TOMBOLO_OK;
}

Status KeptRows::filter_bitmap(Context& context, const Dispatch& dispatch, const uint64_t* words,
                               Buffer* out, int64_t* set) const noexcept {
  const Status status = out->allocate(context, word_count(count_) * 8);
  if (status != TOMBOLO_OK) return status;
  BitSink sink = {out->as<uint64_t>(), 0, 0, 0};
  const int64_t step = kPollWords;
  for (int64_t i = 0; i < word_count(rows_); i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = word_count(rows_) - i < step ? word_count(rows_) - i : step;
    dispatch.selection->filter_bits(words + i, kept() + i, n, &sink);
  }
  if (sink.used > 0) *sink.out = sink.pending;
  *set = sink.set;
  return TOMBOLO_OK;
}

Status KeptRows::filter_validity(Context& context, const Dispatch& dispatch,
                                 const ColumnView& column, Buffer* valid,
                                 ArrowArray* out) const noexcept {
  if (column.validity == nullptr && nulls() == nullptr) return TOMBOLO_OK;
  Status status = words_of(context, column.validity, column, valid);
  if (status != TOMBOLO_OK) return status;
  Buffer bitmap;
  int64_t set = 0;
  status = filter_bitmap(context, dispatch, valid->as<uint64_t>(), &bitmap, &set);
  if (status != TOMBOLO_OK) return status;
  keep_validity(out, static_cast<Buffer&&>(bitmap), count_, count_ - set);
  if (out->null_count == 0) valid->reset();
  return TOMBOLO_OK;
}

Status KeptRows::filter_fixed(Context& context, const Dispatch& dispatch, const ColumnView& column,
                              const uint64_t* valid, ArrowArray* out) const noexcept {
  const int64_t width = column.type.width;
  Status status = TOMBOLO_OK;
  auto* values = static_cast<uint8_t*>(array_buffer(context, out, 1, count_ * width, &status));
  if (values == nullptr) return status;
  const auto filter = dispatch.selection->filter_fixed[width_slot(column.type.width)];
  const int64_t step = poll_rows(width);
  int64_t done = 0;
  for (int64_t i = 0; i < rows_; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows_ - i < step ? rows_ - i : step;
    done += filter(column.bytes() + i * width, kept() + i / kWordRows,
                   valid == nullptr ? nullptr : valid + i / kWordRows, n, values + done * width);
  }
  pad_buffer(values, count_ * width);
  return TOMBOLO_OK;
}

namespace {

template <class O>
struct TextOps;
template <>
struct TextOps<int32_t> {
  static auto offsets(const Dispatch& d) noexcept { return d.selection->filter_offsets32; }
  static auto bytes(const Dispatch& d) noexcept { return d.selection->filter_bytes32; }
};
template <>
struct TextOps<int64_t> {
  static auto offsets(const Dispatch& d) noexcept { return d.selection->filter_offsets64; }
  static auto bytes(const Dispatch& d) noexcept { return d.selection->filter_bytes64; }
};

}  // namespace

template <class O>
Status KeptRows::filter_text(Context& context, const Dispatch& dispatch, const ColumnView& column,
                             const uint64_t* valid, ArrowArray* out) const noexcept {
  if (rows_ == 0) return fill_empty_text(context, 0, sizeof(O), out);
  Status status = TOMBOLO_OK;
  const int64_t offset_bytes = (count_ + 1) * static_cast<int64_t>(sizeof(O));
  auto* ends = static_cast<O*>(array_buffer(context, out, 1, offset_bytes, &status));
  if (ends == nullptr) return status;
  const O* offsets = column.offsets<O>();
  const int64_t step = poll_rows(8 + (offsets[rows_] - offsets[0]) / rows_);
  int64_t done = 0;
  int64_t position = 0;
  ends[0] = 0;
  for (int64_t i = 0; i < rows_; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows_ - i < step ? rows_ - i : step;
    done += TextOps<O>::offsets(dispatch)(offsets + i, kept() + i / kWordRows,
                                          valid == nullptr ? nullptr : valid + i / kWordRows, n,
                                          ends + 1 + done, &position);
  }
  pad_buffer(ends, offset_bytes);
  auto* bytes = static_cast<uint8_t*>(array_buffer(context, out, 2, position, &status));
  if (bytes == nullptr) return status;
  int64_t written = 0;
  for (int64_t i = 0; i < rows_ && position > 0; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows_ - i < step ? rows_ - i : step;
    written += TextOps<O>::bytes(dispatch)(
        offsets + i, column.data(), column.data() + offsets[rows_], kept() + i / kWordRows,
        valid == nullptr ? nullptr : valid + i / kWordRows, n, bytes + written);
  }
  pad_buffer(bytes, position);
  return TOMBOLO_OK;
}

Status KeptRows::filter_by_index(Context& context, const Dispatch& dispatch,
                                 const ColumnView& column, ArrowArray* out) const noexcept {
  Buffer list;
  Buffer valid;
  Status status = list.allocate(context, count_ * 8);
  if (status == TOMBOLO_OK && nulls() != nullptr) {
    Buffer there;
    int64_t set = 0;
    status = words_of(context, nullptr, column, &there);
    if (status != TOMBOLO_OK) return status;
    status = filter_bitmap(context, dispatch, there.as<uint64_t>(), &valid, &set);
  }
  if (status != TOMBOLO_OK) return status;
  int64_t done = 0;
  for (int64_t i = 0; i < word_count(rows_); i++) {
    // Each word may write 64 indices.
    if (i % (kPollWords / kWordRows) == 0 && context.cancelled()) return context.fail_cancelled();
    for (uint64_t w = kept()[i]; w != 0; w &= w - 1) {
      list.as<uint64_t>()[done++] = static_cast<uint64_t>(i * kWordRows + std::countr_zero(w));
    }
  }
  IndexRows index;
  index.open_list(static_cast<Buffer&&>(list), count_, static_cast<Buffer&&>(valid));
  return index.take(context, dispatch, column, -1, out);
}

Status KeptRows::filter(Context& context, const Dispatch& dispatch, const ColumnView& column,
                        ArrowArray* out) const noexcept {
  const Layout layout = layout_of(column.type);
  if (layout == Layout::kView ||
      (layout == Layout::kFixed && width_slot(column.type.width) < 0)) {
    return filter_by_index(context, dispatch, column, out);
  }
  Status status = open_like(context, column, count_, out);
  if (status != TOMBOLO_OK || layout == Layout::kNull) return status;
  Buffer valid;
  status = filter_validity(context, dispatch, column, &valid, out);
  if (status != TOMBOLO_OK) return status;
  const uint64_t* words = valid.as<uint64_t>();
  switch (layout) {
    case Layout::kText32: return filter_text<int32_t>(context, dispatch, column, words, out);
    case Layout::kText64: return filter_text<int64_t>(context, dispatch, column, words, out);
    case Layout::kFixed: return filter_fixed(context, dispatch, column, words, out);
    default: break;
  }
  Buffer bits;
  Buffer result;
  int64_t set = 0;
  status = words_of(context, column.bits(), column, &bits);
  if (status != TOMBOLO_OK) return status;
  for (int64_t i = 0; words != nullptr && i < word_count(rows_); i++) {
    if (i % kPollWords == 0 && context.cancelled()) return context.fail_cancelled();
    bits.as<uint64_t>()[i] &= words[i];
  }
  status = filter_bitmap(context, dispatch, bits.as<uint64_t>(), &result, &set);
  if (status != TOMBOLO_OK) return status;
  pad_buffer(result.data(), word_count(count_) * 8);
  adopt_buffer(out, 1, static_cast<Buffer&&>(result));
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
