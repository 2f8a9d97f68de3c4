// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tombolo/host.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

// The layouts that bridge/abi mirrors.
static_assert(offsetof(ArrowSchema, release) == 56);
static_assert(offsetof(ArrowArray, release) == 64);
static_assert(offsetof(tombolo_export_block, live) == 16);
static_assert(offsetof(tombolo_export_block, slot) == 20);
static_assert(sizeof(tombolo_allocator_stats) == 48);
static_assert(sizeof(tombolo_host) == 8 + 10 * 8);
static_assert(sizeof(tombolo_option) == 32);
static_assert(sizeof(tombolo_context) == 72);

namespace {

TEST(Host, RefusesAnotherAbi) {
  EXPECT_EQ(tombolo_host_open(TOMBOLO_ABI + 1), nullptr);
  EXPECT_EQ(tombolo_host_open(0), nullptr);
}

TEST(Host, TableIsWhole) {
  const tombolo_host* host = tombolo_host_open(TOMBOLO_ABI);
  ASSERT_NE(host, nullptr);
  const auto* slots = reinterpret_cast<void* const*>(&host->allocator_open);
  for (int i = 0; i < 10; i++) EXPECT_NE(slots[i], nullptr) << i;
}

TEST(Library, OpensOnceForManyThreads) {
  const tombolo_library* seen[8] = {};
  std::vector<std::thread> threads;
  for (const tombolo_library*& library : seen) {
    threads.emplace_back([&library] { library = tombolo_library_open(TOMBOLO_ABI); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const tombolo_library* library : seen) {
    ASSERT_NE(library, nullptr);
    EXPECT_EQ(library, seen[0]);
    EXPECT_GT(library->kernel_count, 0);
    EXPECT_NE(library->kernels[library->kernel_count - 1].name, nullptr);
  }
}

TEST(Library, KernelsAreSortedAndWhole) {
  const tombolo_library* library = tombolo_library_open(TOMBOLO_ABI);
  for (int64_t i = 0; i < library->kernel_count; i++) {
    const tombolo_kernel& kernel = library->kernels[i];
    if (i > 0) {
      EXPECT_LT(std::string(library->kernels[i - 1].name), kernel.name);
    }
    EXPECT_NE(kernel.bind, nullptr) << kernel.name;
    EXPECT_NE(kernel.unbind, nullptr) << kernel.name;
    EXPECT_EQ(kernel.run != nullptr, kernel.kind == TOMBOLO_KERNEL_MAP) << kernel.name;
    EXPECT_EQ(kernel.finish != nullptr, kernel.kind == TOMBOLO_KERNEL_ACCUMULATE) << kernel.name;
    EXPECT_EQ(kernel.next != nullptr, kernel.kind == TOMBOLO_KERNEL_EMIT) << kernel.name;
  }
}

}  // namespace
