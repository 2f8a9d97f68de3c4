// SPDX-License-Identifier: Apache-2.0
//
// Casts at the ends of every span: the last value that fits, the first that does not, and what the
// unsafe form makes of it.
#include <cmath>
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
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The options of one cast, with the schema that names its type.
struct Target {
  Target(const char* format, bool safe) : type(format) {
    type.Link();
    options[0].name = "to";
    options[0].kind = TOMBOLO_OPTION_TYPE;
    options[0].value.type = &type.schema;
    options[1].name = "safe";
    options[1].kind = TOMBOLO_OPTION_BOOLEAN;
    options[1].value.integer = safe;
  }
  Foreign type;
  std::vector<tombolo_option> options{2};
};

template <class From>
Batches batch(const char* format, const Rows<From>& rows, From under = From{}) {
  std::vector<Foreign> columns;
  columns.push_back(column<From>(format, rows, 9, under));
  Batches batches;
  batches.push_back(linked(static_cast<int64_t>(rows.size()), std::move(columns)));
  return batches;
}

// Each value is cast alone, then behind 64 rows that fit.
template <class From, class To>
void check(const char* from, const char* to, From value, std::optional<To> safe, To unsafe) {
  for (const size_t before : {0, 64}) {
    Rows<From> rows(before, From{1});
    rows.push_back(value);
    const Target careful(to, true), careless(to, false);
    const auto kept = answer<To>("cast", batch<From>(from, rows), careful.options,
                                 safe ? TOMBOLO_OK : TOMBOLO_OVERFLOW);
    if (safe) {
      EXPECT_EQ(kept.back(), safe) << from << " to " << to;
    }
    EXPECT_EQ(answer<To>("cast", batch<From>(from, rows), careless.options).back(), unsafe)
        << from << " to " << to;
  }
}

TEST(Cast, IntegersAtTheirEnds) {
  check<int64_t, int8_t>("l", "c", 127, 127, 127);
  check<int64_t, int8_t>("l", "c", 128, kNull, -128);
  check<int64_t, int8_t>("l", "c", -128, -128, -128);
  check<int64_t, int8_t>("l", "c", -129, kNull, 127);
  check<int64_t, uint64_t>("l", "L", -1, kNull, ~uint64_t{0});
  check<uint64_t, int64_t>("L", "l", uint64_t{1} << 63, kNull, std::numeric_limits<int64_t>::min());
  check<int32_t, uint16_t>("i", "S", 65535, 65535, 65535);
  check<int32_t, uint16_t>("i", "S", 65536, kNull, 0);
}

TEST(Cast, IntegersToFloats) {
  constexpr int64_t kExact = int64_t{1} << 53;
  check<int64_t, double>("l", "g", kExact, 9007199254740992.0, 9007199254740992.0);
  check<int64_t, double>("l", "g", -kExact, -9007199254740992.0, -9007199254740992.0);
  check<int64_t, double>("l", "g", kExact + 1, kNull, 9007199254740992.0);
  check<int32_t, float>("i", "f", 16777216, 16777216.0F, 16777216.0F);
  check<int32_t, float>("i", "f", 16777217, kNull, 16777216.0F);
}

TEST(Cast, FloatsToIntegers) {
  check<double, int64_t>("g", "l", -9223372036854775808.0, std::numeric_limits<int64_t>::min(),
                         std::numeric_limits<int64_t>::min());
  check<double, int64_t>("g", "l", 9223372036854775808.0, kNull, 0);
  check<double, int32_t>("g", "i", 1.5, kNull, 1);
  check<double, int32_t>("g", "i", -1.5, kNull, -1);
  check<double, int32_t>("g", "i", -0.0, 0, 0);
  check<double, int32_t>("g", "i", 2147483648.0, kNull, std::numeric_limits<int32_t>::min());
  check<double, int32_t>("g", "i", kNan, kNull, 0);
  check<double, int32_t>("g", "i", kInfinity, kNull, 0);
  check<double, int32_t>("g", "i", -kInfinity, kNull, 0);
}

TEST(Cast, FloatsAndBools) {
  check<double, float>("g", "f", 1e300, std::numeric_limits<float>::infinity(),
                       std::numeric_limits<float>::infinity());
  check<double, bool>("g", "b", kNan, true, true);
  check<double, bool>("g", "b", -0.0, false, false);
  check<int8_t, bool>("c", "b", -128, true, true);
  check<bool, double>("b", "g", true, 1.0, 1.0);
}

TEST(Cast, WhatLiesUnderANullNeverFails) {
  const Target to("c", true);
  EXPECT_EQ(answer<int8_t>("cast", batch<double>("g", {1.0, kNull, 3.0}, kNan), to.options),
            (Rows<int8_t>{int8_t{1}, kNull, int8_t{3}}));
  EXPECT_EQ(answer<int8_t>("cast", batch<int32_t>("i", {kNull, 7}, 1000), to.options),
            (Rows<int8_t>{kNull, int8_t{7}}));
  EXPECT_EQ(answer<int8_t>("cast", batch<double>("g", {}), to.options), Rows<int8_t>{});
}

}  // namespace
}  // namespace tombolo
