// SPDX-License-Identifier: Apache-2.0
#include "kernels/joined_column.h"

#include "kernels/bytes_block.h"

namespace tombolo {
inline namespace v0 {
namespace {

// The parts and what is known of their sum.
struct Join {
  Context& context;
  const Dispatch& dispatch;
  const ColumnView* parts;
  int64_t count;
  int32_t position;
  int64_t rows;
  ArrowArray* out;
};

// Bits of rows appended one word after another.
void append_bits(BitSink* sink, uint64_t word, int64_t n) noexcept {
  sink->set += std::popcount(word);
  sink->pending |= word << sink->used;
  if (sink->used + n < kWordRows) {
    sink->used += n;
    return;
  }
  *sink->out++ = sink->pending;
  sink->pending = sink->used == 0 ? 0 : word >> (kWordRows - sink->used);
  sink->used += n - kWordRows;
}

Status join_validity(const Join& j) noexcept {
  bool nullable = false;
  for (int64_t p = 0; p < j.count; p++) nullable |= j.parts[p].validity != nullptr;
  if (!nullable) return TOMBOLO_OK;
  Buffer words;
  const Status status = words.allocate(j.context, word_count(j.rows) * 8);
  if (status != TOMBOLO_OK) return status;
  BitSink sink = {words.as<uint64_t>(), 0, 0, 0};
  for (int64_t p = 0; p < j.count; p++) {
    const ColumnView& part = j.parts[p];
    for (int64_t i = 0; i < part.length; i += kWordRows) {
      if (i % (kPollBits / 2) == 0 && j.context.cancelled()) return j.context.fail_cancelled();
      const int64_t n = part.length - i < kWordRows ? part.length - i : kWordRows;
      append_bits(&sink, word_at(part.validity, part.offset, i, part.length), n);
    }
  }
  if (sink.used > 0) *sink.out = sink.pending;
  keep_validity(j.out, static_cast<Buffer&&>(words), j.rows, j.rows - sink.set);
  return TOMBOLO_OK;
}

Status join_bits(const Join& j) noexcept {
  Status status = TOMBOLO_OK;
  const int64_t size_bytes = word_count(j.rows) * 8;
  auto* words = static_cast<uint64_t*>(array_buffer(j.context, j.out, 1, size_bytes, &status));
  if (words == nullptr) return status;
  BitSink sink = {words, 0, 0, 0};
  for (int64_t p = 0; p < j.count; p++) {
    const ColumnView& part = j.parts[p];
    for (int64_t i = 0; i < part.length; i += kWordRows) {
      if (i % (kPollBits / 2) == 0 && j.context.cancelled()) return j.context.fail_cancelled();
      const int64_t n = part.length - i < kWordRows ? part.length - i : kWordRows;
      const uint64_t valid = word_at(part.validity, part.offset, i, part.length);
      append_bits(&sink, word_at(part.bits(), part.offset, i, part.length) & valid, n);
    }
  }
  if (sink.used > 0) *sink.out = sink.pending;
  pad_buffer(words, size_bytes);
  return TOMBOLO_OK;
}

Status join_fixed(const Join& j) noexcept {
  const int64_t width = j.parts[0].type.width;
  Status status = TOMBOLO_OK;
  auto* values = static_cast<uint8_t*>(array_buffer(j.context, j.out, 1, j.rows * width, &status));
  if (values == nullptr) return status;
  uint8_t* to = values;
  for (int64_t p = 0; p < j.count; p++) {
    const int64_t size = j.parts[p].length * width;
    for (int64_t i = 0; i < size; i += kPollBytes) {
      if (j.context.cancelled()) return j.context.fail_cancelled();
      const int64_t n = size - i < kPollBytes ? size - i : kPollBytes;
      memcpy(to + i, j.parts[p].bytes() + i, static_cast<size_t>(n));
    }
    to += size;
  }
  const auto* words = static_cast<const uint64_t*>(j.out->buffers[0]);
  const int64_t step = poll_rows(width);
  for (int64_t i = 0; words != nullptr && i < j.rows; i += step) {
    if (j.context.cancelled()) return j.context.fail_cancelled();
    const int64_t n = j.rows - i < step ? j.rows - i : step;
    zero_nulls(values + i * width, j.parts[0].type.width, words + i / kWordRows, n);
  }
  pad_buffer(values, j.rows * width);
  return TOMBOLO_OK;
}

// Calls body(part, row) for the rows that are there, and gap() for those that are null.
template <class Body, class Gap>
Status for_rows_of(const Join& j, const Body& body, const Gap& gap) noexcept {
  for (int64_t p = 0; p < j.count; p++) {
    const ColumnView& part = j.parts[p];
    for (int64_t i = 0; i < part.length; i += kWordRows) {
      if (j.context.cancelled()) return j.context.fail_cancelled();
      const uint64_t valid = word_at(part.validity, part.offset, i, part.length);
      for (int64_t row = i; row < part.length && row < i + kWordRows; row++) {
        if ((valid >> (row - i) & 1) != 0) {
          body(part, row);
        } else {
          gap();
        }
      }
    }
  }
  return TOMBOLO_OK;
}

template <class O>
Status join_text(const Join& j) noexcept {
  Status status = TOMBOLO_OK;
  const int64_t offset_bytes = (j.rows + 1) * static_cast<int64_t>(sizeof(O));
  auto* ends = static_cast<O*>(array_buffer(j.context, j.out, 1, offset_bytes, &status));
  if (ends == nullptr) return status;
  O* next = ends;
  *next++ = 0;
  int64_t total = 0;
  status = for_rows_of(
      j,
      [&](const ColumnView& part, int64_t row) {
        const O* at = part.offsets<O>() + row;
        total += static_cast<int64_t>(at[1]) - at[0];
        *next++ = static_cast<O>(total);
      },
      [&] { *next++ = static_cast<O>(total); });
  if (status != TOMBOLO_OK) return status;
  if (total > std::numeric_limits<O>::max()) {
    return j.context.fail(TOMBOLO_OVERFLOW, "the text of the result is too long for its offsets",
                          j.position, 0);
  }
  pad_buffer(ends, offset_bytes);
  auto* bytes = static_cast<uint8_t*>(array_buffer(j.context, j.out, 2, total, &status));
  if (bytes == nullptr) return status;
  uint8_t* to = bytes;
  for (int64_t p = 0; p < j.count; p++) {
    const ColumnView& part = j.parts[p];
    if (part.length == 0) continue;
    const O* offsets = part.offsets<O>();
    if (part.validity == nullptr) {
      const int64_t size = static_cast<int64_t>(offsets[part.length]) - offsets[0];
      for (int64_t i = 0; i < size; i += kPollBytes) {
        if (j.context.cancelled()) return j.context.fail_cancelled();
        const int64_t n = size - i < kPollBytes ? size - i : kPollBytes;
        memcpy(to + i, part.data() + offsets[0] + i, static_cast<size_t>(n));
      }
      to += size;
      continue;
    }
    for (int64_t i = 0; i < part.length; i++) {
      if (i % kWordRows == 0 && j.context.cancelled()) return j.context.fail_cancelled();
      const int64_t size = static_cast<int64_t>(offsets[i + 1]) - offsets[i];
      if (size == 0 || !valid_at(part, i)) continue;
      memcpy(to, part.data() + offsets[i], static_cast<size_t>(size));
      to += size;
    }
  }
  pad_buffer(bytes, total);
  return TOMBOLO_OK;
}

Status join_views(const Join& j) noexcept {
  constexpr int64_t kInline = 12;
  Status status = TOMBOLO_OK;
  int64_t total = 0;
  status = for_rows_of(
      j,
      [&](const ColumnView& part, int64_t row) {
        const int64_t size = bytes_at(part, row).size;
        if (size > kInline) total += size;
      },
      [] {});
  if (status != TOMBOLO_OK) return status;
  if (total > std::numeric_limits<int32_t>::max()) {
    return j.context.fail(TOMBOLO_OVERFLOW, "the long text of the result is over 2 GiB", j.position,
                          0);
  }
  auto* views = static_cast<uint8_t*>(array_buffer(j.context, j.out, 1, j.rows * 16, &status));
  if (views == nullptr) return status;
  j.out->n_buffers = total > 0 ? 4 : 3;
  auto* sizes = static_cast<int64_t*>(
      array_buffer(j.context, j.out, j.out->n_buffers - 1, total > 0 ? 8 : 0, &status));
  if (sizes == nullptr) return status;
  uint8_t* bytes = nullptr;
  if (total > 0) {
    sizes[0] = total;
    pad_buffer(sizes, 8);
    bytes = static_cast<uint8_t*>(array_buffer(j.context, j.out, 2, total, &status));
    if (bytes == nullptr) return status;
  }
  int64_t done = 0;
  uint8_t* view = views;
  status = for_rows_of(
      j,
      [&](const ColumnView& part, int64_t row) {
        memcpy(view, part.values<uint8_t[16]>()[row], 16);
        const BytesRef value = bytes_at(part, row);
        if (value.size > kInline) {
          const int32_t place[2] = {0, static_cast<int32_t>(done)};
          memcpy(view + 8, place, sizeof place);
          memcpy(bytes + done, value.data, static_cast<size_t>(value.size));
          done += value.size;
        }
        view += 16;
      },
      [&] {
        memset(view, 0, 16);
        view += 16;
      });
  pad_buffer(views, j.rows * 16);
  if (total > 0) pad_buffer(bytes, total);
  return status;
}

bool same_value(const ColumnView& a, const ColumnView& b, int64_t i) noexcept {
  switch (layout_of(a.type)) {
    case Layout::kNull: return true;
    case Layout::kBits: return bit_at(a.bits(), a.offset + i) == bit_at(b.bits(), b.offset + i);
    default: return same_bytes(bytes_at(a, i), bytes_at(b, i));
  }
}

// Whether two dictionaries hold the same values and nulls, bit for bit.
Status same_rows(Context& context, const ColumnView& a, const ColumnView& b, bool* same) noexcept {
  *same = a.length == b.length;
  for (int64_t i = 0; *same && i < a.length; i++) {
    if (i % kWordRows == 0 && context.cancelled()) return context.fail_cancelled();
    const bool there = valid_at(a, i);
    *same = there == valid_at(b, i) && (!there || same_value(a, b, i));
  }
  return TOMBOLO_OK;
}

// Where among others a dictionary is by its rows; count when none is the same.
Status index_of_rows(Context& context, const ColumnView* all, int64_t count,
                     const ColumnView& dictionary, int64_t* at) noexcept {
  for (*at = 0; *at < count; ++*at) {
    bool same = false;
    const Status status = same_rows(context, all[*at], dictionary, &same);
    if (status != TOMBOLO_OK || same) return status;
  }
  return TOMBOLO_OK;
}

template <class T>
Status shift_rows(Context& context, void* out, uint64_t by, const ColumnView& part) noexcept {
  auto* values = static_cast<T*>(out);
  const int64_t step = poll_rows(sizeof(T));
  for (int64_t i = 0; by != 0 && i < part.length; i++) {
    if (i % step == 0 && context.cancelled()) return context.fail_cancelled();
    if (valid_at(part, i)) values[i] = static_cast<T>(values[i] + by);
  }
  return TOMBOLO_OK;
}

// Adds to the indices of each part what its dictionary lies behind.
Status shift_indices(const Join& j, const int64_t* shifts) noexcept {
  const int64_t width = j.parts[0].type.width;
  auto* out = static_cast<uint8_t*>(const_cast<void*>(j.out->buffers[1]));
  for (int64_t p = 0; p < j.count; p++) {
    const auto by = static_cast<uint64_t>(shifts[p]);
    Status status = TOMBOLO_OK;
    switch (width) {
      case 1: status = shift_rows<uint8_t>(j.context, out, by, j.parts[p]); break;
      case 2: status = shift_rows<uint16_t>(j.context, out, by, j.parts[p]); break;
      case 4: status = shift_rows<uint32_t>(j.context, out, by, j.parts[p]); break;
      default: status = shift_rows<uint64_t>(j.context, out, by, j.parts[p]); break;
    }
    if (status != TOMBOLO_OK) return status;
    out += j.parts[p].length * width;
  }
  return TOMBOLO_OK;
}

Status join_dictionaries(const Join& j) noexcept {
  Field plain = *j.parts[0].field;
  plain.encoded = false;
  Buffer views;
  Buffer shifts;
  Buffer starts;
  Status status = views.allocate(j.context, j.count * static_cast<int64_t>(sizeof(ColumnView)));
  if (status == TOMBOLO_OK) status = shifts.allocate(j.context, j.count * 8);
  if (status == TOMBOLO_OK) status = starts.allocate(j.context, j.count * 8);
  if (status != TOMBOLO_OK) return status;
  auto* distinct = views.as<ColumnView>();
  int64_t distinct_count = 0;
  int64_t total = 0;
  for (int64_t p = 0; p < j.count; p++) {
    ColumnView dictionary = dictionary_of(j.parts[p]);
    dictionary.field = &plain;
    int64_t at = 0;
    status = index_of_rows(j.context, distinct, distinct_count, dictionary, &at);
    if (status != TOMBOLO_OK) return status;
    if (at == distinct_count) {
      new (&distinct[at]) ColumnView(dictionary);
      starts.as<int64_t>()[at] = total;
      distinct_count++;
      total += dictionary.length;
    }
    shifts.as<int64_t>()[p] = starts.as<int64_t>()[at];
  }
  if (distinct_count > 1) {
    const DataType& index = j.parts[0].type;
    const int64_t bits = index.width * 8 - (is_signed(index.id) ? 1 : 0);
    if (static_cast<uint64_t>(total) - 1 > low_bits(bits)) {
      return j.context.fail(TOMBOLO_OVERFLOW, "the joined dictionary is too long for its indices",
                            j.position, 0);
    }
    status = shift_indices(j, shifts.as<int64_t>());
    if (status != TOMBOLO_OK) return status;
  }
  return join_columns(j.context, j.dispatch, distinct, distinct_count, j.position,
                      j.out->dictionary);
}

}  // namespace

Status join_columns(Context& context, const Dispatch& dispatch, const ColumnView* parts,
                    int64_t count, int32_t position, ArrowArray* out) noexcept {
  int64_t rows = 0;
  for (int64_t p = 0; p < count; p++) rows += parts[p].length;
  Status status = open_like(context, parts[0], rows, out);
  const Layout layout = layout_of(parts[0].type);
  if (status != TOMBOLO_OK || layout == Layout::kNull) return status;
  const Join j = {context, dispatch, parts, count, position, rows, out};
  status = join_validity(j);
  if (status != TOMBOLO_OK) return status;
  switch (layout) {
    case Layout::kBits: return join_bits(j);
    case Layout::kText32: return join_text<int32_t>(j);
    case Layout::kText64: return join_text<int64_t>(j);
    case Layout::kView: return join_views(j);
    default: break;
  }
  status = join_fixed(j);
  if (status == TOMBOLO_OK && parts[0].field->encoded) status = join_dictionaries(j);
  return status;
}

}  // namespace v0
}  // namespace tombolo
