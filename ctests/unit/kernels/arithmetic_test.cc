// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic whose answers are written by hand: every way to overflow, division by zero, what may
// lie under a null.
#include <limits>

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
constexpr auto kNull = std::nullopt;
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

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

template <class T>
Batches one(const char* format, const Rows<T>& rows, T under = T{}) {
  std::vector<Foreign> columns;
  columns.push_back(column<T>(format, rows, 7, under));
  Batches batches;
  batches.push_back(linked(static_cast<int64_t>(rows.size()), std::move(columns)));
  return batches;
}

TEST(Arithmetic, EndsOfTheIntegers) {
  const struct {
    const char* name;
    int32_t left, right;
    tombolo_status checked;
    std::optional<int32_t> wrapped;  // of the unchecked form; nothing when that fails too
  } cases[] = {
      {"add", kMax, 1, TOMBOLO_OVERFLOW, kMin},
      {"add", kMin, -1, TOMBOLO_OVERFLOW, kMax},
      {"add", kMax, kMin, TOMBOLO_OK, -1},
      {"subtract", kMin, 1, TOMBOLO_OVERFLOW, kMax},
      {"subtract", 0, kMin, TOMBOLO_OVERFLOW, kMin},
      {"subtract", -1, kMin, TOMBOLO_OK, kMax},
      {"divide", kMin, -1, TOMBOLO_OVERFLOW, kMin},
      {"divide", kMin, 1, TOMBOLO_OK, kMin},
      {"divide", -7, 2, TOMBOLO_OK, -3},
      {"divide", 7, -2, TOMBOLO_OK, -3},
      {"divide", 1, 0, TOMBOLO_DIVIDE_BY_ZERO, kNull},
      {"divide", kMin, 0, TOMBOLO_DIVIDE_BY_ZERO, kNull},
  };
  for (const auto& c : cases) {
    // At the end of a vector, of a word and behind one.
    for (const size_t place : {0, 1, 62, 63, 64}) {
      Rows<int32_t> left(place, 6), right(place, 3);
      left.push_back(c.left);
      right.push_back(c.right);
      const std::string name = std::string(c.name) + "_unchecked";
      const auto checked = answer<int32_t>(c.name, pair<int32_t>("i", left, right), {}, c.checked);
      if (c.checked == TOMBOLO_OK) {
        EXPECT_EQ(checked.back(), c.wrapped) << c.name << " at " << place;
      }
      const auto wrapped = answer<int32_t>(name.c_str(), pair<int32_t>("i", left, right), {},
                                           c.wrapped ? TOMBOLO_OK : c.checked);
      if (c.wrapped) {
        EXPECT_EQ(wrapped.back(), c.wrapped) << name << " at " << place;
      }
    }
  }
}

TEST(Arithmetic, WhatLiesUnderANullNeverFails) {
  for (const int32_t under : {kMin, -1, 0, kMax}) {
    const Rows<int32_t> left = {12, kNull, kNull, 8};
    const Rows<int32_t> right = {4, kNull, 1, kNull};
    EXPECT_EQ(answer<int32_t>("divide", pair<int32_t>("i", left, right, 14, under)),
              (Rows<int32_t>{3, kNull, kNull, kNull}));
    EXPECT_EQ(answer<int32_t>("add", pair<int32_t>("i", left, right, 14, under)),
              (Rows<int32_t>{16, kNull, kNull, kNull}));
    EXPECT_EQ(answer<int32_t>("abs", one<int32_t>("i", {-5, kNull}, under)),
              (Rows<int32_t>{5, kNull}));
  }
}

// Where several rows fail the first gives the code.
TEST(Arithmetic, TheFirstFailureCounts) {
  answer<int32_t>("divide", pair<int32_t>("i", {1, kMin, 1}, {1, -1, 0}), {}, TOMBOLO_OVERFLOW);
  answer<int32_t>("divide", pair<int32_t>("i", {1, 1, kMin}, {1, 0, -1}), {},
                  TOMBOLO_DIVIDE_BY_ZERO);
}

TEST(Arithmetic, AbsOfMin) {
  answer<int8_t>("abs", one<int8_t>("c", {int8_t{-128}}), {}, TOMBOLO_OVERFLOW);
  EXPECT_EQ(answer<int8_t>("abs_unchecked", one<int8_t>("c", {int8_t{-128}, int8_t{-127}})),
            (Rows<int8_t>{int8_t{-128}, int8_t{127}}));
}

TEST(Arithmetic, FloatsNeverFail) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(answer<double>("add", pair<double>("g", {most, 1.5}, {most, 2.25})),
            (Rows<double>{infinity, 3.75}));
  EXPECT_EQ(answer<double>("divide", pair<double>("g", {1.0, -1.0}, {0.0, 0.0})),
            (Rows<double>{infinity, -infinity}));
  // Bits, since a NaN is equal to nothing.
  EXPECT_EQ(answer<uint64_t>("divide", pair<double>("g", {0.0}, {0.0})),
            (Rows<uint64_t>{0x7ff8000000000000}));
  EXPECT_EQ(answer<uint64_t>("abs", one<double>("g", {-0.0})), (Rows<uint64_t>{0}));
}

TEST(Arithmetic, LeavesNothingBehind) {
  const Batches inputs = pair<int32_t>("i", Rows<int32_t>(100000, 1), Rows<int32_t>(100000, kNull));
  Watched whole;
  ArrowArray result;
  ASSERT_EQ(testing::run(&whole, "add", inputs, {}, &result), TOMBOLO_OK);
  result.release(&result);
  for (int64_t at = 0; at < whole.count; at++) {
    Watched memory;
    memory.fail_at = at;
    EXPECT_EQ(testing::run(&memory, "add", inputs, {}, &result), TOMBOLO_MEMORY) << at;
    EXPECT_EQ(memory.live, 0) << at;
    Watched cancelled;
    cancelled.cancel_at = at;
    EXPECT_EQ(testing::run(&cancelled, "add", inputs, {}, &result), TOMBOLO_CANCELLED) << at;
    EXPECT_EQ(cancelled.live, 0) << at;
  }
  Watched poor;
  poor.bytes_max = 20000;
  EXPECT_EQ(testing::run(&poor, "add", inputs, {}, &result), TOMBOLO_BUDGET);
  EXPECT_EQ(poor.live, 0);
}

}  // namespace
}  // namespace tombolo
