// SPDX-License-Identifier: Apache-2.0
//
// allocator.h: the pooled allocator behind outputs, states and objects.
//
// Every allocation starts on a 64-byte line and has kSlackBytes writable bytes behind its size, so
// a kernel may end on a whole vector store. What lies in the slack is nobody's: seal makes
// AddressSanitizer guard it once the writer is done. Freed blocks are kept by size class for reuse,
// up to a bound, because a fresh large block costs a page fault for each page that a kernel writes.
#pragma once

#include "simd/unit.h"

#include <tombolo/host.h>

#include "memory/spinlock.h"

namespace tombolo {
inline namespace v0 {

struct BlockHeader;

// An allocator with byte accounting, a budget and a bounded pool. Made by open, safe for concurrent
// use; it lives until close was called and its last allocation is freed. Its first member is the C
// table, so a pointer to it is a tombolo_allocator*.
class alignas(64) Allocator {
 public:
  static constexpr int64_t kAlignment = 64;
  static constexpr int64_t kSlackBytes = 64;
  static constexpr int64_t kSizeBytesMax = (int64_t{1} << 40) - 256;

  // Returns NULL when there is no memory. bytes_max = 0 means no budget; pool_bytes_max = 0 keeps
  // no block.
  static Allocator* open(int64_t bytes_max, int64_t pool_bytes_max) noexcept;
  static Allocator* from(tombolo_allocator* table) noexcept {
    return reinterpret_cast<Allocator*>(table);
  }

  // Returns size_bytes aligned to 64, not zeroed, with kSlackBytes more behind them; NULL when the
  // size is negative, the budget is spent or there is no memory.
  void* allocate(int64_t size_bytes) noexcept;

  // Takes back what allocate returned, from any thread; NULL is allowed. Frees the allocator itself
  // when it was closed and this was the last allocation.
  void free_memory(void* memory) noexcept;

  // Tells whether an allocation of size_bytes would break the budget of table now: the difference
  // between BUDGET and MEMORY after allocate returned NULL. False when table is not ours.
  static bool over_budget(const tombolo_allocator* table, int64_t size_bytes) noexcept;

  void stats(tombolo_allocator_stats* out) noexcept;
  void trim() noexcept;
  void close() noexcept;

  tombolo_allocator* table() noexcept { return &table_; }

  // The size that memory was allocated with.
  static int64_t size_bytes(const void* memory) noexcept;

  // Forbids the slack of memory to everybody, under AddressSanitizer: called when its writer is
  // done.
  static void seal(void* memory) noexcept;

 private:
  static constexpr int32_t kShards = 8;
  static constexpr int32_t kClasses = 133;

  // Live bytes lie in the low bits of one word and holds above: a call then writes one shared word.
  // More than 1 TiB or 16 million allocations at once are refused.
  static constexpr int32_t kBytesBits = 40;
  static constexpr uint64_t kBytesMask = (uint64_t{1} << kBytesBits) - 1;
  static constexpr uint64_t kOneHold = uint64_t{1} << kBytesBits;

  // One lock's worth of free blocks. A block goes back to the shard that it came from: then a
  // pipeline whose consumer frees on another thread still finds its blocks again. A shard keeps
  // what it has reserved of the pool's bound, so that a steady state leaves the common count alone.
  struct alignas(64) Shard {
    SpinLock lock;
    uint32_t tick;  // counts pool operations; says which class was used last
    int64_t allocations;
    int64_t pool_hits;
    int64_t reserved_bytes;             // at least pooled_bytes
    std::atomic<int64_t> pooled_bytes;  // written under the lock, peeked at without
    BlockHeader* free[kClasses];
    uint32_t used[kClasses];  // tick of the last use of a class
  };

  Allocator(int64_t bytes_max, int64_t pool_bytes_max) noexcept;

  bool charge(int64_t size_bytes) noexcept;
  void discharge(int64_t size_bytes) noexcept;
  BlockHeader* take_pooled(int32_t size_class, int32_t home) noexcept;
  BlockHeader* take_from(Shard* shard, int32_t size_class) noexcept;
  BlockHeader* take_oldest(Shard* shard, int32_t but_class) noexcept;
  bool put_pooled(BlockHeader* block) noexcept;
  void make_room(int64_t block_bytes, int32_t home, int32_t but_class) noexcept;
  BlockHeader* shrink(Shard* shard, int64_t block_bytes, int32_t but_class) noexcept;

  tombolo_allocator table_;
  const int64_t bytes_max_;
  const int64_t pool_bytes_max_;
  std::atomic<int64_t> peak_bytes_{0};
  std::atomic<bool> closed_{false};

  alignas(64) std::atomic<uint64_t> live_{kOneHold};    // the caller's hold, until close
  alignas(64) std::atomic<int64_t> reserved_bytes_{0};  // of all shards; at most pool_bytes_max_

  Shard shards_[kShards];
};

}  // namespace v0
}  // namespace tombolo
