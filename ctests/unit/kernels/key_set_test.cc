// SPDX-License-Identifier: Apache-2.0
#include "kernels/key_set.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "memory/allocator.h"
#include "simd/dispatch.h"

namespace tombolo {
namespace {

// A utf8 column over vectors; the data ends where the last text does, so that a sanitizer sees
// every read past it.
class TextColumn {
 public:
  explicit TextColumn(const std::vector<std::optional<std::string>>& rows)
      : validity_((rows.size() + 7) / 8) {
    std::string data;
    offsets_.push_back(0);
    for (size_t i = 0; i < rows.size(); i++) {
      if (rows[i].has_value()) {
        validity_[i / 8] |= static_cast<uint8_t>(1 << (i % 8));
        data += *rows[i];
      }
      offsets_.push_back(static_cast<int32_t>(data.size()));
    }
    data_.assign(data.begin(), data.end());
    buffers_[0] = validity_.data();
    buffers_[1] = offsets_.data();
    buffers_[2] = data_.data();
    array_.length = static_cast<int64_t>(rows.size());
    array_.n_buffers = 3;
    array_.buffers = buffers_;
    field_.type.id = TypeId::kUtf8;
  }

  ColumnView view() const {
    ColumnView view;
    view.field = &field_;
    view.array = &array_;
    view.type = field_.type;
    view.length = array_.length;
    view.validity = validity_.data();
    return view;
  }

 private:
  std::vector<uint8_t> validity_;
  std::vector<int32_t> offsets_;
  std::vector<uint8_t> data_;
  const void* buffers_[3];
  ArrowArray array_ = {};
  Field field_;
};

class KeySetTest : public testing::Test {
 protected:
  KeySetTest() : allocator_(Allocator::open(0, 0)) {
    raw_.struct_bytes = sizeof raw_;
    raw_.allocator = allocator_->table();
  }
  ~KeySetTest() override {
    tombolo_allocator_stats stats;
    allocator_->stats(&stats);
    EXPECT_EQ(stats.live_count, 0);
    allocator_->close();
  }

  // Numbers a column block by block.
  Status number(KeySet* set, const TextColumn& column, int32_t level, std::vector<int32_t>* out) {
    Context context(&raw_);
    KeyColumn keys;
    const ColumnView view = column.view();
    Status status = keys.open(context, view);
    out->assign(view.length, 77);
    for (int64_t row = 0; status == TOMBOLO_OK && row < view.length;) {
      const int64_t count = keys.block_rows(row, view.length);
      status = set->number(context, *dispatch(level).hash, keys, row, count, out->data() + row);
      row += count;
    }
    return status;
  }

  tombolo_context raw_ = {};
  Allocator* allocator_;
};

using Rows = std::vector<std::optional<std::string>>;

void expect_in_order(const Rows& rows, const std::vector<int32_t>& numbers) {
  std::map<std::optional<std::string>, int32_t> known;
  for (size_t i = 0; i < rows.size(); i++) {
    const auto at = known.emplace(rows[i], static_cast<int32_t>(known.size())).first;
    ASSERT_EQ(numbers[i], at->second) << "row " << i;
  }
}

TEST_F(KeySetTest, NumbersInOrderOfFirstAppearance) {
  std::mt19937_64 random(1);
  for (int32_t level = 0; level <= simd_level_max(); level++) {
    Rows rows;
    for (int32_t i = 0; i < 5000; i++) {
      std::string word(random() % 20, 'a');
      for (char& letter : word) letter = "ab\0\xff"[random() % 4];
      rows.push_back(random() % 9 == 0 ? std::nullopt : std::optional(word));
    }
    Context context(&raw_);
    KeySet set;
    ASSERT_EQ(set.open(context, KeyKind::kText), TOMBOLO_OK);
    std::vector<int32_t> numbers;
    ASSERT_EQ(number(&set, TextColumn(rows), level, &numbers), TOMBOLO_OK);
    expect_in_order(rows, numbers);

    // Merged into an empty set in their order, the numbers stay.
    KeySet merged;
    ASSERT_EQ(merged.open(context, KeyKind::kText), TOMBOLO_OK);
    std::vector<int32_t> to(set.count());
    ASSERT_EQ(merged.merge(context, set, to.data()), TOMBOLO_OK);
    for (int64_t i = 0; i < set.count(); i++) ASSERT_EQ(to[i], i);
    ASSERT_EQ(merged.null_number(), set.null_number());
  }
}

TEST_F(KeySetTest, LongTextsOfOneTagStayApart) {
  // A first word equal to the seed's factor multiplies to zero: with known seeds all of these texts
  // have one tag.
  HashSeeds seeds;
  memcpy(&seeds.text_factor, "aaaaaaaa", 8);
  Rows rows;
  for (int32_t i = 0; i < 1500; i++) {
    rows.push_back("aaaaaaaa" + std::to_string(i % 700));
    const auto* data = reinterpret_cast<const uint8_t*>(rows.back()->data());
    ASSERT_EQ(long_text_tag(data, static_cast<int64_t>(rows.back()->size()), seeds), kTextLong);
  }
  for (int32_t level = 0; level <= simd_level_max(); level++) {
    Context context(&raw_);
    KeySet set;
    ASSERT_EQ(set.open(context, KeyKind::kText, 0, &seeds), TOMBOLO_OK);
    std::vector<int32_t> numbers;
    ASSERT_EQ(number(&set, TextColumn(rows), level, &numbers), TOMBOLO_OK);
    expect_in_order(rows, numbers);
  }
}

TEST_F(KeySetTest, HasALimit) {
  Context context(&raw_);
  KeySet set;
  ASSERT_EQ(set.open(context, KeyKind::kText), TOMBOLO_OK);
  set.set_limit(3);
  std::vector<int32_t> numbers;
  EXPECT_EQ(number(&set, TextColumn({"a", std::nullopt, "b", "a"}), 0, &numbers), TOMBOLO_OK);
  EXPECT_EQ(number(&set, TextColumn({"a", "b", "c"}), 0, &numbers), TOMBOLO_OVERFLOW);
  EXPECT_EQ(set.count(), 3);
}

TEST_F(KeySetTest, BlocksOfLongTextsAreShort) {
  Context context(&raw_);
  Rows rows(100, std::string(10000, 'x'));
  const TextColumn column(rows);
  KeyColumn keys;
  ASSERT_EQ(keys.open(context, column.view()), TOMBOLO_OK);
  EXPECT_LE(keys.block_rows(0, 100), kPollBytes / 10000);
  EXPECT_EQ(keys.block_rows(99, 100), 1);
}

TEST_F(KeySetTest, PairsMoveFromMatrixToTable) {
  std::mt19937_64 random(2);
  for (const int32_t side : {1, 60, 65, 500, 600, 3000}) {
    Context context(&raw_);
    PairSet pairs;
    ASSERT_EQ(pairs.open(context), TOMBOLO_OK);
    std::map<std::pair<int32_t, int32_t>, int32_t> known;
    for (int32_t block = 1; block <= 8; block++) {
      const int32_t end = side * block / 8 + 1;
      std::vector<int32_t> firsts(kKeyBlockRows), seconds(kKeyBlockRows), want(kKeyBlockRows);
      for (int64_t i = 0; i < kKeyBlockRows; i++) {
        firsts[i] = static_cast<int32_t>(random() % end);
        seconds[i] = static_cast<int32_t>(random() % end);
        const std::pair<int32_t, int32_t> pair(firsts[i], seconds[i]);
        want[i] = known.emplace(pair, static_cast<int32_t>(known.size())).first->second;
      }
      const HashOps& ops = *dispatch(simd_level_max()).hash;
      ASSERT_EQ(pairs.number(context, ops, firsts.data(), seconds.data(), kKeyBlockRows, end, end),
                TOMBOLO_OK);
      ASSERT_EQ(firsts, want);
    }
    for (const auto& [pair, number] : known) {
      ASSERT_EQ(pairs.first(number), pair.first);
      ASSERT_EQ(pairs.second(number), pair.second);
    }
  }
}

TEST_F(KeySetTest, PairsHaveALimit) {
  Context context(&raw_);
  PairSet pairs;
  ASSERT_EQ(pairs.open(context), TOMBOLO_OK);
  pairs.set_limit(2);
  int32_t firsts[] = {0, 1, 0};
  const int32_t seconds[] = {0, 0, 1};
  const HashOps& ops = *dispatch(0).hash;
  EXPECT_EQ(pairs.number(context, ops, firsts, seconds, 3, 2, 2), TOMBOLO_OVERFLOW);
}

}  // namespace
}  // namespace tombolo
