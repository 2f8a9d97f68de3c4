// SPDX-License-Identifier: Apache-2.0
#include "memory/release_queue.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace tombolo {
namespace {

// What a host exports: one block, a root, and children below it as `shape` says.
struct Export {
  alignas(64) tombolo_export_block block = {};
  ArrowArray root = {};
  ArrowArray child[3] = {};
  ArrowArray grandchild[2] = {};
  ArrowArray dictionary = {};
  ArrowArray* children[3] = {&child[0], &child[1], &child[2]};
  ArrowArray* grandchildren[2] = {&grandchild[0], &grandchild[1]};

  // root has three children; child 1 has two of its own; child 2 has a dictionary.
  explicit Export(uint64_t* queue) {
    block.queue = reinterpret_cast<uintptr_t>(queue);
    block.live = 7;
    root.n_children = 3;
    root.children = children;
    child[1].n_children = 2;
    child[1].children = grandchildren;
    child[2].dictionary = &dictionary;
    for (ArrowArray* array : All()) {
      array->release = release_child;
      array->private_data = &block;
    }
    root.release = release_root;
  }

  std::vector<ArrowArray*> All() {
    return {&root, &child[0], &child[1], &child[2], &grandchild[0], &grandchild[1], &dictionary};
  }
};

// Takes the whole list as the host does; returns the blocks, last pushed first.
std::vector<tombolo_export_block*> Drain(uint64_t* queue) {
  std::vector<tombolo_export_block*> blocks;
  uint64_t head = __atomic_exchange_n(queue, 0, __ATOMIC_ACQUIRE);
  while (head != 0) {
    auto* block = reinterpret_cast<tombolo_export_block*>(head);
    blocks.push_back(block);
    head = block->next;
  }
  return blocks;
}

ArrowArray MoveOut(ArrowArray* source) {
  ArrowArray moved = *source;
  source->release = nullptr;
  return moved;
}

TEST(ReleaseQueue, RootReleasesAllAndPushesOnce) {
  uint64_t queue = 0;
  Export batch(&queue);
  batch.root.release(&batch.root);
  for (ArrowArray* array : batch.All()) EXPECT_EQ(array->release, nullptr);
  EXPECT_EQ(batch.block.live, 0);
  EXPECT_EQ(Drain(&queue), std::vector<tombolo_export_block*>{&batch.block});
  EXPECT_EQ(queue, 0u);
}

TEST(ReleaseQueue, RelocatedRootReleasesTheSame) {
  uint64_t queue = 0;
  Export batch(&queue);
  ArrowArray moved = MoveOut(&batch.root);
  memset(&batch.root, 0xA5, sizeof batch.root);
  moved.release(&moved);
  EXPECT_EQ(moved.release, nullptr);
  EXPECT_EQ(Drain(&queue).size(), 1u);
}

TEST(ReleaseQueue, MovedChildHoldsTheBlock) {
  uint64_t queue = 0;
  Export batch(&queue);
  ArrowArray moved = MoveOut(&batch.child[1]);
  batch.root.release(&batch.root);
  EXPECT_TRUE(Drain(&queue).empty());
  EXPECT_EQ(batch.block.live, 3);
  EXPECT_NE(batch.grandchild[0].release, nullptr);
  moved.release(&moved);
  EXPECT_EQ(batch.grandchild[0].release, nullptr);
  EXPECT_EQ(Drain(&queue).size(), 1u);
}

// Every subset of the six structs below the root is moved out, and all are released in an order of
// its own: the block comes back exactly once, with the last.
TEST(ReleaseQueue, AnyChildrenMovedOutReleasedInAnyOrder) {
  for (uint32_t subset = 0; subset < 64; subset++) {
    for (uint32_t order = 0; order < 7; order++) {
      uint64_t queue = 0;
      Export batch(&queue);
      std::vector<ArrowArray*> all = batch.All();
      std::vector<ArrowArray> owned = {MoveOut(all[0])};
      for (uint32_t i = 1; i < all.size(); i++) {
        if ((subset >> (i - 1) & 1) != 0) owned.push_back(MoveOut(all[i]));
      }
      for (size_t i = 0; i < owned.size(); i++) {
        ASSERT_EQ(queue, 0u);
        ArrowArray& next = owned[(i + order) % owned.size()];
        next.release(&next);
        ASSERT_EQ(next.release, nullptr);
      }
      ASSERT_EQ(batch.block.live, 0) << subset << " " << order;
      ASSERT_EQ(Drain(&queue).size(), 1u) << subset << " " << order;
    }
  }
}

int shim_calls = 0;
void (*shim_original)(ArrowArray*) = nullptr;
void CountingShim(ArrowArray* array) {
  shim_calls++;
  shim_original(array);
}

TEST(ReleaseQueue, GoesThroughACallbackInPlaceOfOurs) {
  uint64_t queue = 0;
  Export batch(&queue);
  shim_calls = 0;
  shim_original = batch.child[1].release;
  batch.child[1].release = CountingShim;
  batch.root.release(&batch.root);
  EXPECT_EQ(shim_calls, 1);
  EXPECT_EQ(batch.child[1].release, nullptr);
  EXPECT_EQ(batch.block.live, 0);
  EXPECT_EQ(Drain(&queue).size(), 1u);
}

TEST(ReleaseQueue, DeepNestingReleasesFromTheMiddle) {
  constexpr int kDepth = 64;
  uint64_t queue = 0;
  tombolo_export_block block = {};
  block.queue = reinterpret_cast<uintptr_t>(&queue);
  block.live = kDepth;
  std::vector<ArrowArray> chain(kDepth);
  std::vector<ArrowArray*> pointers(kDepth);
  for (int i = 0; i < kDepth; i++) {
    chain[i] = {};
    chain[i].release = i == 0 ? release_root : release_child;
    chain[i].private_data = &block;
    pointers[i] = i + 1 < kDepth ? &chain[i + 1] : nullptr;
    chain[i].n_children = i + 1 < kDepth ? 1 : 0;
    chain[i].children = &pointers[i];
  }
  ArrowArray middle = MoveOut(&chain[40]);
  chain[0].release(&chain[0]);
  EXPECT_EQ(block.live, kDepth - 40);
  middle.release(&middle);
  EXPECT_EQ(Drain(&queue).size(), 1u);
}

TEST(ReleaseQueue, SchemasFollowTheSameRules) {
  uint64_t queue = 0;
  tombolo_export_block block = {};
  block.queue = reinterpret_cast<uintptr_t>(&queue);
  block.live = 3;
  ArrowSchema root = {}, child = {}, dictionary = {};
  ArrowSchema* children[] = {&child};
  root.n_children = 1;
  root.children = children;
  child.dictionary = &dictionary;
  root.release = release_schema_root;
  child.release = dictionary.release = release_schema_child;
  root.private_data = child.private_data = dictionary.private_data = &block;
  ArrowSchema moved = child;
  child.release = nullptr;
  root.release(&root);
  EXPECT_EQ(queue, 0u);
  moved.release(&moved);
  EXPECT_EQ(dictionary.release, nullptr);
  EXPECT_EQ(Drain(&queue).size(), 1u);
}

TEST(ReleaseQueue, ThreadsPushWhileTheHostDrains) {
  constexpr int kThreads = 4;
  constexpr int kBatches = 500;
  uint64_t queue = 0;
  std::vector<std::unique_ptr<Export>> batches;
  for (int i = 0; i < kThreads * kBatches; i++) batches.push_back(std::make_unique<Export>(&queue));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&batches, t] {
      for (int i = 0; i < kBatches; i++) {
        Export& batch = *batches[t * kBatches + i];
        if (i % 3 == 0) {
          // A child is released by another thread while this one releases the root.
          ArrowArray moved = MoveOut(&batch.child[1]);
          std::thread other([&moved] { moved.release(&moved); });
          batch.root.release(&batch.root);
          other.join();
        } else {
          batch.root.release(&batch.root);
        }
      }
    });
  }
  std::vector<tombolo_export_block*> seen;
  while (seen.size() < batches.size()) {
    for (tombolo_export_block* block : Drain(&queue)) {
      ASSERT_EQ(block->live, 0);
      block->live = -1;  // seen twice would show
      seen.push_back(block);
    }
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen.size(), batches.size());
  EXPECT_EQ(queue, 0u);
}

}  // namespace
}  // namespace tombolo
