// SPDX-License-Identifier: Apache-2.0
#include "kernels/object.h"

#include "kernels/registry.h"

namespace tombolo {
inline namespace v0 {
namespace {

Status prepare_batch(Context& context, const ArrowSchema* schema, ArrowArray* batch,
                     const Options& options, tombolo_object** out) noexcept {
  const char* const names[] = {nullptr};
  Status status = options.check_names(context, names);
  if (status != TOMBOLO_OK) return status;
  auto* object = make_object<BatchObject>(context, kBatchKind, &status);
  if (object == nullptr) return status;
  status = object->schema.open(context, schema);
  if (status == TOMBOLO_OK) status = object->view.open(context, object->schema, batch);
  if (status != TOMBOLO_OK) {
    object->release(object);
    return status;
  }
  // The object takes the struct over; the view follows it to its new place.
  object->array = *batch;
  batch->release = nullptr;
  status = object->view.open(context, object->schema, &object->array);
  *out = object;
  return status;
}

}  // namespace

const ObjectKind kBatchObjectKind = {kBatchKind, prepare_batch};

}  // namespace v0
}  // namespace tombolo
