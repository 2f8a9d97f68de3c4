// SPDX-License-Identifier: Apache-2.0
//
// host.cc: the table of host.h.
#include <tombolo/host.h>

#include "arrow/validate.h"
#include "memory/allocator.h"
#include "memory/release_queue.h"

namespace tombolo::inline v0 {
namespace {

tombolo_allocator* HostAllocatorOpen(int64_t bytes_max, int64_t pool_bytes_max) noexcept {
  Allocator* allocator = Allocator::Open(bytes_max, pool_bytes_max);
  return allocator == nullptr ? nullptr : allocator->table();
}

void HostAllocatorStats(tombolo_allocator* allocator, tombolo_allocator_stats* out) noexcept {
  Allocator::From(allocator)->Stats(out);
}

void HostAllocatorTrim(tombolo_allocator* allocator) noexcept {
  Allocator::From(allocator)->Trim();
}

void HostAllocatorClose(tombolo_allocator* allocator) noexcept {
  if (allocator != nullptr) {
    Allocator::From(allocator)->Close();
  }
}

tombolo_status HostValidate(tombolo_context* context, const ArrowSchema* schema,
                            const ArrowArray* array, int32_t level) noexcept {
  return Validate(context, schema, array, level);
}

int64_t HostNothing(int64_t value) noexcept { return value; }

constexpr tombolo_host kHost = {
    TOMBOLO_ABI,        0,           HostAllocatorOpen, HostAllocatorStats, HostAllocatorTrim,
    HostAllocatorClose, ReleaseRoot, ReleaseChild,      ReleaseSchemaRoot,  ReleaseSchemaChild,
    HostValidate,       HostNothing,
};

}  // namespace
}  // namespace tombolo::inline v0

extern "C" const tombolo_host* tombolo_host_open(int32_t abi) {
  return abi == TOMBOLO_ABI ? &tombolo::kHost : nullptr;
}
