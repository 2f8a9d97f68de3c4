// SPDX-License-Identifier: Apache-2.0
#include "kernels/selected_column.h"

#include "kernels/kept_rows.h"

namespace tombolo {
inline namespace v0 {

Layout layout_of(const DataType& type) noexcept {
  switch (type.id) {
    case TypeId::kNull: return Layout::kNull;
    case TypeId::kBool: return Layout::kBits;
    case TypeId::kUtf8:
    case TypeId::kBinary: return Layout::kText32;
    case TypeId::kLargeUtf8:
    case TypeId::kLargeBinary: return Layout::kText64;
    case TypeId::kUtf8View:
    case TypeId::kBinaryView: return Layout::kView;
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kFixedSizeList:
    case TypeId::kListView:
    case TypeId::kLargeListView:
    case TypeId::kStruct:
    case TypeId::kMap:
    case TypeId::kDenseUnion:
    case TypeId::kSparseUnion:
    case TypeId::kRunEndEncoded: return Layout::kOther;
    default: return type.width > 0 ? Layout::kFixed : Layout::kOther;
  }
}

bool selectable(const Field& field) noexcept {
  if (layout_of(field.type) == Layout::kOther) return false;
  if (!field.encoded) return true;
  // A dictionary of dictionaries is not taken.
  return field.schema->dictionary->dictionary == nullptr;
}

Status check_selectable(Context& context, const Schema& schema, int32_t argument) noexcept {
  for (int32_t i = 0; i < schema.column_count(); i++) {
    if (!selectable(schema.column(i))) {
      return context.fail(TOMBOLO_TYPE, "selection takes no nested column", i, argument);
    }
  }
  return TOMBOLO_OK;
}

int32_t width_slot(int32_t width) noexcept {
  switch (width) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    case 8: return 3;
    case 16: return 4;
    case 32: return 5;
    default: return -1;
  }
}

Status open_like(Context& context, const ColumnView& column, int64_t rows,
                 ArrowArray* out) noexcept {
  int64_t buffers = 2;
  switch (layout_of(column.type)) {
    case Layout::kNull: buffers = 0; break;
    case Layout::kText32:
    case Layout::kText64: buffers = 3; break;
    case Layout::kView: buffers = 4; break;
    default: break;
  }
  const Status status = open_array(context, out, buffers, 0, column.field->encoded);
  if (status != TOMBOLO_OK) return status;
  out->length = rows;
  if (buffers == 0) out->null_count = rows;
  return TOMBOLO_OK;
}

void* zeroed_buffer(Context& context, ArrowArray* out, int64_t slot, int64_t size_bytes,
                    Status* status) noexcept {
  void* memory = array_buffer(context, out, slot, size_bytes, status);
  if (memory == nullptr) return nullptr;
  memset(memory, 0, static_cast<size_t>(size_bytes));
  pad_buffer(memory, size_bytes);
  return memory;
}

Status fill_empty_text(Context& context, int64_t rows, int64_t offset_bytes,
                       ArrowArray* out) noexcept {
  Status status = TOMBOLO_OK;
  if (zeroed_buffer(context, out, 1, (rows + 1) * offset_bytes, &status) == nullptr) return status;
  zeroed_buffer(context, out, 2, 0, &status);
  return status;
}

Status fill_nulls(Context& context, const ColumnView& column, int64_t rows,
                  ArrowArray* out) noexcept {
  const Layout layout = layout_of(column.type);
  out->null_count = rows;
  if (layout == Layout::kNull) return TOMBOLO_OK;
  Status status = TOMBOLO_OK;
  if (rows > 0 && zeroed_buffer(context, out, 0, bitmap_bytes(rows), &status) == nullptr) {
    return status;
  }
  switch (layout) {
    case Layout::kText32: return fill_empty_text(context, rows, 4, out);
    case Layout::kText64: return fill_empty_text(context, rows, 8, out);
    case Layout::kBits: zeroed_buffer(context, out, 1, bitmap_bytes(rows), &status); break;
    case Layout::kView:
      zeroed_buffer(context, out, 1, rows * 16, &status);
      out->n_buffers = 3;
      if (status == TOMBOLO_OK) zeroed_buffer(context, out, 2, 0, &status);
      break;
    default: zeroed_buffer(context, out, 1, rows * column.type.width, &status); break;
  }
  return status;
}

void keep_validity(ArrowArray* out, Buffer&& words, int64_t rows, int64_t null_count) noexcept {
  out->null_count = null_count;
  if (null_count == 0) {
    words.reset();
    return;
  }
  pad_buffer(words.data(), word_count(rows) * 8);
  adopt_buffer(out, 0, static_cast<Buffer&&>(words));
}

Status copy_bitmap(Context& context, const uint8_t* bits, int64_t offset, int64_t rows,
                   uint64_t* out, int64_t* set) noexcept {
  int64_t count = 0;
  for (int64_t i = 0; i < rows; i += kPollBits) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t n = rows - i < kPollBits ? rows - i : kPollBits;
    // Without bits every row is set, whatever the offset.
    count += copy_words(bits, offset + i, n, out + i / kWordRows);
  }
  if (set != nullptr) *set = count;
  return TOMBOLO_OK;
}

namespace {

template <class T>
void zero_words(T* values, const uint64_t* valid, int64_t rows) noexcept {
  for (int64_t i = 0; i < rows; i += kWordRows) {
    uint64_t missing = ~valid[i / kWordRows] & low_bits(rows - i);
    for (; missing != 0; missing &= missing - 1) {
      values[i + std::countr_zero(missing)] = T{};
    }
  }
}

}  // namespace

void zero_nulls(void* values, int32_t width, const uint64_t* valid, int64_t rows) noexcept {
  if (valid == nullptr) return;
  switch (width) {
    case 1: return zero_words(static_cast<uint8_t*>(values), valid, rows);
    case 2: return zero_words(static_cast<uint16_t*>(values), valid, rows);
    case 4: return zero_words(static_cast<uint32_t*>(values), valid, rows);
    case 8: return zero_words(static_cast<uint64_t*>(values), valid, rows);
    case 16: return zero_words(static_cast<Slot16*>(values), valid, rows);
    case 32: return zero_words(static_cast<Slot32*>(values), valid, rows);
    default: break;
  }
  for (int64_t i = 0; i < rows; i++) {
    if ((valid[i / kWordRows] >> (i % kWordRows) & 1) == 0) {
      memset(static_cast<uint8_t*>(values) + i * width, 0, static_cast<size_t>(width));
    }
  }
}

Status give_dictionary(Context& context, const Dispatch& dispatch, const ColumnView& column,
                       tombolo_object* keeper, ArrowArray* out) noexcept {
  if (!column.field->encoded) return TOMBOLO_OK;
  if (keeper != nullptr) {
    return share_array(context, out->dictionary, column.array->dictionary, keeper);
  }
  // The dictionary of an input could move out of it by the rules of the C data interface, but a map
  // kernel keeps nothing of its input past the call (library.h): the memory would be the producer's
  // still, outside the budget of the call, and its release would run whenever the result goes.
  // The view of a dictionary is plain: its field is for the type alone.
  ColumnView values = dictionary_of(column);
  Field plain = *values.field;
  plain.encoded = false;
  values.field = &plain;
  KeptRows rows;
  const Status status = rows.open_all(context, values.length);
  if (status != TOMBOLO_OK) return status;
  return rows.filter(context, dispatch, values, out->dictionary);
}

}  // namespace v0
}  // namespace tombolo
