// SPDX-License-Identifier: Apache-2.0
#include "kernels/hash_table.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>
#include <vector>

#include "kernels/hash_ops.h"
#include "memory/allocator.h"
#include "simd/dispatch.h"

namespace tombolo {
namespace {

class HashTableTest : public testing::Test {
 protected:
  HashTableTest() : allocator_(Allocator::open(0, 0)) {
    raw_.struct_bytes = sizeof raw_;
    raw_.allocator = allocator_->table();
  }
  ~HashTableTest() override {
    tombolo_allocator_stats stats;
    allocator_->stats(&stats);
    EXPECT_EQ(stats.live_count, 0);
    allocator_->close();
  }

  tombolo_context raw_ = {};
  Allocator* allocator_;
};

// Keys that look like free lanes, and neighbours.
std::vector<uint64_t> some_keys(int64_t count, uint64_t seed) {
  std::vector<uint64_t> keys = {0, ~uint64_t{0}, 1, uint64_t{1} << 63, ~uint64_t{0} - 1};
  std::mt19937_64 random(seed);
  while (static_cast<int64_t>(keys.size()) < count) {
    keys.push_back(random() % 3 == 0 ? random() : 100 + keys.size());
  }
  return keys;
}

void expect_found(const HashTable& table, const std::vector<uint64_t>& keys,
                  const std::unordered_map<uint64_t, int32_t>& numbers) {
  for (int32_t level = 0; level <= simd_level_max(); level++) {
    std::vector<int32_t> got(keys.size(), 77);
    dispatch(level).hash->find(&table, keys.data(), static_cast<int64_t>(keys.size()), got.data());
    for (size_t i = 0; i < keys.size(); i++) {
      const auto known = numbers.find(keys[i]);
      const int32_t want = known == numbers.end() ? -1 : known->second;
      ASSERT_EQ(got[i], want) << "level " << level << " key " << keys[i];
      ASSERT_EQ(table.find(keys[i]), want);
    }
  }
}

TEST_F(HashTableTest, FindsWhatWasInserted) {
  Context context(&raw_);
  for (const int64_t count : {0, 1, 5, 6, 100, 4000, 30000}) {
    const std::vector<uint64_t> keys = some_keys(count, 1);
    HashTable table;
    ASSERT_EQ(table.open(context, 0), TOMBOLO_OK);
    std::unordered_map<uint64_t, int32_t> numbers;
    for (int64_t i = 0; i < count; i++) {
      if (!numbers.emplace(keys[i], static_cast<int32_t>(i)).second) continue;
      ASSERT_EQ(table.insert(context, keys[i], static_cast<int32_t>(i)), TOMBOLO_OK);
    }
    std::vector<uint64_t> asked = some_keys(2 * count + 3, 2);
    asked.insert(asked.end(), keys.begin(), keys.end());
    expect_found(table, asked, numbers);
  }
}

TEST_F(HashTableTest, OneStartForAllKeysIsSlowButRight) {
  Context context(&raw_);
  HashSeeds seeds;
  seeds.slot_factor = 0;
  HashTable table;
  ASSERT_EQ(table.open(context, 0, &seeds), TOMBOLO_OK);
  std::unordered_map<uint64_t, int32_t> numbers;
  const std::vector<uint64_t> keys = some_keys(2000, 3);
  for (const uint64_t key : keys) {
    const auto number = static_cast<int32_t>(numbers.size());
    if (!numbers.emplace(key, number).second) continue;
    ASSERT_EQ(table.insert(context, key, number), TOMBOLO_OK);
  }
  expect_found(table, some_keys(3000, 4), numbers);
}

TEST_F(HashTableTest, SeedsDiffer) {
  const HashSeeds a = HashSeeds::random();
  const HashSeeds b = HashSeeds::random();
  EXPECT_NE(a.slot, b.slot);
  EXPECT_NE(a.slot_factor, b.slot_factor);
  EXPECT_NE(a.text, b.text);
  EXPECT_NE(a.text_factor, b.text_factor);
}

TEST_F(HashTableTest, SurvivesAFailedGrowth) {
  raw_.bytes_max = 8 * 64;
  Context context(&raw_);
  HashTable table;
  ASSERT_EQ(table.open(context, 0), TOMBOLO_OK);
  for (int32_t i = 0; i < 8; i++) ASSERT_EQ(table.insert(context, i, i), TOMBOLO_OK);
  EXPECT_EQ(table.insert(context, 8, 8), TOMBOLO_BUDGET);
  for (int32_t i = 0; i < 8; i++) EXPECT_EQ(table.find(i), i);
  EXPECT_EQ(table.find(8), -1);
}

TEST_F(HashTableTest, SurvivesACancelledGrowth) {
  int32_t cancel = 0;
  raw_.cancel = &cancel;
  Context context(&raw_);
  HashTable table;
  ASSERT_EQ(table.open(context, 0), TOMBOLO_OK);
  for (int32_t i = 0; i < 20000; i++) ASSERT_EQ(table.insert(context, i, i), TOMBOLO_OK);
  cancel = 1;
  EXPECT_EQ(table.reserve(context, 200000), TOMBOLO_CANCELLED);
  HashTable other;
  EXPECT_EQ(other.open(context, 200000), TOMBOLO_CANCELLED);
  for (int32_t i = 0; i < 20000; i++) ASSERT_EQ(table.find(i), i);
  cancel = 0;
  EXPECT_EQ(table.reserve(context, 200000), TOMBOLO_OK);
  for (int32_t i = 0; i < 20000; i++) ASSERT_EQ(table.find(i), i);
}

TEST_F(HashTableTest, DropMissingWritesWholeWords) {
  std::mt19937_64 random(5);
  for (int32_t level = 0; level <= simd_level_max(); level++) {
    for (int64_t count = 0; count < 200; count++) {
      std::vector<int32_t> numbers(count);
      for (auto& number : numbers) {
        number = random() % 4 == 0 ? -1 : static_cast<int32_t>(random() % 1000);
      }
      if (count % 5 == 0) std::fill(numbers.begin(), numbers.end(), 7);
      const std::vector<int32_t> before = numbers;
      std::vector<uint64_t> found((count + 63) / 64, ~uint64_t{0});
      const int64_t missing =
          dispatch(level).hash->drop_missing(numbers.data(), count, found.data());
      int64_t want = 0;
      for (int64_t i = 0; i < static_cast<int64_t>(found.size()) * 64; i++) {
        const bool is_found = i < count && before[i] >= 0;
        ASSERT_EQ((found[i / 64] >> (i % 64) & 1) != 0, is_found);
        if (i >= count) continue;
        ASSERT_EQ(numbers[i], is_found ? before[i] : 0);
        want += is_found ? 0 : 1;
      }
      ASSERT_EQ(missing, want);
    }
  }
}

}  // namespace
}  // namespace tombolo
