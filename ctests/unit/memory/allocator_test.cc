// SPDX-License-Identifier: Apache-2.0
#include "memory/allocator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "memory/block.h"
#include "memory/context.h"

namespace tombolo {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

// Closes its allocator and, before that, wants nothing to be left.
class AllocatorTest : public ::testing::Test {
 protected:
  void Open(int64_t bytes_max, int64_t pool_bytes_max) {
    allocator_ = Allocator::open(bytes_max, pool_bytes_max);
    ASSERT_NE(allocator_, nullptr);
  }

  tombolo_allocator_stats Stats() {
    tombolo_allocator_stats stats;
    allocator_->stats(&stats);
    return stats;
  }

  void TearDown() override {
    if (allocator_ == nullptr) return;
    EXPECT_EQ(Stats().live_bytes, 0);
    EXPECT_EQ(Stats().live_count, 0);
    allocator_->close();
  }

  Allocator* allocator_ = nullptr;
};

TEST(SizeClass, CoversTheSizeInFewSteps) {
  int32_t index_before = 0;
  int64_t bytes_before = 0;
  for (int64_t total = 129; total < int64_t{1} << 40; total += 1 + total / 50) {
    const SizeClass size_class = size_class_of(total);
    ASSERT_GE(size_class.block_bytes, total);
    ASSERT_EQ(size_class.block_bytes % 64, 0);
    ASSERT_LE(size_class.block_bytes, total + total / 4 + 63);
    ASSERT_GE(size_class.index, index_before);
    ASSERT_EQ(size_class.index == index_before, size_class.block_bytes == bytes_before);
    index_before = size_class.index;
    bytes_before = size_class.block_bytes;
  }
  EXPECT_LT(size_class_of(Allocator::kSizeBytesMax + 128).index, 133);
}

TEST_F(AllocatorTest, AlignsAndGivesSlack) {
  Open(0, kMiB);
  for (int64_t size : {0, 1, 63, 64, 65, 4096, 100000, 3 << 20}) {
    void* memory = allocator_->allocate(size);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u) << size;
    EXPECT_EQ(Allocator::size_bytes(memory), size);
    memset(memory, 0x5A, static_cast<size_t>(size + Allocator::kSlackBytes));
    EXPECT_EQ(Stats().live_bytes, size);
    EXPECT_EQ(Stats().live_count, 1);
    allocator_->free_memory(memory);
  }
}

TEST_F(AllocatorTest, RefusesImpossibleSizes) {
  Open(0, 0);
  EXPECT_EQ(allocator_->allocate(-1), nullptr);
  EXPECT_EQ(allocator_->allocate(INT64_MAX), nullptr);
  EXPECT_EQ(allocator_->allocate(Allocator::kSizeBytesMax + 1), nullptr);
  allocator_->free_memory(nullptr);
}

TEST_F(AllocatorTest, ReusesABlockOfTheSameClass) {
  Open(0, 16 * kMiB);
  void* first = allocator_->allocate(5 * kMiB - 200);
  allocator_->free_memory(first);
  EXPECT_EQ(Stats().pooled_bytes, 5 * kMiB);
  void* second = allocator_->allocate(5 * kMiB - 1000);
  EXPECT_EQ(second, first);
  EXPECT_EQ(Stats().pool_hits, 1);
  EXPECT_EQ(Stats().allocations, 2);
  EXPECT_EQ(Stats().pooled_bytes, 0);
  allocator_->free_memory(second);
}

TEST_F(AllocatorTest, KeepsNoMoreThanThePoolMayHold) {
  Open(0, 4 * kMiB);
  void* blocks[4];
  for (void*& block : blocks) block = allocator_->allocate(2 * kMiB);
  for (void* block : blocks) allocator_->free_memory(block);
  EXPECT_LE(Stats().pooled_bytes, 4 * kMiB);
  EXPECT_GE(Stats().pooled_bytes, 2 * kMiB);
}

TEST_F(AllocatorTest, LetsGoOfSizesThatAreNotAskedForAnyMore) {
  Open(0, 8 * kMiB);
  std::vector<void*> old;
  for (int i = 0; i < 7; i++) old.push_back(allocator_->allocate(kMiB - 4096));
  for (void* block : old) allocator_->free_memory(block);
  for (int i = 0; i < 3; i++) allocator_->free_memory(allocator_->allocate(6 * kMiB));
  EXPECT_EQ(Stats().pool_hits, 2);
  EXPECT_LE(Stats().pooled_bytes, 8 * kMiB);
}

TEST_F(AllocatorTest, TrimEmptiesThePool) {
  Open(0, 8 * kMiB);
  allocator_->free_memory(allocator_->allocate(kMiB));
  EXPECT_GT(Stats().pooled_bytes, 0);
  allocator_->trim();
  EXPECT_EQ(Stats().pooled_bytes, 0);
}

// Resident pages of this process, by /proc/self/statm.
int64_t ResidentBytes() {
  long total = 0;
  long resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == nullptr) return -1;
  const int read = fscanf(file, "%ld %ld", &total, &resident);
  fclose(file);
  return read == 2 ? resident * sysconf(_SC_PAGESIZE) : -1;
}

// A batch's buffers have half a MiB each. malloc takes blocks of that size from its heap once one
// of them was freed, where a small block above them keeps them resident.
TEST_F(AllocatorTest, FreedBuffersGoBackToTheSystem) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's shadow of freed memory stays resident";
#endif
  Open(0, 0);
  const int64_t before = ResidentBytes();
  if (before < 0) GTEST_SKIP() << "no /proc";
  for (int round = 0; round < 2; ++round) {
    std::vector<void*> large;
    std::vector<void*> small;
    for (int i = 0; i < 200; ++i) {
      large.push_back(allocator_->allocate(kMiB / 2));
      memset(large.back(), 1, kMiB / 2);
      small.push_back(allocator_->allocate(100));
    }
    for (void* memory : large) allocator_->free_memory(memory);
    EXPECT_LT(ResidentBytes() - before, 20 * kMiB) << round;
    for (void* memory : small) allocator_->free_memory(memory);
  }
}

TEST_F(AllocatorTest, BoundsLiveBytes) {
  Open(1000, 0);
  void* most = allocator_->allocate(900);
  ASSERT_NE(most, nullptr);
  EXPECT_EQ(allocator_->allocate(101), nullptr);
  EXPECT_TRUE(Allocator::over_budget(allocator_->table(), 101));
  EXPECT_FALSE(Allocator::over_budget(allocator_->table(), 100));
  void* rest = allocator_->allocate(100);
  EXPECT_NE(rest, nullptr);
  allocator_->free_memory(most);
  allocator_->free_memory(rest);
  EXPECT_EQ(Stats().peak_bytes, 1000);
}

TEST_F(AllocatorTest, ContextTellsBudgetFromMissingMemory) {
  Open(100, 0);
  char error[64];
  tombolo_context raw = {};
  raw.allocator = allocator_->table();
  raw.error = error;
  raw.error_bytes = sizeof error;
  Context context(&raw);
  Status status = TOMBOLO_OK;
  EXPECT_EQ(context.allocate(101, &status), nullptr);
  EXPECT_EQ(status, TOMBOLO_BUDGET);
  EXPECT_EQ(context.allocate(-1, &status), nullptr);
  EXPECT_EQ(status, TOMBOLO_MEMORY);
}

TEST(Allocator, OutlivesItsCloseUntilTheLastFree) {
  Allocator* allocator = Allocator::open(0, kMiB);
  void* memory = allocator->allocate(100);
  allocator->close();
  allocator->close();  // a second close does nothing while the allocation lives
  tombolo_allocator_stats stats;
  allocator->stats(&stats);
  EXPECT_EQ(stats.live_count, 1);
  memset(memory, 1, 100);
  allocator->table()->free(allocator->table(), memory);  // frees the allocator: the leak check sees
}

TEST_F(AllocatorTest, IsSharedByThreads) {
  Open(0, 8 * kMiB);
  constexpr int kThreads = 4;
  constexpr int kRounds = 3000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([this, t] {
      uint32_t random = static_cast<uint32_t>(t) + 1;
      unsigned char* held[16] = {};
      for (int i = 0; i < kRounds; i++) {
        random = random * 1664525 + 1013904223;
        unsigned char*& slot = held[random >> 28];
        if (slot != nullptr) {
          ASSERT_EQ(slot[0], static_cast<unsigned char>(t));
          allocator_->free_memory(slot);
          slot = nullptr;
        } else {
          slot = static_cast<unsigned char*>(allocator_->allocate(random >> 12 & 0xFFFF));
          slot[0] = static_cast<unsigned char>(t);
        }
        if (i % 1000 == 0) allocator_->trim();
      }
      for (unsigned char* memory : held) allocator_->free_memory(memory);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(Stats().pooled_bytes, 8 * kMiB);
}

TEST_F(AllocatorTest, FreesFromAnotherThreadReachTheNextAllocation) {
  Open(0, 8 * kMiB);
  for (int i = 0; i < 20; i++) {
    void* memory = allocator_->allocate(kMiB);
    std::thread([this, memory] { allocator_->free_memory(memory); }).join();
  }
  EXPECT_EQ(Stats().pool_hits, 19);
}

#if defined(TOMBOLO_DEBUG)
TEST(AllocatorDeathTest, StopsAtASecondFree) {
  Allocator* allocator = Allocator::open(0, kMiB);
  void* memory = allocator->allocate(100);
  allocator->free_memory(memory);
  EXPECT_DEATH(allocator->free_memory(memory), "freed twice");
  allocator->close();
}

TEST(AllocatorDeathTest, StopsAtAStrangersFree) {
  Allocator* allocator = Allocator::open(0, kMiB);
  Allocator* stranger = Allocator::open(0, kMiB);
  void* memory = allocator->allocate(100);
  EXPECT_DEATH(stranger->free_memory(memory), "through another allocator");
  allocator->free_memory(memory);
  allocator->close();
  stranger->close();
}
#endif

}  // namespace
}  // namespace tombolo
