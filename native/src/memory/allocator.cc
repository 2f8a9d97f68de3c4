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
      discharge(size_bytes);
      return nullptr;
    }
    block->owner = this;
    block->block_bytes = size_class.block_bytes;
    block->size_class = size_class.index;
  }
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
  const int64_t size_bytes = block->size_bytes;
  block->state = kBlockFree;
  if (closed_.load(std::memory_order_acquire) || !put_pooled(block)) block_to_system(block);
  discharge(size_bytes);
}

bool Allocator::over_budget(const tombolo_allocator* table, int64_t size_bytes) noexcept {
  if (table->allocate != allocate_entry) return false;
  const auto* self = reinterpret_cast<const Allocator*>(table);
  const uint64_t live = self->live_.load(std::memory_order_relaxed) & kBytesMask;
  return self->bytes_max_ > 0 && size_bytes > self->bytes_max_ - static_cast<int64_t>(live);
}

void Allocator::stats(tombolo_allocator_stats* out) noexcept {
  *out = {};
  const uint64_t live = live_.load(std::memory_order_relaxed);
  const int64_t callers = closed_.load(std::memory_order_relaxed) ? 0 : 1;
  out->live_bytes = static_cast<int64_t>(live & kBytesMask);
  out->live_count = static_cast<int64_t>(live >> kBytesBits) - callers;
  out->peak_bytes = peak_bytes_.load(std::memory_order_relaxed);
  for (Shard& shard : shards_) {
    SpinGuard guard(&shard.lock);
    out->pooled_bytes += shard.pooled_bytes.load(std::memory_order_relaxed);
    out->allocations += shard.allocations;
    out->pool_hits += shard.pool_hits;
  }
}

void Allocator::trim() noexcept {
  for (Shard& shard : shards_) {
    BlockHeader* chain = nullptr;
    {
      SpinGuard guard(&shard.lock);
      chain = shrink(&shard, INT64_MAX, -1);
    }
    release_chain(chain);
  }
}

void Allocator::close() noexcept {
  // A second close would give up a hold that belongs to a live allocation.
  if (closed_.exchange(true, std::memory_order_acq_rel)) return;
  trim();
  discharge(0);
}

int64_t Allocator::size_bytes(const void* memory) noexcept {
  return BlockHeader::of(memory)->size_bytes;
}

void Allocator::seal(void* memory) noexcept {
  if (memory != nullptr) {
    poison(static_cast<char*>(memory) + size_bytes(memory), kSlackBytes);
  }
}

// Adds a hold and size_bytes to the live bytes unless that breaks a bound, and lifts the peak.
bool Allocator::charge(int64_t size_bytes) noexcept {
  const auto size = static_cast<uint64_t>(size_bytes);
  const auto budget = static_cast<uint64_t>(bytes_max_);
  const uint64_t most = bytes_max_ > 0 && budget < kBytesMask ? budget : kBytesMask;
  uint64_t before = live_.load(std::memory_order_relaxed);
  do {
    const uint64_t bytes = before & kBytesMask;
    if (bytes > most || size > most - bytes || before >= ~kBytesMask) return false;
  } while (
      !live_.compare_exchange_weak(before, before + kOneHold + size, std::memory_order_relaxed));
  const auto live = static_cast<int64_t>((before & kBytesMask) + size);
  int64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  while (live > peak && !peak_bytes_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  return true;
}

// Takes a hold and size_bytes back; the last hold ends the allocator.
void Allocator::discharge(int64_t size_bytes) noexcept {
  const uint64_t taken = kOneHold + static_cast<uint64_t>(size_bytes);
  if (live_.fetch_sub(taken, std::memory_order_acq_rel) == taken) {
    trim();
    this->~Allocator();
    free(this);
  }
}

BlockHeader* Allocator::take_pooled(int32_t size_class, int32_t home) noexcept {
  BlockHeader* block = nullptr;
  for (int32_t step = 0; step < kShards && block == nullptr; ++step) {
    Shard* shard = &shards_[(home + step) & (kShards - 1)];
    if (step > 0 && shard->pooled_bytes.load(std::memory_order_relaxed) == 0) continue;
    SpinGuard guard(&shard->lock);
    block = take_from(shard, size_class);
    shard->allocations += step == 0 ? 1 : 0;
    shard->pool_hits += block != nullptr ? 1 : 0;
  }
  return block;
}

// The caller holds the shard's lock, here, in take_oldest and in shrink. What the block had
// reserved stays with the shard: it will come back.
BlockHeader* Allocator::take_from(Shard* shard, int32_t size_class) noexcept {
  BlockHeader* block = shard->free[size_class];
  if (block == nullptr) return nullptr;
  shard->free[size_class] = block->next;
  shard->used[size_class] = ++shard->tick;
  const int64_t pooled = shard->pooled_bytes.load(std::memory_order_relaxed);
  shard->pooled_bytes.store(pooled - block->block_bytes, std::memory_order_relaxed);
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
  if (oldest < 0) return nullptr;
  return take_from(shard, oldest);
}

// Keeps a block for reuse if the pool's bound allows it, after letting go of others when it must.
bool Allocator::put_pooled(BlockHeader* block) noexcept {
  const int64_t block_bytes = block->block_bytes;
  if (block_bytes > pool_bytes_max_) return false;
  Shard* shard = &shards_[block->shard];
  for (int32_t attempt = 0; attempt < 2; ++attempt) {
    if (attempt > 0) make_room(block_bytes, block->shard, block->size_class);
    SpinGuard guard(&shard->lock);
    const int64_t pooled = shard->pooled_bytes.load(std::memory_order_relaxed) + block_bytes;
    const int64_t missing = pooled - shard->reserved_bytes;
    if (missing > 0) {
      const int64_t before = reserved_bytes_.fetch_add(missing, std::memory_order_relaxed);
      if (before + missing > pool_bytes_max_) {
        reserved_bytes_.fetch_sub(missing, std::memory_order_relaxed);
        continue;
      }
      shard->reserved_bytes += missing;
    }
    poison(block->memory(), block_bytes - static_cast<int64_t>(sizeof(BlockHeader)));
    block->next = shard->free[block->size_class];
    shard->free[block->size_class] = block;
    shard->used[block->size_class] = ++shard->tick;
    shard->pooled_bytes.store(pooled, std::memory_order_relaxed);
    return true;
  }
  return false;
}

// Takes reservations that are not used from the shards, then blocks of the sizes that were not
// asked for lately, until block_bytes fit. A pool full of one job's sizes would be useless to the
// next.
void Allocator::make_room(int64_t block_bytes, int32_t home, int32_t but_class) noexcept {
  for (int32_t step = 0; step < kShards; ++step) {
    const int64_t reserved = reserved_bytes_.load(std::memory_order_relaxed);
    const int64_t missing = reserved + block_bytes - pool_bytes_max_;
    if (missing <= 0) return;
    Shard* shard = &shards_[(home + step) & (kShards - 1)];
    BlockHeader* chain = nullptr;
    {
      SpinGuard guard(&shard->lock);
      chain = shrink(shard, missing, but_class);
    }
    release_chain(chain);
  }
}

// Gives at least wanted_bytes of a shard's reservation back, or all that it can but for the blocks
// of but_class. Returns the blocks that have to go.
BlockHeader* Allocator::shrink(Shard* shard, int64_t wanted_bytes, int32_t but_class) noexcept {
  BlockHeader* chain = nullptr;
  int64_t unused = shard->reserved_bytes - shard->pooled_bytes.load(std::memory_order_relaxed);
  while (unused < wanted_bytes) {
    BlockHeader* block = take_oldest(shard, but_class);
    if (block == nullptr) break;
    unused += block->block_bytes;
    block->next = chain;
    chain = block;
  }
  shard->reserved_bytes -= unused;
  reserved_bytes_.fetch_sub(unused, std::memory_order_relaxed);
  return chain;
}

}  // namespace v0
}  // namespace tombolo
