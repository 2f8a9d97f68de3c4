// SPDX-License-Identifier: Apache-2.0
//
// block.h: one block of an allocator, its size class, and where blocks come from.
#pragma once

#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

// The line before every allocation.
struct alignas(64) BlockHeader {
  uint64_t state;       // kBlockLive or kBlockFree
  int64_t size_bytes;   // as asked for
  int64_t block_bytes;  // header, memory and slack, rounded up to the size class
  void* owner;          // the allocator
  BlockHeader* next;    // in a free list
  int32_t size_class;
  int32_t shard;

  void* memory() noexcept { return this + 1; }
  static BlockHeader* of(void* memory) noexcept { return static_cast<BlockHeader*>(memory) - 1; }
  static const BlockHeader* of(const void* memory) noexcept {
    return static_cast<const BlockHeader*>(memory) - 1;
  }
};
static_assert(sizeof(BlockHeader) == 64);

inline constexpr uint64_t kBlockLive = 0x65766c6f626d6f74;
inline constexpr uint64_t kBlockFree = 0x656572666d6f7421;

struct SizeClass {
  int32_t index;
  int64_t block_bytes;
};

// Rounds up to the next of four steps for each power of two, and to whole lines: at most a quarter
// is lost.
inline SizeClass size_class_of(int64_t total_bytes) noexcept {
  constexpr int32_t kShiftMin = 6;
  const int32_t log = 63 - __builtin_clzll(static_cast<uint64_t>(total_bytes - 1));
  const int32_t shift = log - 2 > kShiftMin ? log - 2 : kShiftMin;
  const int64_t steps = (total_bytes + (int64_t{1} << shift) - 1) >> shift;
  return {(shift - kShiftMin) * 4 + static_cast<int32_t>(steps), steps << shift};
}

// Gets block_bytes from the system, aligned to 64, or NULL. Large blocks are mapped, and aligned
// for huge pages.
BlockHeader* block_from_system(int64_t block_bytes) noexcept;
void block_to_system(BlockHeader* block) noexcept;

}  // namespace v0
}  // namespace tombolo
