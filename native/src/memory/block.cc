// SPDX-License-Identifier: Apache-2.0
#include "memory/block.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "memory/poison.h"

namespace tombolo {
inline namespace v0 {
namespace {

// From here on a block is a mapping of its own: giving it back then really lowers the process's
// memory.
constexpr int64_t kMapBytesMin = int64_t{1} << 17;
constexpr int64_t kHugePageBytes = int64_t{2} << 20;

void* map_huge(int64_t block_bytes) noexcept {
  const size_t wanted = static_cast<size_t>(block_bytes);
  const size_t reserved = wanted + kHugePageBytes;
  void* map = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) {
    return nullptr;
  }
  const uintptr_t start = reinterpret_cast<uintptr_t>(map);
  const uintptr_t aligned = (start + kHugePageBytes - 1) & ~uintptr_t{kHugePageBytes - 1};
  if (aligned > start) {
    munmap(map, aligned - start);
  }
  const uintptr_t end = aligned + wanted;
  if (start + reserved > end) {
    munmap(reinterpret_cast<void*>(end), start + reserved - end);
  }
#if defined(MADV_HUGEPAGE)
  madvise(reinterpret_cast<void*>(aligned), wanted, MADV_HUGEPAGE);
#endif
  return reinterpret_cast<void*>(aligned);
}

}  // namespace

BlockHeader* block_from_system(int64_t block_bytes) noexcept {
  if (block_bytes >= kHugePageBytes) {
    return static_cast<BlockHeader*>(map_huge(block_bytes));
  }
  if (block_bytes >= kMapBytesMin) {
    void* map = mmap(nullptr, static_cast<size_t>(block_bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return map == MAP_FAILED ? nullptr : static_cast<BlockHeader*>(map);
  }
  return static_cast<BlockHeader*>(
      aligned_alloc(alignof(BlockHeader), static_cast<size_t>(block_bytes)));
}

void block_to_system(BlockHeader* block) noexcept {
  const int64_t block_bytes = block->block_bytes;
  unpoison(block, block_bytes);
  if (block_bytes >= kMapBytesMin) {
    munmap(block, static_cast<size_t>(block_bytes));
  } else {
    free(block);
  }
}

}  // namespace v0
}  // namespace tombolo
