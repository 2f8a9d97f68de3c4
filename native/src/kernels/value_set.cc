// SPDX-License-Identifier: Apache-2.0
#include "kernels/value_set.h"

#include "kernels/registry.h"
#include "simd/dispatch.h"

namespace tombolo {
inline namespace v0 {
namespace {

Status fill_set(Context& context, const ColumnView& view, KeySet* set) noexcept {
  const HashOps& ops = *dispatch(context.simd_level()).hash;
  int32_t numbers[kKeyBlockRows];
  KeyColumn column;
  Status status = column.open(context, view);
  if (status != TOMBOLO_OK) return status;
  for (int64_t row = 0; row < view.length;) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t count = column.block_rows(row, view.length);
    status = set->number(context, ops, column, row, count, numbers);
    if (status != TOMBOLO_OK) return status;
    for (int64_t i = 0; i < count; i++) {
      if (numbers[i] != row + i)
        return context.fail(TOMBOLO_INVALID, "the values are not distinct");
    }
    row += count;
  }
  return TOMBOLO_OK;
}

Status build_set(Context& context, const ArrowSchema* raw, const ArrowArray* array,
             ValueSetObject* object) noexcept {
  Schema schema;
  Status status = schema.open(context, raw);
  if (status != TOMBOLO_OK) return status;
  BatchView batch;
  status = batch.open(context, schema, array);
  if (status != TOMBOLO_OK) return status;
  if (batch.column_count() != 1) {
    return context.fail(TOMBOLO_INVALID, "the object takes one column", -1, 0);
  }
  const Field& field = schema.column(0);
  if (!is_set_type(field)) {
    return context.fail(TOMBOLO_TYPE, "a value set is of integers or text", 0, 0);
  }
  object->is_unsigned = field.type.id == TypeId::kUInt64;
  status = object->set.open(context, key_kind_of(field), batch.length());
  if (status != TOMBOLO_OK) return status;
  return at_column(context, fill_set(context, batch.column(0), &object->set), 0);
}

Status prepare_value_set(Context& context, const ArrowSchema* schema, ArrowArray* batch,
                         const Options& options, tombolo_object** out) noexcept {
  const char* const names[] = {nullptr};
  Status status = options.check_names(context, names);
  if (status != TOMBOLO_OK) return status;
  auto* object = make_object<ValueSetObject>(context, kValueSetKind, &status);
  if (object == nullptr) return status;
  status = build_set(context, schema, batch, object);
  if (status != TOMBOLO_OK) {
    object->release(object);
    return status;
  }
  *out = object;
  return TOMBOLO_OK;
}

}  // namespace

const ObjectKind kValueSetObjectKind = {kValueSetKind, prepare_value_set};

}  // namespace v0
}  // namespace tombolo
