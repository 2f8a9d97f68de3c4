// SPDX-License-Identifier: Apache-2.0
//
// Faults on purpose: with TOMBOLO_PLANT set to a fault's name its test commits it, and the lane of
// the sanitizer that should find it must turn red. Without it every test here is skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "memory/allocator.h"

namespace tombolo {
namespace {

bool Planted(const char* fault) {
  const char* planted = getenv("TOMBOLO_PLANT");
  return planted != nullptr && strcmp(planted, fault) == 0;
}

TEST(Planted, OverRead) {
  if (!Planted("overread")) GTEST_SKIP() << "TOMBOLO_PLANT is not overread";
  Allocator* allocator = Allocator::open(0, 1 << 20);
  auto* memory = static_cast<volatile char*>(allocator->allocate(100));
  memory[99] = 1;
  Allocator::seal(const_cast<char*>(memory));
  EXPECT_NE(memory[99] + memory[100], 1000);
  allocator->free_memory(const_cast<char*>(memory));
  allocator->close();
}

TEST(Planted, Leak) {
  if (!Planted("leak")) GTEST_SKIP() << "TOMBOLO_PLANT is not leak";
  Allocator* allocator = Allocator::open(0, 1 << 20);
  EXPECT_NE(allocator->allocate(100), nullptr);
  allocator->close();
}

TEST(Planted, Race) {
  if (!Planted("race")) GTEST_SKIP() << "TOMBOLO_PLANT is not race";
  int shared = 0;
  std::thread other([&shared] { shared++; });
  shared++;
  other.join();
  EXPECT_GT(shared, 0);
}

}  // namespace
}  // namespace tombolo
