// SPDX-License-Identifier: Apache-2.0
#include "memory/release_queue.h"

namespace tombolo {
inline namespace v0 {
namespace {

static_assert(sizeof(tombolo_export_block) == 64);
static_assert(offsetof(tombolo_export_block, live) == 16);
static_assert(__atomic_always_lock_free(sizeof(uint64_t), nullptr));

// Only pushes happen here and the host takes the whole list in one exchange, so a head that was
// seen before and came back (ABA) still is a right head.
void push_block(tombolo_export_block* block) noexcept {
  auto* head = reinterpret_cast<uint64_t*>(block->queue);
  uint64_t first = __atomic_load_n(head, __ATOMIC_RELAXED);
  do {
    block->next = first;
  } while (!__atomic_compare_exchange_n(head, &first, reinterpret_cast<uintptr_t>(block), true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

// Marks node and everything below it that is still in place as released; returns how many structs
// that were. The depth is the host's own, which exports 64 levels at most.
template <typename Struct, void (*kOurs)(Struct*) noexcept>
int32_t mark_released(Struct* node) noexcept {
  int32_t count = 1;
  const auto mark = [&count](Struct* below) noexcept {
    if (below == nullptr || below->release == nullptr) {
      return;
    }
    if (below->release == kOurs) {
      count += mark_released<Struct, kOurs>(below);
    } else {
      below->release(below);
    }
  };
  for (int64_t i = 0; i < node->n_children; ++i) {
    mark(node->children[i]);
  }
  mark(node->dictionary);
  node->release = nullptr;
  return count;
}

// The struct may lie inside the block, so nothing of it is touched once its count is taken off.
template <typename Struct, void (*kOurs)(Struct*) noexcept>
void release_struct(Struct* node) noexcept {
  auto* block = static_cast<tombolo_export_block*>(node->private_data);
  const int32_t count = mark_released<Struct, kOurs>(node);
  if (__atomic_fetch_sub(&block->live, count, __ATOMIC_ACQ_REL) == count) {
    push_block(block);
  }
}

}  // namespace

void release_root(ArrowArray* array) noexcept { release_struct<ArrowArray, release_child>(array); }

void release_child(ArrowArray* array) noexcept { release_struct<ArrowArray, release_child>(array); }

void release_schema_root(ArrowSchema* schema) noexcept {
  release_struct<ArrowSchema, release_schema_child>(schema);
}

void release_schema_child(ArrowSchema* schema) noexcept {
  release_struct<ArrowSchema, release_schema_child>(schema);
}

}  // namespace v0
}  // namespace tombolo
