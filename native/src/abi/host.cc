// SPDX-License-Identifier: Apache-2.0
//
// host.cc: the table of host.h.
#include <tombolo/host.h>

#include "arrow/validate.h"
#include "memory/allocator.h"
#include "memory/release_queue.h"

namespace tombolo {
inline namespace v0 {
namespace {

tombolo_allocator* host_allocator_open(int64_t bytes_max, int64_t pool_bytes_max) noexcept {
  Allocator* allocator = Allocator::open(bytes_max, pool_bytes_max);
  return allocator == nullptr ? nullptr : allocator->table();
}

void host_allocator_stats(tombolo_allocator* allocator, tombolo_allocator_stats* out) noexcept {
  Allocator::from(allocator)->stats(out);
}

void host_allocator_trim(tombolo_allocator* allocator) noexcept {
  Allocator::from(allocator)->trim();
}

void host_allocator_close(tombolo_allocator* allocator) noexcept {
  if (allocator != nullptr) {
    Allocator::from(allocator)->close();
  }
}

tombolo_status host_validate(tombolo_context* context, const ArrowSchema* schema,
                             const ArrowArray* array, int32_t level) noexcept {
  return validate(context, schema, array, level);
}

int64_t host_nothing(int64_t value) noexcept { return value; }

constexpr tombolo_host kHost = {
    TOMBOLO_ABI,         0,
    host_allocator_open, host_allocator_stats,
    host_allocator_trim, host_allocator_close,
    release_root,        release_child,
    release_schema_root, release_schema_child,
    host_validate,       host_nothing,
};

}  // namespace
}  // namespace v0
}  // namespace tombolo

extern "C" const tombolo_host* tombolo_host_open(int32_t abi) {
  return abi == TOMBOLO_ABI ? &tombolo::kHost : nullptr;
}
