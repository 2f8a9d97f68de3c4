// SPDX-License-Identifier: Apache-2.0
//
// Comparisons whose answers are written by hand: NaN and signed zeros, the ends of the integers,
// nulls over anything, bitmaps at any offset.
#include <limits>

#include "column_run.h"

namespace tombolo {
namespace {

using testing::answer;
using testing::Batches;
using testing::column;
using testing::Foreign;
using testing::linked;
template <class T>
using Rows = std::vector<std::optional<T>>;
constexpr auto kNull = std::nullopt;

template <class T>
Batches pair(const char* format, const Rows<T>& left, const Rows<T>& right, int64_t offset = 0,
             T under = T{}) {
  std::vector<Foreign> columns;
  columns.push_back(column<T>(format, left, offset, under));
  columns.push_back(column<T>(format, right, offset / 2, under));
  Batches batches;
  batches.push_back(linked(static_cast<int64_t>(left.size()), std::move(columns)));
  return batches;
}

TEST(Compare, NanAndSignedZeros) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Rows<double> left = {nan, nan, 1.0, -0.0, 0.0, infinity, -infinity, kNull};
  const Rows<double> right = {nan, 1.0, nan, 0.0, -0.0, infinity, infinity, nan};
  const struct {
    const char* name;
    Rows<bool> want;
  } cases[] = {
      {"equal", {false, false, false, true, true, true, false, kNull}},
      {"not_equal", {true, true, true, false, false, false, true, kNull}},
      {"less", {false, false, false, false, false, false, true, kNull}},
      {"less_equal", {false, false, false, true, true, true, true, kNull}},
      {"greater", {false, false, false, false, false, false, false, kNull}},
      {"greater_equal", {false, false, false, true, true, true, false, kNull}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(answer<bool>(c.name, pair<double>("g", left, right, 5)), c.want) << c.name;
  }
}

TEST(Compare, EndsOfTheIntegers) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Rows<int64_t> left = {kMin, kMax, kMin, -1, kNull};
  const Rows<int64_t> right = {kMax, kMin, kMin, 0, 0};
  const Rows<bool> less = {true, false, false, true, kNull};
  EXPECT_EQ(answer<bool>("less", pair<int64_t>("l", left, right, 3)), less);
  const Rows<uint64_t> unsigned_left = {0, ~uint64_t{0}, uint64_t{1} << 63};
  const Rows<uint64_t> unsigned_right = {~uint64_t{0}, 0, (uint64_t{1} << 63) - 1};
  EXPECT_EQ(answer<bool>("less", pair<uint64_t>("L", unsigned_left, unsigned_right)),
            (Rows<bool>{true, false, false}));
}

// False goes before true.
TEST(Compare, BoolsAtWordEndsAndOffsets) {
  for (const int64_t rows : {0, 1, 63, 64, 65}) {
    for (const int64_t offset : {0, 2, 14, 18, 126}) {
      Rows<bool> left, right, less, equal;
      for (int64_t i = 0; i < rows; i++) {
        left.push_back(i % 11 == 4 ? kNull : std::optional(i % 2 == 0));
        right.push_back(i % 13 == 5 ? kNull : std::optional(i % 3 == 0));
        const bool there = left.back().has_value() && right.back().has_value();
        less.push_back(there ? std::optional(!*left.back() && *right.back()) : kNull);
        equal.push_back(there ? std::optional(*left.back() == *right.back()) : kNull);
      }
      EXPECT_EQ(answer<bool>("less", pair<bool>("b", left, right, offset, true)), less) << rows;
      EXPECT_EQ(answer<bool>("equal", pair<bool>("b", left, right, offset, true)), equal) << rows;
    }
  }
}

TEST(Compare, RefusesTwoTypes) {
  std::vector<Foreign> columns;
  columns.push_back(column<int32_t>("i", {1}));
  columns.push_back(column<int64_t>("l", {1}));
  Batches batches;
  batches.push_back(linked(1, std::move(columns)));
  answer<bool>("equal", batches, {}, TOMBOLO_TYPE);
}

}  // namespace
}  // namespace tombolo
