// SPDX-License-Identifier: Apache-2.0
#include "arrow/view.h"

namespace tombolo {
inline namespace v0 {
namespace {

Status check_column(Context& context, const Field& field, const ArrowArray* column,
                    int64_t length_min, int32_t position) noexcept {
  if (column == nullptr || column->release == nullptr) {
    return context.fail(TOMBOLO_RELEASED, "a released column", position);
  }
  const int32_t expected = buffer_count(field.physical().id);
  if (expected >= 0 ? column->n_buffers != expected : column->n_buffers < 3) {
    return context.fail(TOMBOLO_INVALID, "a wrong count of buffers", position);
  }
  if (column->length < length_min || column->offset < 0) {
    return context.fail(TOMBOLO_INVALID, "a column shorter than its batch", position);
  }
  if ((column->dictionary != nullptr) != field.encoded) {
    return context.fail(TOMBOLO_INVALID, "a dictionary missing or not expected", position);
  }
  return TOMBOLO_OK;
}

ColumnView view_of(const Field* field, const ArrowArray* array, const DataType& type) noexcept {
  ColumnView view;
  view.field = field;
  view.array = array;
  view.type = type;
  view.length = array->length;
  view.offset = array->offset;
  const bool has_validity = array->n_buffers > 0 && type.id != TypeId::kSparseUnion &&
                            type.id != TypeId::kDenseUnion;
  if (has_validity && array->null_count != 0) {
    view.validity = static_cast<const uint8_t*>(array->buffers[0]);
  }
  return view;
}

}  // namespace

Status BatchView::open(Context& context, const Schema& schema, const ArrowArray* array) noexcept {
  if (array == nullptr || array->release == nullptr) {
    return context.fail(TOMBOLO_RELEASED, "a released batch");
  }
  if (array->n_children != schema.column_count()) {
    return context.fail(TOMBOLO_INVALID, "the batch has another number of columns than its schema");
  }
  if (array->length < 0 || array->offset < 0) {
    return context.fail(TOMBOLO_INVALID, "a negative length or offset");
  }
  if (array->null_count > 0) {
    return context.fail(TOMBOLO_INVALID, "a record batch cannot have null rows");
  }
  for (int32_t i = 0; i < schema.column_count(); i++) {
    const Status status = check_column(context, schema.column(i), array->children[i],
                                       array->length + array->offset, i);
    if (status != TOMBOLO_OK) return status;
  }
  schema_ = &schema;
  array_ = array;
  return TOMBOLO_OK;
}

ColumnView BatchView::column(int32_t i) const noexcept {
  const Field& field = schema_->column(i);
  ColumnView view = view_of(&field, array_->children[i], field.physical());
  view.length = array_->length;
  view.offset += array_->offset;
  return view;
}

ColumnView dictionary_of(const ColumnView& column) noexcept {
  return view_of(column.field, column.array->dictionary, column.field->type);
}

BytesRef bytes_at(const ColumnView& column, int64_t i) noexcept {
  switch (column.type.id) {
    case TypeId::kUtf8:
    case TypeId::kBinary: {
      const int32_t* offsets = column.offsets<int32_t>();
      return {column.data() + offsets[i], int64_t{offsets[i + 1]} - offsets[i]};
    }
    case TypeId::kLargeUtf8:
    case TypeId::kLargeBinary: {
      const int64_t* offsets = column.offsets<int64_t>();
      return {column.data() + offsets[i], offsets[i + 1] - offsets[i]};
    }
    case TypeId::kUtf8View:
    case TypeId::kBinaryView: {
      const uint8_t* view =
          static_cast<const uint8_t*>(column.array->buffers[1]) + (column.offset + i) * 16;
      int32_t words[4];
      memcpy(words, view, sizeof words);
      if (words[0] <= 12) return {view + 4, words[0]};
      const auto* data = static_cast<const uint8_t*>(column.array->buffers[2 + words[2]]);
      return {data + words[3], words[0]};
    }
    default: return {column.bytes() + i * column.type.width, column.type.width};
  }
}

int64_t index_at(const ColumnView& column, int64_t i) noexcept {
  switch (column.type.id) {
    case TypeId::kInt8: return column.values<int8_t>()[i];
    case TypeId::kUInt8: return column.values<uint8_t>()[i];
    case TypeId::kInt16: return column.values<int16_t>()[i];
    case TypeId::kUInt16: return column.values<uint16_t>()[i];
    case TypeId::kInt32: return column.values<int32_t>()[i];
    case TypeId::kUInt32: return column.values<uint32_t>()[i];
    case TypeId::kUInt64:
    default: return column.values<int64_t>()[i];
  }
}

}  // namespace v0
}  // namespace tombolo
