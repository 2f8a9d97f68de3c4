// SPDX-License-Identifier: Apache-2.0
#include "simd/dispatch.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tombolo {
namespace {

TEST(Dispatch, MaximumIsALevelOfTheHeader) {
  const int32_t max = simd_level_max();
  EXPECT_GE(max, TOMBOLO_SIMD_BASE);
  EXPECT_LE(max, TOMBOLO_SIMD_AVX512);
}

TEST(Dispatch, LevelsOutsideTheRangeAreClamped) {
  const int32_t max = simd_level_max();
  EXPECT_EQ(&dispatch(max + 1), &dispatch(max));
  EXPECT_EQ(&dispatch(INT32_MAX), &dispatch(max));
  EXPECT_EQ(&dispatch(-1), &dispatch(TOMBOLO_SIMD_BASE));
}

TEST(Dispatch, EveryLevelHasARowOfItsOwn) {
  for (int32_t level = 1; level <= simd_level_max(); level++) {
    EXPECT_NE(&dispatch(level), &dispatch(level - 1)) << level;
  }
}

TEST(Dispatch, FirstUseFromManyThreadsAgrees) {
  std::vector<std::thread> threads;
  const Dispatch* rows[8] = {};
  for (const Dispatch*& row : rows) {
    threads.emplace_back([&row] { row = &dispatch(simd_level_max()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Dispatch* row : rows) EXPECT_EQ(row, rows[0]);
}

}  // namespace
}  // namespace tombolo
