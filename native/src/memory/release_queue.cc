// SPDX-License-Identifier: Apache-2.0
#include "memory/release_queue.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tombolo::inline v0 {
namespace {

static_assert(sizeof(tombolo_export_block) == 64);
static_assert(offsetof(tombolo_export_block, live) == 16);
static_assert(std::atomic_ref<uint64_t>::is_always_lock_free);

// Only pushes happen here and the host takes the whole list in one exchange, so a head that was
// seen before and came back (ABA) still is a right head.
void PushBlock(tombolo_export_block* block) noexcept {
  std::atomic_ref<uint64_t> head(*reinterpret_cast<uint64_t*>(block->queue));
  uint64_t first = head.load(std::memory_order_relaxed);
  do {
    block->next = first;
  } while (!head.compare_exchange_weak(first, reinterpret_cast<uintptr_t>(block),
                                       std::memory_order_release, std::memory_order_relaxed));
}

// Marks node and everything below it that is still in place as released; returns how many structs
// that were. The depth is the host's own, which exports 64 levels at most.
template <typename Struct, void (*kOurs)(Struct*) noexcept>
int32_t MarkReleased(Struct* node) noexcept {
  int32_t count = 1;
  const auto mark = [&count](Struct* below) noexcept {
    if (below == nullptr || below->release == nullptr) {
      return;
    }
    if (below->release == kOurs) {
      count += MarkReleased<Struct, kOurs>(below);
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
void ReleaseStruct(Struct* node) noexcept {
  auto* block = static_cast<tombolo_export_block*>(node->private_data);
  const int32_t count = MarkReleased<Struct, kOurs>(node);
  std::atomic_ref<int32_t> live(block->live);
  if (live.fetch_sub(count, std::memory_order_acq_rel) == count) {
    PushBlock(block);
  }
}

}  // namespace

void ReleaseRoot(ArrowArray* array) noexcept { ReleaseStruct<ArrowArray, ReleaseChild>(array); }

void ReleaseChild(ArrowArray* array) noexcept { ReleaseStruct<ArrowArray, ReleaseChild>(array); }

void ReleaseSchemaRoot(ArrowSchema* schema) noexcept {
  ReleaseStruct<ArrowSchema, ReleaseSchemaChild>(schema);
}

void ReleaseSchemaChild(ArrowSchema* schema) noexcept {
  ReleaseStruct<ArrowSchema, ReleaseSchemaChild>(schema);
}

}  // namespace tombolo::inline v0
