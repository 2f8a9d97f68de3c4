// SPDX-License-Identifier: Apache-2.0
#include "kernels/index_rows.h"

namespace tombolo {
inline namespace v0 {

Status IndexRows::open(Context& context, const Dispatch& dispatch, const ColumnView& index,
                       int64_t limit, int32_t argument) noexcept {
  rows_ = index.length;
  Status status = TOMBOLO_OK;
  if (index.validity != nullptr) {
    status = valid_.allocate(context, word_count(rows_) * 8);
    if (status != TOMBOLO_OK) return status;
    int64_t set = 0;
    status = copy_bitmap(context, index.validity, index.offset, rows_, valid_.as<uint64_t>(), &set);
    if (status != TOMBOLO_OK) return status;
    if (set == rows_) valid_.reset();
  }
  const int32_t width = index.type.width;
  uint64_t end = static_cast<uint64_t>(limit);
  if (is_signed(index.type.id)) {
    // Above this lie the negative ones.
    const uint64_t first_negative = uint64_t{1} << (8 * width - 1);
    end = end < first_negative ? end : first_negative;
  }
  const auto outside = dispatch.selection->outside[width_slot(width)];
  const int64_t step = poll_rows(width);
  for (int64_t i = 0; i < rows_; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows_ - i < step ? rows_ - i : step;
    const uint64_t* words = valid() == nullptr ? nullptr : valid() + i / kWordRows;
    if (outside(index.bytes() + i * width, words, n, end)) {
      return context.fail(TOMBOLO_INDEX, "", 0, argument);
    }
  }
  wide_ = width != 4;
  index_ = index.bytes();
  if (valid() == nullptr && (width == 4 || width == 8)) return TOMBOLO_OK;
  return normalise(context, index);
}

namespace {

template <class T>
void widen(const uint8_t* index, int64_t rows, uint64_t* out) noexcept {
  const auto* in = reinterpret_cast<const T*>(index);
  for (int64_t i = 0; i < rows; i++) out[i] = in[i];
}

void widen_width(int32_t width, const uint8_t* index, int64_t rows, uint64_t* out) noexcept {
  switch (width) {
    case 1: return widen<uint8_t>(index, rows, out);
    case 2: return widen<uint16_t>(index, rows, out);
    case 4: return widen<uint32_t>(index, rows, out);
    default: return widen<uint64_t>(index, rows, out);
  }
}

}  // namespace

Status IndexRows::normalise(Context& context, const ColumnView& index) noexcept {
  const Status status = list_.allocate(context, rows_ * 8);
  if (status != TOMBOLO_OK) return status;
  auto* out = list_.as<uint64_t>();
  const int32_t width = index.type.width;
  const int64_t step = poll_rows(width);
  for (int64_t i = 0; i < rows_; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows_ - i < step ? rows_ - i : step;
    widen_width(width, index.bytes() + i * width, n, out + i);
    zero_nulls(out + i, 8, valid() == nullptr ? nullptr : valid() + i / kWordRows, n);
  }
  wide_ = true;
  index_ = out;
  return TOMBOLO_OK;
}

void IndexRows::open_list(Buffer&& list, int64_t rows, Buffer&& valid) noexcept {
  rows_ = rows;
  wide_ = true;
  list_ = static_cast<Buffer&&>(list);
  valid_ = static_cast<Buffer&&>(valid);
  index_ = list_.data();
}

Status IndexRows::take(Context& context, const Dispatch& dispatch, const ColumnView& column,
                       int32_t position, ArrowArray* out) const noexcept {
  const Status status = open_like(context, column, rows_, out);
  if (status != TOMBOLO_OK || layout_of(column.type) == Layout::kNull) return status;
  // Without a value every index is null.
  if (column.length == 0) return fill_nulls(context, column, rows_, out);
  if (wide_) {
    return take_as(context, dispatch, static_cast<const uint64_t*>(index_), column, position, out);
  }
  return take_as(context, dispatch, static_cast<const uint32_t*>(index_), column, position, out);
}

template <class I>
Status IndexRows::take_as(Context& context, const Dispatch& dispatch, const I* index,
                          const ColumnView& column, int32_t position,
                          ArrowArray* out) const noexcept {
  const Status status = take_validity(context, index, column, out);
  if (status != TOMBOLO_OK) return status;
  switch (layout_of(column.type)) {
    case Layout::kBits: return take_bits(context, index, column, out);
    case Layout::kText32:
      return take_text<I, int32_t>(context, dispatch, index, column, position, out);
    case Layout::kText64:
      return take_text<I, int64_t>(context, dispatch, index, column, position, out);
    case Layout::kView: return take_views(context, index, column, position, out);
    default: return take_fixed(context, index, column, out);
  }
}

namespace {

// The bits of up to 64 rows.
template <class I>
uint64_t gather_word(const uint8_t* bits, int64_t offset, const I* index, int64_t rows) noexcept {
  uint64_t word = 0;
  for (int64_t i = 0; i < rows; i++) {
    const uint64_t at = static_cast<uint64_t>(offset) + index[i];
    word |= static_cast<uint64_t>(bits[at >> 3] >> (at & 7) & 1) << i;
  }
  return word;
}

constexpr int64_t word_rows(int64_t rows, int64_t i) noexcept {
  return rows - i < kWordRows ? rows - i : kWordRows;
}

// The validity of a result, which take_validity has made.
const uint64_t* result_words(const ArrowArray* out) noexcept {
  return static_cast<const uint64_t*>(out->buffers[0]);
}

bool row_valid(const uint64_t* words, int64_t i) noexcept {
  return words == nullptr || (words[i / kWordRows] >> (i % kWordRows) & 1) != 0;
}

}  // namespace

template <class I>
Status IndexRows::take_validity(Context& context, const I* index, const ColumnView& column,
                                ArrowArray* out) const noexcept {
  if (column.validity == nullptr && valid() == nullptr) return TOMBOLO_OK;
  Buffer words;
  const Status status = words.allocate(context, word_count(rows_) * 8);
  if (status != TOMBOLO_OK) return status;
  int64_t set = 0;
  const int64_t step = poll_rows(8);
  for (int64_t i = 0; i < rows_; i += kWordRows) {
    if (i % step == 0 && context.cancelled()) return context.fail_cancelled();
    uint64_t word = valid() == nullptr ? low_bits(rows_ - i) : valid()[i / kWordRows];
    if (column.validity != nullptr) {
      word &= gather_word(column.validity, column.offset, index + i, word_rows(rows_, i));
    }
    words.as<uint64_t>()[i / kWordRows] = word;
    set += std::popcount(word);
  }
  keep_validity(out, static_cast<Buffer&&>(words), rows_, rows_ - set);
  return TOMBOLO_OK;
}

template <class I>
Status IndexRows::take_bits(Context& context, const I* index, const ColumnView& column,
                            ArrowArray* out) const noexcept {
  Status status = TOMBOLO_OK;
  auto* words =
      static_cast<uint64_t*>(array_buffer(context, out, 1, word_count(rows_) * 8, &status));
  if (words == nullptr) return status;
  const uint64_t* there = result_words(out);
  const int64_t step = poll_rows(8);
  for (int64_t i = 0; i < rows_; i += kWordRows) {
    if (i % step == 0 && context.cancelled()) return context.fail_cancelled();
    const uint64_t word = gather_word(column.bits(), column.offset, index + i, word_rows(rows_, i));
    words[i / kWordRows] = there == nullptr ? word : word & there[i / kWordRows];
  }
  pad_buffer(words, word_count(rows_) * 8);
  return TOMBOLO_OK;
}

namespace {

// Loads are scalar: on the machines measured a gather instruction is slower in the cache and no
// faster from memory.
template <class T, class I>
void gather(const uint8_t* in, const I* index, int64_t rows, uint8_t* out) noexcept {
  const T* from = reinterpret_cast<const T*>(in);
  T* to = reinterpret_cast<T*>(out);
  for (int64_t i = 0; i < rows; i++) to[i] = from[index[i]];
}

template <class I>
void gather_width(int64_t width, const uint8_t* in, const I* index, int64_t rows,
                  uint8_t* out) noexcept {
  switch (width) {
    case 1: return gather<uint8_t>(in, index, rows, out);
    case 2: return gather<uint16_t>(in, index, rows, out);
    case 4: return gather<uint32_t>(in, index, rows, out);
    case 8: return gather<uint64_t>(in, index, rows, out);
    case 16: return gather<Slot16>(in, index, rows, out);
    case 32: return gather<Slot32>(in, index, rows, out);
    default: break;
  }
  for (int64_t i = 0; i < rows; i++) {
    memcpy(out + i * width, in + static_cast<int64_t>(index[i]) * width,
           static_cast<size_t>(width));
  }
}

}  // namespace

template <class I>
Status IndexRows::take_fixed(Context& context, const I* index, const ColumnView& column,
                             ArrowArray* out) const noexcept {
  const int64_t width = column.type.width;
  Status status = TOMBOLO_OK;
  auto* values = static_cast<uint8_t*>(array_buffer(context, out, 1, rows_ * width, &status));
  if (values == nullptr) return status;
  const uint64_t* words = result_words(out);
  const int64_t step = poll_rows(static_cast<int64_t>(sizeof(I)) + width);
  for (int64_t i = 0; i < rows_; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows_ - i < step ? rows_ - i : step;
    gather_width(width, column.bytes(), index + i, n, values + i * width);
    zero_nulls(values + i * width, column.type.width,
               words == nullptr ? nullptr : words + i / kWordRows, n);
  }
  pad_buffer(values, rows_ * width);
  return TOMBOLO_OK;
}

namespace {

// Writes the end of each row to out and where its bytes start to starts.
template <class I, class O>
int64_t measure_text(const O* offsets, const I* index, const uint64_t* words, int64_t begin,
                     int64_t end, int64_t rows, int64_t position, O* out,
                     int64_t* starts) noexcept {
  constexpr int64_t kAhead = 16;
  for (int64_t i = begin; i < end; i++) {
    if (i + kAhead < rows) __builtin_prefetch(offsets + index[i + kAhead]);
    const O* at = offsets + index[i];
    starts[i] = at[0];
    if (row_valid(words, i)) position += static_cast<int64_t>(at[1]) - at[0];
    out[i + 1] = static_cast<O>(position);
  }
  return position;
}

}  // namespace

template <class I, class O>
Status IndexRows::take_text(Context& context, const Dispatch& dispatch, const I* index,
                            const ColumnView& column, int32_t position,
                            ArrowArray* out) const noexcept {
  Status status = TOMBOLO_OK;
  Buffer starts;
  const int64_t offset_bytes = (rows_ + 1) * static_cast<int64_t>(sizeof(O));
  auto* ends = static_cast<O*>(array_buffer(context, out, 1, offset_bytes, &status));
  if (ends == nullptr) return status;
  status = starts.allocate(context, rows_ * 8);
  if (status != TOMBOLO_OK) return status;
  const O* offsets = column.offsets<O>();
  const uint8_t* end = column.data() + offsets[column.length];
  const uint64_t* words = result_words(out);
  int64_t step = poll_rows(16);
  int64_t total = 0;
  ends[0] = 0;
  for (int64_t i = 0; i < rows_; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows_ - i < step ? rows_ - i : step;
    total = measure_text(offsets, index, words, i, i + n, rows_, total, ends, starts.as<int64_t>());
  }
  if (total > std::numeric_limits<O>::max()) {
    return context.fail(TOMBOLO_OVERFLOW, "the text of the result is too long for its offsets",
                        position, 0);
  }
  pad_buffer(ends, offset_bytes);
  auto* bytes = static_cast<uint8_t*>(array_buffer(context, out, 2, total, &status));
  if (bytes == nullptr) return status;
  step = poll_rows(8 + total / (rows_ > 0 ? rows_ : 1));
  for (int64_t i = 0; i < rows_ && total > 0; i += step) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows_ - i < step ? rows_ - i : step;
    if constexpr (sizeof(O) == 4) {
      dispatch.selection->gather_bytes32(starts.as<int64_t>() + i, ends + i, column.data(), end, n,
                                         bytes);
    } else {
      dispatch.selection->gather_bytes64(starts.as<int64_t>() + i, ends + i, column.data(), end, n,
                                         bytes);
    }
  }
  pad_buffer(bytes, total);
  return TOMBOLO_OK;
}

namespace {

// A view as the format lays it out; up to 12 bytes of text stand in place of the last three words.
struct View {
  int32_t size;
  uint32_t prefix;
  int32_t buffer;
  int32_t offset;
};
static_assert(sizeof(View) == 16);
constexpr int32_t kInlineMax = 12;

}  // namespace

template <class I>
Status IndexRows::take_views(Context& context, const I* index, const ColumnView& column,
                             int32_t position, ArrowArray* out) const noexcept {
  Status status = TOMBOLO_OK;
  auto* views = static_cast<View*>(array_buffer(context, out, 1, rows_ * 16, &status));
  if (views == nullptr) return status;
  const auto* in = column.values<View>();
  const uint64_t* words = result_words(out);
  const int64_t step = poll_rows(16);
  int64_t total = 0;
  for (int64_t i = 0; i < rows_; i++) {
    if (i % step == 0 && context.cancelled()) return context.fail_cancelled();
    views[i] = row_valid(words, i) ? in[index[i]] : View{};
    if (views[i].size > kInlineMax) total += views[i].size;
  }
  pad_buffer(views, rows_ * 16);
  if (total > std::numeric_limits<int32_t>::max()) {
    return context.fail(TOMBOLO_OVERFLOW, "the long text of the result is over 2 GiB", position, 0);
  }
  // Long values move to one new data buffer, so that the result holds nothing of its input.
  out->n_buffers = total > 0 ? 4 : 3;
  auto* sizes = static_cast<int64_t*>(
      array_buffer(context, out, out->n_buffers - 1, total > 0 ? 8 : 0, &status));
  if (sizes == nullptr || total == 0) return status;
  sizes[0] = total;
  pad_buffer(sizes, 8);
  auto* bytes = static_cast<uint8_t*>(array_buffer(context, out, 2, total, &status));
  if (bytes == nullptr) return status;
  int64_t done = 0;
  for (int64_t i = 0; i < rows_; i++) {
    if (i % kWordRows == 0 && context.cancelled()) return context.fail_cancelled();
    View& view = views[i];
    if (view.size <= kInlineMax) continue;
    const auto* data = static_cast<const uint8_t*>(column.array->buffers[2 + view.buffer]);
    memcpy(bytes + done, data + view.offset, static_cast<size_t>(view.size));
    view.buffer = 0;
    view.offset = static_cast<int32_t>(done);
    done += view.size;
  }
  pad_buffer(bytes, total);
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
