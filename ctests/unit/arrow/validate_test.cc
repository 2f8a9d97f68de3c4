// SPDX-License-Identifier: Apache-2.0
#include "arrow/arrays.h"

#include <gtest/gtest.h>

namespace tombolo::testing {
namespace {

TEST(Validate, TellsReleasedStructsApart) {
  const std::function<void(Foreign&)> kBends[] = {
      [](Foreign& f) { f.schema.release = nullptr; },
      [](Foreign& f) { f.array.release = nullptr; },
      [](Foreign& f) { f.child(0).schema.release = nullptr; },
      [](Foreign& f) { f.child(0).array.release = nullptr; },
      [](Foreign& f) { f.child(0).dictionary().schema.release = nullptr; },
      [](Foreign& f) { f.child(0).dictionary().array.release = nullptr; },
  };
  for (const auto& bend : kBends) {
    Foreign foreign =
        std::move(Foreign("+s", 1).Null().Child(std::move(Ints({0}).Dictionary(Ints({1})))));
    foreign.Link();
    ASSERT_EQ(Check(foreign, kStructure).status, TOMBOLO_OK);
    bend(foreign);
    EXPECT_EQ(Check(foreign, kStructure).status, TOMBOLO_RELEASED);
  }
}

TEST(Validate, NamesTheColumnAndThePath) {
  Foreign entries = std::move(Foreign("+s", 1).Null().Child(Ints({0})).Child(
      std::move(Ints({0}).Dictionary(Text({0, 1}, "\xFF")))));
  Foreign map =
      std::move(Foreign("+m", 1).Null().Values<int32_t>({0, 1}).Child(std::move(entries)));
  Foreign batch = std::move(Foreign("+s", 1).Null().Child(Ints({1})).Child(Ints({1})));
  batch.Child(std::move(map)).Link();
  const Outcome outcome = Check(batch, kFull);
  EXPECT_EQ(outcome.error, "text is not UTF-8, at 2.0.1.dictionary");
  EXPECT_EQ(outcome.column, 2);
}

Foreign Nested(int depth) {
  Foreign foreign = Ints({1});
  for (int i = 0; i < depth; i++) {
    foreign = std::move(Foreign("+s", 1).Null().Child(std::move(foreign)));
  }
  return foreign;
}

TEST(Validate, BoundsTheDepth) {
  Foreign most = Nested(kDepthMax);
  EXPECT_EQ(Check(most.Link(), kFull).status, TOMBOLO_OK);
  for (int depth : {kDepthMax + 1, 5000}) {
    Foreign foreign = Nested(depth);
    const Outcome outcome = Check(foreign.Link(), kFull);
    EXPECT_EQ(outcome.status, TOMBOLO_INVALID);
    EXPECT_EQ(outcome.error.find("nesting exceeds 64 levels, at 0.0.0."), 0u) << outcome.error;
  }
}

TEST(Validate, EndsOnCycles) {
  Foreign foreign = std::move(Foreign("+s", 1).Null().Child(Ints({1})).Child(Ints({1})));
  foreign.Link();
  foreign.schema.children[0] = foreign.schema.children[1] = &foreign.schema;
  foreign.array.children[0] = foreign.array.children[1] = &foreign.array;
  EXPECT_EQ(Check(foreign, kFull).status, TOMBOLO_INVALID);
}

// Forty levels that each name the next one twice: no cycle, but 2^40 visits.
TEST(Validate, EndsOnSharedChildren) {
  std::vector<Foreign> levels;
  levels.push_back(Ints({1}));
  for (int i = 0; i < 40; i++) {
    levels.push_back(std::move(Foreign("+s", 1).Null().Child(Ints({1})).Child(Ints({1}))));
  }
  for (size_t i = 0; i < levels.size(); i++) {
    levels[i].Link();
    if (i == 0) continue;
    for (int child : {0, 1}) {
      levels[i].schema.children[child] = &levels[i - 1].schema;
      levels[i].array.children[child] = &levels[i - 1].array;
    }
  }
  const Outcome outcome = Check(levels.back(), kStructure);
  EXPECT_EQ(outcome.status, TOMBOLO_INVALID);
  EXPECT_EQ(outcome.error.find("more structs than the limit"), 0u) << outcome.error;
}

TEST(Validate, ChecksASchemaAlone) {
  Foreign foreign = std::move(Foreign("+s", 1).Null().Child(Foreign("+w:-1")));
  foreign.Link();
  char error[64];
  tombolo_context context = {};
  context.error = error;
  context.error_bytes = sizeof error;
  EXPECT_EQ(validate(&context, &foreign.schema, nullptr, kStructure), TOMBOLO_INVALID);
  EXPECT_STREQ(error, "a format outside the grammar, at 0");
  EXPECT_EQ(validate(&context, nullptr, nullptr, kStructure), TOMBOLO_INVALID);
  EXPECT_EQ(validate(&context, &foreign.schema, nullptr, 0), TOMBOLO_INVALID);
}

TEST(Validate, CutsTheTextToFit) {
  Foreign foreign = Ints({1});
  foreign.Link().array.length = -1;
  char error[8];
  tombolo_context context = {};
  context.error = error;
  context.error_bytes = sizeof error;
  EXPECT_EQ(validate(&context, &foreign.schema, &foreign.array, kStructure), TOMBOLO_INVALID);
  EXPECT_STREQ(error, "a negat");
  context.error_bytes = 0;
  context.error = nullptr;
  EXPECT_EQ(validate(&context, &foreign.schema, &foreign.array, kStructure), TOMBOLO_INVALID);
}

TEST(Validate, SeesACancel) {
  Foreign foreign = Text({0, 1}, "a");
  const int32_t cancel = 1;
  tombolo_context context = {};
  context.cancel = &cancel;
  foreign.Link();
  EXPECT_EQ(validate(&context, &foreign.schema, &foreign.array, kFull), TOMBOLO_CANCELLED);
}

// Null counts at every offset and tail, against a plain count.
TEST(Validate, CountsNullsAtAnyOffset) {
  std::vector<uint8_t> bits(40);
  uint32_t random = 1;
  for (uint8_t& byte : bits) {
    random = random * 1664525 + 1013904223;
    byte = static_cast<uint8_t>(random >> 24);
  }
  for (int64_t offset = 0; offset < 70; offset++) {
    for (int64_t length : {0, 1, 7, 8, 63, 64, 65, 129, 200}) {
      int64_t nulls = 0;
      for (int64_t i = offset; i < offset + length; i++) nulls += 1 - (bits[i / 8] >> (i % 8) & 1);
      std::vector<uint8_t> exact(bits.begin(), bits.begin() + (offset + length + 7) / 8);
      Foreign foreign("c", length);
      foreign.Offset(offset).Values(std::move(exact));
      foreign.Values(std::vector<int8_t>(static_cast<size_t>(offset + length)));
      foreign.Nulls(nulls).Link();
      ASSERT_EQ(Check(foreign, kFull).status, TOMBOLO_OK) << offset << " " << length;
      if (length == 0) continue;
      foreign.array.null_count = nulls == length ? nulls - 1 : nulls + 1;
      ASSERT_EQ(Check(foreign, kFull).status, TOMBOLO_INVALID) << offset << " " << length;
    }
  }
}

}  // namespace
}  // namespace tombolo::testing
