/* SPDX-License-Identifier: Apache-2.0 */
#include "consumer.h"

#include <stddef.h>
#include <tombolo/abi.h>

static int64_t touch(const struct ArrowArray* array) {
  int64_t sum = array->length + array->null_count + array->offset + array->n_buffers + array->n_children;
  for (int64_t i = 0; i < array->n_buffers; i++) {
    if (array->buffers[i] != NULL && array->length > 0) sum += *(const uint8_t*)array->buffers[i];
  }
  for (int64_t i = 0; i < array->n_children; i++) sum += touch(array->children[i]);
  if (array->dictionary != NULL) sum += touch(array->dictionary);
  return sum;
}

int64_t bench_consume_array(uintptr_t address) {
  struct ArrowArray* array = (struct ArrowArray*)address;
  const int64_t sum = touch(array);
  array->release(array);
  return sum;
}

int64_t bench_consume_both(uintptr_t array, uintptr_t schema_address) {
  struct ArrowSchema* schema = (struct ArrowSchema*)schema_address;
  int64_t formats = 0;
  for (int64_t i = 0; i < schema->n_children; i++) formats += schema->children[i]->format[0];
  schema->release(schema);
  return formats + bench_consume_array(array);
}
