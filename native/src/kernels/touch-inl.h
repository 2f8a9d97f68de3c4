// SPDX-License-Identifier: Apache-2.0

namespace tombolo {
inline namespace v0 {
namespace TOMBOLO_LEVEL_NS {

static uint64_t touch_sum(const ArrowArray* array) {
  uint64_t sum = static_cast<uint64_t>(array->length) + static_cast<uint64_t>(array->null_count) +
                 static_cast<uint64_t>(array->offset) + static_cast<uint64_t>(array->n_buffers) +
                 static_cast<uint64_t>(array->n_children);
  for (int64_t i = 0; i < array->n_buffers; i++) {
    const auto* first = static_cast<const uint8_t*>(array->buffers[i]);
    if (first != nullptr && array->length > 0) sum += *first;
  }
  for (int64_t i = 0; i < array->n_children; i++) sum += touch_sum(array->children[i]);
  if (array->dictionary != nullptr) sum += touch_sum(array->dictionary);
  return sum;
}

static constexpr TouchOps kTouchOps = {
    .sum = touch_sum,
};

}  // namespace TOMBOLO_LEVEL_NS
}  // namespace v0
}  // namespace tombolo
