// SPDX-License-Identifier: Apache-2.0
//
// filter and take over rows written by hand, and what they leave behind when memory runs out, the
// budget is spent or a cancel comes at any allocation.
#include "column_run.h"

namespace tombolo {
namespace {

using testing::answer;
using testing::Batches;
using testing::column;
using testing::Foreign;
using testing::linked;
using testing::Watched;
template <class T>
using Rows = std::vector<std::optional<T>>;

Batches pair_of(std::unique_ptr<Foreign> first, std::unique_ptr<Foreign> second) {
  Batches batches;
  batches.push_back(std::move(first));
  batches.push_back(std::move(second));
  return batches;
}

tombolo_option emit_null() {
  tombolo_option option = {};
  option.name = "null_selection";
  option.kind = TOMBOLO_OPTION_TEXT;
  option.text_bytes = 9;
  option.value.text = "emit_null";
  return option;
}

TEST(Selection, FilterAtWordEndsAndOffsets) {
  for (const int64_t rows : {0, 1, 63, 64, 65, 130}) {
    for (const int64_t offset : {0, 1, 7, 9, 63}) {
      Rows<int32_t> values;
      Rows<bool> mask;
      Rows<int32_t> dropped;
      Rows<int32_t> emitted;
      for (int32_t i = 0; i < rows; i++) {
        values.push_back(i % 5 == 0 ? std::nullopt : std::optional(i));
        mask.push_back(i % 7 == 3 ? std::nullopt : std::optional(i % 2 == 0));
        if (!mask.back()) {
          emitted.push_back(std::nullopt);
        } else if (*mask.back()) {
          dropped.push_back(values.back());
          emitted.push_back(values.back());
        }
      }
      const auto make = [&] {
        std::vector<Foreign> left, right;
        left.push_back(column<int32_t>("i", values, offset, -77));
        right.push_back(column<bool>("b", mask, 8 - offset % 8, true));
        return pair_of(linked(rows, std::move(left)), linked(rows, std::move(right)));
      };
      EXPECT_EQ(answer<int32_t>("filter", make()), dropped) << rows << " at " << offset;
      EXPECT_EQ(answer<int32_t>("filter", make(), {emit_null()}), emitted) << rows;
    }
  }
}

Batches take_of(const Rows<int16_t>& values, const Rows<int16_t>& index, int16_t under) {
  std::vector<Foreign> left, right;
  left.push_back(column<int16_t>("s", values, 3));
  right.push_back(column<int16_t>("s", index, 5, under));
  return pair_of(linked(static_cast<int64_t>(values.size()), std::move(left)),
                 linked(static_cast<int64_t>(index.size()), std::move(right)));
}

TEST(Selection, TakeIndices) {
  const Rows<int16_t> values = {10, std::nullopt, 30};
  const Rows<int16_t> index = {2, 0, std::nullopt, 1, 2};
  const Rows<int16_t> want = {30, 10, std::nullopt, std::nullopt, 30};
  // What an index holds under its null is nobody's business.
  for (const int16_t under : {int16_t{0}, int16_t{3}, int16_t{-1}, int16_t{-32768}}) {
    EXPECT_EQ(answer<int16_t>("take", take_of(values, index, under)), want) << under;
  }
  for (const int16_t outside : {int16_t{3}, int16_t{-1}, int16_t{-32768}}) {
    answer<int16_t>("take", take_of(values, {0, outside}, 0), {}, TOMBOLO_INDEX);
  }
  EXPECT_EQ(answer<int16_t>("take", take_of(values, {}, 0)), Rows<int16_t>{});
  EXPECT_EQ(answer<int16_t>("take", take_of({}, {std::nullopt}, 9)), Rows<int16_t>{std::nullopt});
}

Batches faulty(bool columns) {
  constexpr int64_t kRows = 300000;
  Rows<int16_t> values;
  Rows<bool> mask;
  for (int64_t i = 0; i < kRows; i++) {
    values.push_back(i % 9 == 0 ? std::nullopt : std::optional(static_cast<int16_t>(i % 1000)));
    mask.push_back(i % 8 == 0 ? std::nullopt : std::optional(i % 3 == 0));
  }
  std::vector<Foreign> left, right;
  if (columns) {
    left.push_back(column<int16_t>("s", values));
    left.push_back(column<bool>("b", mask));
  }
  right.push_back(columns ? column<bool>("b", mask) : column<int16_t>("s", values));
  return pair_of(linked(kRows, std::move(left)), linked(kRows, std::move(right)));
}

Batches mask_alone() {
  Batches batches = faulty(true);
  batches[0] = linked(300000, {});
  return batches;
}

// The flag goes up at one allocation after the other. Whatever loop comes next must see it, the one
// that reads a mask or indices too, which is all that there is without columns.
TEST(Selection, CancelAtEachAllocation) {
  const struct {
    const char* name;
    const char* kernel;
    Batches inputs;
    int64_t after;  // allocations behind the last loop: the struct of a result without columns
  } cases[] = {
      {"columns", "filter", faulty(true), 0},
      {"mask alone", "filter", mask_alone(), 1},
      {"indices alone", "take", faulty(false), 1},
  };
  for (const auto& c : cases) {
    Watched whole;
    ArrowArray result;
    ASSERT_EQ(testing::run(&whole, c.kernel, c.inputs, {}, &result), TOMBOLO_OK) << c.name;
    result.release(&result);
    EXPECT_EQ(whole.live, 0);
    for (int64_t at = 0; at < whole.count - c.after; at++) {
      Watched memory;
      memory.cancel_at = at;
      const tombolo_status status = testing::run(&memory, c.kernel, c.inputs, {}, &result);
      EXPECT_EQ(status, TOMBOLO_CANCELLED) << c.name << ", allocation " << at;
      if (status == TOMBOLO_OK) result.release(&result);
      EXPECT_EQ(memory.live, 0) << c.name << ", allocation " << at;
    }
  }
}

TEST(Selection, OutOfMemoryAnywhereAndOverBudget) {
  const Batches inputs = faulty(true);
  Watched whole;
  ArrowArray result;
  ASSERT_EQ(testing::run(&whole, "filter", inputs, {}, &result), TOMBOLO_OK);
  result.release(&result);
  for (int64_t at = 0; at < whole.count; at++) {
    Watched memory;
    memory.fail_at = at;
    EXPECT_EQ(testing::run(&memory, "filter", inputs, {}, &result), TOMBOLO_MEMORY) << at;
    EXPECT_EQ(memory.live, 0) << at;
  }
  for (const int64_t bytes_max : {1, 10000, 50000, 100000}) {
    Watched memory;
    memory.bytes_max = bytes_max;
    EXPECT_EQ(testing::run(&memory, "filter", inputs, {}, &result), TOMBOLO_BUDGET) << bytes_max;
    EXPECT_EQ(memory.live, 0) << bytes_max;
  }
}

}  // namespace
}  // namespace tombolo
