// SPDX-License-Identifier: Apache-2.0
#include "memory/allocator.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory/block.h"
#include "memory/poison.h"

#if defined(TOMBOLO_DEBUG) || defined(TOMBOLO_ASAN)
#define TOMBOLO_CHECK_FREE 1
#endif

namespace tombolo {
inline namespace v0 {
namespace {

void* allocate_entry(tombolo_allocator* self, int64_t size_bytes) {
  return Allocator::from(self)->allocate(size_bytes);
}

void free_entry(tombolo_allocator* self, void* memory) {
  Allocator::from(self)->free_memory(memory);
}

// Threads run on stacks far apart; a hash of where this one stands spreads them over the shards
// without thread-local storage, which a library loaded late may not get cheaply.
int32_t home_shard(int32_t shards) noexcept {
  const uint64_t stack = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) >> 16;
  return static_cast<int32_t>((stack * 0x9E3779B97F4A7C15u) >> 40) & (shards - 1);
}

// A block freed twice or through a stranger is a broken invariant of the caller. Debug builds stop;
// others leave the block alone, which at worst leaks it.
bool may_free([[maybe_unused]] const BlockHeader* block, [[maybe_unused]] const void* owner) {
  const bool sound = block->state == kBlockLive && block->owner == owner;
#if defined(TOMBOLO_CHECK_FREE)
  if (!sound) {
    fputs("tombolo: memory freed twice, or through another allocator\n", stderr);
    abort();
  }
#endif
  return sound;
}

void release_chain(BlockHeader* chain) noexcept {
  while (chain != nullptr) {
    BlockHeader* next = chain->next;
    block_to_system(chain);
    chain = next;
  }
}

}  // namespace

Allocator* Allocator::open(int64_t bytes_max, int64_t pool_bytes_max) noexcept {
  void* memory = aligned_alloc(alignof(Allocator), sizeof(Allocator));
  return memory == nullptr ? nullptr : new (memory) Allocator(bytes_max, pool_bytes_max);
}

Allocator::Allocator(int64_t bytes_max, int64_t pool_bytes_max) noexcept
    : table_{allocate_entry, free_entry},
      bytes_max_(bytes_max),
      pool_bytes_max_(pool_bytes_max),
      shards_{} {}

void* Allocator::allocate(int64_t size_bytes) noexcept {
  if (size_bytes < 0 || size_bytes > kSizeBytesMax || !charge(size_bytes)) {
    return nullptr;
  }
  const SizeClass size_class =
      size_class_of(size_bytes + kSlackBytes + static_cast<int64_t>(sizeof(BlockHeader)));
  const int32_t home = home_shard(kShards);
  BlockHeader* block = take_pooled(size_class.index, home);
  if (block == nullptr) {
    block = block_from_system(size_class.block_bytes);
    if (block == nullptr) {
      live_bytes_.fetch_sub(size_bytes, std::memory_order_relaxed);
      return nullptr;
    }
    block->owner = this;
    block->block_bytes = size_class.block_bytes;
    block->size_class = size_class.index;
  }
  holds_.fetch_add(1, std::memory_order_relaxed);
  block->state = kBlockLive;
  block->size_bytes = size_bytes;
  block->next = nullptr;
  block->shard = home;
  const int64_t open_bytes = size_bytes + kSlackBytes;
  unpoison(block->memory(), open_bytes);
  poison(static_cast<char*>(block->memory()) + open_bytes,
         block->block_bytes - open_bytes - static_cast<int64_t>(sizeof(BlockHeader)));
  return block->memory();
}

void Allocator::free_memory(void* memory) noexcept {
  if (memory == nullptr) {
    return;
  }
  BlockHeader* block = BlockHeader::of(memory);
  if (!may_free(block, this)) {
    return;
  }
  const int64_t block_bytes = block->block_bytes;
  block->state = kBlockFree;
  live_bytes_.fetch_sub(block->size_bytes, std::memory_order_relaxed);
  const bool keep = !closed_.load(std::memory_order_acquire) &&
                    make_room(block_bytes, block->shard, block->size_class);
  if (keep) {
    poison(memory, block_bytes - static_cast<int64_t>(sizeof(BlockHeader)));
    Shard* shard = &shards_[block->shard];
    SpinGuard guard(&shard->lock);
    block->next = shard->free[block->size_class];
    shard->free[block->size_class] = block;
    shard->used[block->size_class] = ++shard->tick;
    shard->pooled_count.fetch_add(1, std::memory_order_relaxed);
  } else {
    block_to_system(block);
  }
  drop();
}

bool Allocator::over_budget(const tombolo_allocator* table, int64_t size_bytes) noexcept {
  if (table->allocate != allocate_entry) return false;
  const auto* self = reinterpret_cast<const Allocator*>(table);
  return self->bytes_max_ > 0 &&
         size_bytes > self->bytes_max_ - self->live_bytes_.load(std::memory_order_relaxed);
}

void Allocator::stats(tombolo_allocator_stats* out) noexcept {
  *out = {};
  out->live_bytes = live_bytes_.load(std::memory_order_relaxed);
  out->live_count =
      holds_.load(std::memory_order_relaxed) - (closed_.load(std::memory_order_relaxed) ? 0 : 1);
  out->peak_bytes = peak_bytes_.load(std::memory_order_relaxed);
  out->pooled_bytes = pooled_bytes_.load(std::memory_order_relaxed);
  for (Shard& shard : shards_) {
    SpinGuard guard(&shard.lock);
    out->allocations += shard.allocations;
    out->pool_hits += shard.pool_hits;
  }
}

void Allocator::trim() noexcept {
  for (Shard& shard : shards_) {
    BlockHeader* chain = nullptr;
    int64_t freed_bytes = 0;
    {
      SpinGuard guard(&shard.lock);
      for (BlockHeader*& head : shard.free) {
        while (head != nullptr) {
          BlockHeader* block = head;
          head = block->next;
          block->next = chain;
          chain = block;
          freed_bytes += block->block_bytes;
        }
      }
      shard.pooled_count.store(0, std::memory_order_relaxed);
    }
    pooled_bytes_.fetch_sub(freed_bytes, std::memory_order_relaxed);
    release_chain(chain);
  }
}

void Allocator::close() noexcept {
  // A second close would give up a hold that belongs to a live allocation.
  if (closed_.exchange(true, std::memory_order_acq_rel)) {
    return;
  }
  trim();
  drop();
}

int64_t Allocator::size_bytes(const void* memory) noexcept {
  return BlockHeader::of(memory)->size_bytes;
}

void Allocator::seal(void* memory) noexcept {
  if (memory != nullptr) {
    poison(static_cast<char*>(memory) + size_bytes(memory), kSlackBytes);
  }
}

// Adds size_bytes to the live bytes unless that breaks the budget, and lifts the peak.
bool Allocator::charge(int64_t size_bytes) noexcept {
  int64_t live;
  if (bytes_max_ <= 0) {
    live = live_bytes_.fetch_add(size_bytes, std::memory_order_relaxed) + size_bytes;
  } else {
    int64_t before = live_bytes_.load(std::memory_order_relaxed);
    do {
      if (size_bytes > bytes_max_ - before) {
        return false;
      }
    } while (
        !live_bytes_.compare_exchange_weak(before, before + size_bytes, std::memory_order_relaxed));
    live = before + size_bytes;
  }
  int64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  while (live > peak && !peak_bytes_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  return true;
}

BlockHeader* Allocator::take_pooled(int32_t size_class, int32_t home) noexcept {
  BlockHeader* block = nullptr;
  {
    Shard* shard = &shards_[home];
    SpinGuard guard(&shard->lock);
    ++shard->allocations;
    block = take_from(shard, size_class);
    shard->pool_hits += block != nullptr ? 1 : 0;
  }
  for (int32_t step = 1; block == nullptr && step < kShards; ++step) {
    Shard* shard = &shards_[(home + step) & (kShards - 1)];
    if (shard->pooled_count.load(std::memory_order_relaxed) == 0) {
      continue;
    }
    SpinGuard guard(&shard->lock);
    block = take_from(shard, size_class);
    shard->pool_hits += block != nullptr ? 1 : 0;
  }
  if (block != nullptr) {
    pooled_bytes_.fetch_sub(block->block_bytes, std::memory_order_relaxed);
  }
  return block;
}

// The caller holds the shard's lock, here and in TakeOldest.
BlockHeader* Allocator::take_from(Shard* shard, int32_t size_class) noexcept {
  BlockHeader* block = shard->free[size_class];
  if (block != nullptr) {
    shard->free[size_class] = block->next;
    shard->used[size_class] = ++shard->tick;
    shard->pooled_count.fetch_sub(1, std::memory_order_relaxed);
  }
  return block;
}

BlockHeader* Allocator::take_oldest(Shard* shard, int32_t but_class) noexcept {
  int32_t oldest = -1;
  uint32_t age_max = 0;
  for (int32_t i = 0; i < kClasses; ++i) {
    const uint32_t age = shard->tick - shard->used[i];
    if (i != but_class && shard->free[i] != nullptr && (oldest < 0 || age > age_max)) {
      oldest = i;
      age_max = age;
    }
  }
  return oldest < 0 ? nullptr : take_from(shard, oldest);
}

// Reserves room for a block in the pool, and lets go of blocks of sizes that were not asked for
// lately when it is full. Otherwise a pool full of one job's sizes would stay useless to the next.
bool Allocator::make_room(int64_t block_bytes, int32_t home, int32_t size_class) noexcept {
  if (block_bytes > pool_bytes_max_) {
    return false;
  }
  int64_t pooled = pooled_bytes_.fetch_add(block_bytes, std::memory_order_relaxed) + block_bytes;
  for (int32_t step = 0; pooled > pool_bytes_max_ && step < kShards;) {
    Shard* shard = &shards_[(home + step) & (kShards - 1)];
    BlockHeader* victim = nullptr;
    if (shard->pooled_count.load(std::memory_order_relaxed) != 0) {
      SpinGuard guard(&shard->lock);
      victim = take_oldest(shard, size_class);
    }
    if (victim == nullptr) {
      ++step;
      continue;
    }
    pooled = pooled_bytes_.fetch_sub(victim->block_bytes, std::memory_order_relaxed) -
             victim->block_bytes;
    block_to_system(victim);
  }
  if (pooled <= pool_bytes_max_) {
    return true;
  }
  pooled_bytes_.fetch_sub(block_bytes, std::memory_order_relaxed);
  return false;
}

// Gives up one hold; the last one ends the allocator.
void Allocator::drop() noexcept {
  if (holds_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    trim();
    this->~Allocator();
    free(this);
  }
}

}  // namespace v0
}  // namespace tombolo
