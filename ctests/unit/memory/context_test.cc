// SPDX-License-Identifier: Apache-2.0
#include "memory/context.h"

#include <gtest/gtest.h>

#include "memory/allocator.h"

namespace tombolo {
namespace {

// A cancel ends what touches much memory, and leaves what was there.
TEST(ContextTest, ACancelEndsFillsAndCopies) {
  Allocator* allocator = Allocator::open(0, 0);
  int32_t cancel = 0;
  tombolo_context raw = {};
  raw.struct_bytes = sizeof raw;
  raw.allocator = allocator->table();
  raw.cancel = &cancel;
  Context context(&raw);
  {
    Buffer buffer;
    const int64_t size_bytes = 3 * kPollBytes + 1;
    ASSERT_EQ(buffer.allocate_zeroed(context, size_bytes), TOMBOLO_OK);
    for (int64_t i = 0; i < size_bytes; i++) ASSERT_EQ(buffer.as<uint8_t>()[i], 0);
    ASSERT_EQ(context.fill(buffer.data(), 0xa5, size_bytes), TOMBOLO_OK);
    cancel = 1;
    EXPECT_EQ(buffer.grow(context, 10 * size_bytes, size_bytes), TOMBOLO_CANCELLED);
    EXPECT_EQ(buffer.size_bytes(), size_bytes);
    Buffer other;
    EXPECT_EQ(other.allocate_zeroed(context, size_bytes), TOMBOLO_CANCELLED);
    cancel = 0;
    ASSERT_EQ(buffer.grow(context, 10 * size_bytes, size_bytes), TOMBOLO_OK);
    for (int64_t i = 0; i < size_bytes; i++) ASSERT_EQ(buffer.as<uint8_t>()[i], 0xa5);
  }
  tombolo_allocator_stats stats;
  allocator->stats(&stats);
  EXPECT_EQ(stats.live_count, 0);
  allocator->close();
}

}  // namespace
}  // namespace tombolo
