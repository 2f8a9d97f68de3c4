// SPDX-License-Identifier: Apache-2.0
#include "kernels/hash_table.h"

#if defined(__linux__)
#include <sys/auxv.h>
#endif

namespace tombolo {
inline namespace v0 {
namespace {

constexpr int64_t kBucketsMin = 8;

// Up to this many buckets (256 KiB) a bucket has one key on average, beyond it two: a small table
// rarely overflows a bucket, a large one is kept small for the caches.
constexpr int64_t kBucketsSparseMax = 4096;

// Buckets that are laid out anew between two looks at the cancel flag.
constexpr int64_t kPollBuckets = kPollBytes / static_cast<int64_t>(sizeof(HashBucket));

std::atomic<uint64_t> g_seeds_drawn{0};

// The finaliser of splitmix64: neighbours become unlike.
uint64_t mix(uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// What differs from process to process: random bytes that the kernel gave it, and where it lies.
uint64_t process_word(int32_t i) noexcept {
  uint64_t word = reinterpret_cast<uintptr_t>(&g_seeds_drawn);
#if defined(__linux__)
  const auto* random = reinterpret_cast<const uint8_t*>(getauxval(AT_RANDOM));
  if (random != nullptr) word ^= load_word(random + 8 * i);
#else
  word += static_cast<uint64_t>(i);
#endif
  return word;
}

int64_t capacity_of(int64_t bucket_count) noexcept {
  return bucket_count <= kBucketsSparseMax ? bucket_count : bucket_count * 2;
}

}  // namespace

HashSeeds HashSeeds::random() noexcept {
  constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  const uint64_t drawn = g_seeds_drawn.fetch_add(1, std::memory_order_relaxed) * kStep;
  const uint64_t first = mix(process_word(0) + drawn);
  const uint64_t second = mix(process_word(1) + drawn);
  HashSeeds seeds;
  seeds.slot = mix(first + kStep);
  seeds.slot_factor = mix(second + kStep) | 1;
  seeds.text = mix(first + 2 * kStep);
  seeds.text_factor = mix(second + 2 * kStep);
  return seeds;
}

Status HashTable::open(Context& context, int64_t capacity, const HashSeeds* seeds) noexcept {
  seeds_ = seeds != nullptr ? *seeds : HashSeeds::random();
  count_ = 0;
  capacity_ = 0;
  memory_.reset();
  return reserve(context, capacity > 0 ? capacity : 1);
}

Status HashTable::reserve(Context& context, int64_t capacity) noexcept {
  if (capacity <= capacity_) return TOMBOLO_OK;
  int64_t bucket_count = memory_.data() == nullptr ? kBucketsMin : static_cast<int64_t>(mask_) + 1;
  while (capacity_of(bucket_count) < capacity) bucket_count *= 2;
  return resize(context, bucket_count);
}

// A cancel leaves the table as it was.
Status HashTable::resize(Context& context, int64_t bucket_count) noexcept {
  Buffer other;
  const int64_t size_bytes = bucket_count * static_cast<int64_t>(sizeof(HashBucket));
  Status status = other.allocate(context, size_bytes);
  if (status == TOMBOLO_OK) status = context.fill(other.data(), 0xff, size_bytes);
  if (status != TOMBOLO_OK) return status;
  const int64_t old_count = memory_.data() == nullptr ? 0 : static_cast<int64_t>(mask_) + 1;
  take(&other, bucket_count);
  for (int64_t i = 0; i < old_count; i++) {
    if (i % kPollBuckets == 0 && context.cancelled()) {
      take(&other, old_count);
      return context.fail_cancelled();
    }
    const HashBucket& bucket = other.as<HashBucket>()[i];
    for (int32_t lane = 0; lane < HashBucket::kLanes && bucket.numbers[lane] >= 0; lane++) {
      place(bucket.keys[lane], bucket.numbers[lane]);
    }
  }
  return TOMBOLO_OK;
}

// Makes buckets the memory of the table, and gives up the memory so far in exchange.
void HashTable::take(Buffer* buckets, int64_t bucket_count) noexcept {
  Buffer old = static_cast<Buffer&&>(memory_);
  memory_ = static_cast<Buffer&&>(*buckets);
  *buckets = static_cast<Buffer&&>(old);
  mask_ = static_cast<uint64_t>(bucket_count) - 1;
  shift_ = std::countl_zero(mask_);
  capacity_ = capacity_of(bucket_count);
}

void HashTable::place(uint64_t key, int32_t number) noexcept {
  for (uint64_t at = start(key);; at = (at + 1) & mask_) {
    HashBucket& bucket = memory_.as<HashBucket>()[at];
    for (int32_t lane = 0; lane < HashBucket::kLanes; lane++) {
      if (bucket.numbers[lane] >= 0) continue;
      bucket.keys[lane] = key;
      bucket.numbers[lane] = number;
      return;
    }
  }
}

}  // namespace v0
}  // namespace tombolo
