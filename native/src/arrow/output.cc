// SPDX-License-Identifier: Apache-2.0
#include "arrow/output.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr int32_t kReleaseDepthMax = 64;

// What an array of ours owns: one allocation with the tables of the array behind it.
struct ArrayNode {
  tombolo_allocator* allocator;
  tombolo_object* keeper;   // owner of shared buffers, or NULL
  void** owned;             // one for each buffer: memory to free, or NULL
  ArrowArray dictionary;
};

ArrayNode* node_of(const ArrowArray* array) noexcept {
  return static_cast<ArrayNode*>(array->private_data);
}

void release_array_node(ArrowArray* array) noexcept {
  for (int64_t i = 0; i < array->n_children; i++) {
    ArrowArray* child = array->children[i];
    if (child->release != nullptr) child->release(child);
  }
  if (array->dictionary != nullptr && array->dictionary->release != nullptr) {
    array->dictionary->release(array->dictionary);
  }
  ArrayNode* node = node_of(array);
  for (int64_t i = 0; i < array->n_buffers; i++) {
    if (node->owned[i] != nullptr) node->allocator->free(node->allocator, node->owned[i]);
  }
  if (node->keeper != nullptr) node->keeper->release(node->keeper);
  array->release = nullptr;
  node->allocator->free(node->allocator, node);
}

Status share_node(Context& context, ArrowArray* out, const ArrowArray* source,
                  tombolo_object* keeper, int32_t depth) noexcept {
  out->release = nullptr;
  if (depth > kReleaseDepthMax) return context.fail(TOMBOLO_INVALID, "array nested too deep");
  Status status = open_array(context, out, source->n_buffers, source->n_children,
                             source->dictionary != nullptr);
  if (status != TOMBOLO_OK) return status;
  keeper->retain(keeper);
  node_of(out)->keeper = keeper;
  out->length = source->length;
  out->null_count = source->null_count;
  out->offset = source->offset;
  for (int64_t i = 0; i < source->n_buffers; i++) out->buffers[i] = source->buffers[i];
  for (int64_t i = 0; status == TOMBOLO_OK && i < source->n_children; i++) {
    status = share_node(context, out->children[i], source->children[i], keeper, depth + 1);
  }
  if (status == TOMBOLO_OK && source->dictionary != nullptr) {
    status = share_node(context, out->dictionary, source->dictionary, keeper, depth + 1);
  }
  if (status != TOMBOLO_OK) out->release(out);
  return status;
}

}  // namespace

Status open_array(Context& context, ArrowArray* out, int64_t buffer_count, int64_t child_count,
                  bool dictionary) noexcept {
  memset(out, 0, sizeof *out);
  const int64_t children_at = static_cast<int64_t>(sizeof(ArrayNode));
  const int64_t pointers_at = children_at + child_count * static_cast<int64_t>(sizeof(ArrowArray));
  const int64_t buffers_at = pointers_at + child_count * static_cast<int64_t>(sizeof(void*));
  const int64_t owned_at = buffers_at + buffer_count * static_cast<int64_t>(sizeof(void*));
  const int64_t end = owned_at + buffer_count * static_cast<int64_t>(sizeof(void*));
  Status status = TOMBOLO_OK;
  void* memory = context.allocate(end, &status);
  if (memory == nullptr) return status;
  memset(memory, 0, static_cast<size_t>(end));
  char* base = static_cast<char*>(memory);
  auto* node = new (base) ArrayNode{};
  node->allocator = context.allocator();
  node->owned = reinterpret_cast<void**>(base + owned_at);
  auto* children = reinterpret_cast<ArrowArray*>(base + children_at);
  auto** pointers = reinterpret_cast<ArrowArray**>(base + pointers_at);
  for (int64_t i = 0; i < child_count; i++) pointers[i] = &children[i];

  out->n_buffers = buffer_count;
  out->n_children = child_count;
  out->buffers = reinterpret_cast<const void**>(base + buffers_at);
  out->children = child_count > 0 ? pointers : nullptr;
  out->dictionary = dictionary ? &node->dictionary : nullptr;
  out->private_data = node;
  out->release = release_array_node;
  return TOMBOLO_OK;
}

Status open_batch(Context& context, ArrowArray* out, int64_t rows, int64_t column_count) noexcept {
  const Status status = open_array(context, out, 1, column_count);
  if (status == TOMBOLO_OK) out->length = rows;
  return status;
}

void* array_buffer(Context& context, ArrowArray* array, int64_t slot, int64_t size_bytes,
                   Status* status) noexcept {
  void* memory = context.allocate(size_bytes, status);
  if (memory == nullptr) return nullptr;
  drop_buffer(array, slot);
  node_of(array)->owned[slot] = memory;
  array->buffers[slot] = memory;
  return memory;
}

void adopt_buffer(ArrowArray* array, int64_t slot, Buffer&& buffer) noexcept {
  drop_buffer(array, slot);
  void* memory = buffer.release();
  node_of(array)->owned[slot] = memory;
  array->buffers[slot] = memory;
}

void drop_buffer(ArrowArray* array, int64_t slot) noexcept {
  ArrayNode* node = node_of(array);
  if (node->owned[slot] != nullptr) node->allocator->free(node->allocator, node->owned[slot]);
  node->owned[slot] = nullptr;
  array->buffers[slot] = nullptr;
}

Status share_array(Context& context, ArrowArray* out, const ArrowArray* source,
                   tombolo_object* keeper) noexcept {
  return share_node(context, out, source, keeper, 0);
}

}  // namespace v0
}  // namespace tombolo
