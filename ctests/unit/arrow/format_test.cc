// SPDX-License-Identifier: Apache-2.0
#include "arrow/format.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tombolo {
namespace {

struct Known {
  const char* format;
  TypeId id;
  int32_t width;
};

TEST(Format, PlainTypes) {
  const Known kKnown[] = {
      {"n", TypeId::kNull, 0},
      {"b", TypeId::kBool, 0},
      {"c", TypeId::kInt8, 1},
      {"C", TypeId::kUInt8, 1},
      {"s", TypeId::kInt16, 2},
      {"S", TypeId::kUInt16, 2},
      {"i", TypeId::kInt32, 4},
      {"I", TypeId::kUInt32, 4},
      {"l", TypeId::kInt64, 8},
      {"L", TypeId::kUInt64, 8},
      {"e", TypeId::kFloat16, 2},
      {"f", TypeId::kFloat32, 4},
      {"g", TypeId::kFloat64, 8},
      {"z", TypeId::kBinary, 0},
      {"Z", TypeId::kLargeBinary, 0},
      {"vz", TypeId::kBinaryView, 0},
      {"u", TypeId::kUtf8, 0},
      {"U", TypeId::kLargeUtf8, 0},
      {"vu", TypeId::kUtf8View, 0},
      {"w:16", TypeId::kFixedSizeBinary, 16},
      {"w:0", TypeId::kFixedSizeBinary, 0},
      {"w:2147483647", TypeId::kFixedSizeBinary, INT32_MAX},
      {"d:9,2,32", TypeId::kDecimal, 4},
      {"d:18,-3,64", TypeId::kDecimal, 8},
      {"d:38,10", TypeId::kDecimal, 16},
      {"d:38,10,128", TypeId::kDecimal, 16},
      {"d:76,0,256", TypeId::kDecimal, 32},
      {"tdD", TypeId::kDate32, 4},
      {"tdm", TypeId::kDate64, 8},
      {"tts", TypeId::kTime32, 4},
      {"ttm", TypeId::kTime32, 4},
      {"ttu", TypeId::kTime64, 8},
      {"ttn", TypeId::kTime64, 8},
      {"tss:", TypeId::kTimestamp, 8},
      {"tsn:Europe/Paris", TypeId::kTimestamp, 8},
      {"tDs", TypeId::kDuration, 8},
      {"tDn", TypeId::kDuration, 8},
      {"tiM", TypeId::kIntervalMonths, 4},
      {"tiD", TypeId::kIntervalDayTime, 8},
      {"tin", TypeId::kIntervalMonthDayNano, 16},
      {"+l", TypeId::kList, 0},
      {"+L", TypeId::kLargeList, 0},
      {"+vl", TypeId::kListView, 0},
      {"+vL", TypeId::kLargeListView, 0},
      {"+w:3", TypeId::kFixedSizeList, 0},
      {"+s", TypeId::kStruct, 0},
      {"+m", TypeId::kMap, 0},
      {"+ud:0,5", TypeId::kDenseUnion, 0},
      {"+us:127", TypeId::kSparseUnion, 0},
      {"+us:", TypeId::kSparseUnion, 0},
      {"+r", TypeId::kRunEndEncoded, 0},
  };
  for (const Known& known : kKnown) {
    DataType type;
    ASSERT_TRUE(parse_format(known.format, &type)) << known.format;
    EXPECT_EQ(type.id, known.id) << known.format;
    EXPECT_EQ(type.width, known.width) << known.format;
  }
}

TEST(Format, Parameters) {
  DataType type;
  ASSERT_TRUE(parse_format("d:12,-4,64", &type));
  EXPECT_EQ(type.precision, 12);
  EXPECT_EQ(type.scale, -4);
  ASSERT_TRUE(parse_format("tsu:America/New_York", &type));
  EXPECT_EQ(type.unit, TimeUnit::kMicro);
  EXPECT_STREQ(type.parameters, "America/New_York");
  ASSERT_TRUE(parse_format("tsm:", &type));
  EXPECT_STREQ(type.parameters, "");
  ASSERT_TRUE(parse_format("+w:7", &type));
  EXPECT_EQ(type.list_size, 7);
  ASSERT_TRUE(parse_format("+ud:7,5,127", &type));
  EXPECT_EQ(type.union_count, 3);
  int8_t child_of[kUnionIdsMax];
  union_children(type, child_of);
  EXPECT_EQ(child_of[7], 0);
  EXPECT_EQ(child_of[5], 1);
  EXPECT_EQ(child_of[127], 2);
  EXPECT_EQ(child_of[0], -1);
}

TEST(Format, OutsideTheGrammar) {
  const char* const kBad[] = {
      "",
      "x",
      "ii",
      "v",
      "vx",
      "vul",
      "w",
      "w:",
      "w:-1",
      "w:+1",
      "w: 1",
      "w:1x",
      "w:2147483648",
      "w:99999999999999999999",
      "+w:",
      "+w:-2",
      "+w:3,",
      "d:",
      "d:0,0",
      "d:39,0",
      "d:10,0,32",
      "d:19,0,64",
      "d:77,0,256",
      "d:5,2,48",
      "d:5,2,128,",
      "d:5",
      "d:5,",
      "d:,2",
      "d:5,2,",
      "t",
      "td",
      "tdd",
      "tdDx",
      "tt",
      "ttx",
      "ttsx",
      "ts",
      "tss",
      "tsx:",
      "tD",
      "tDx",
      "tDss",
      "ti",
      "tix",
      "tiMx",
      "+",
      "+x",
      "+ll",
      "+v",
      "+vx",
      "+sx",
      "+mx",
      "+rx",
      "+u",
      "+ux:0",
      "+ud",
      "+ud:-1",
      "+ud:128",
      "+ud:0,0",
      "+ud:0,",
      "+ud:,0",
      "+us:0;1",
      "+us:1,2,1",
  };
  DataType type;
  EXPECT_FALSE(parse_format(nullptr, &type));
  for (const char* bad : kBad) EXPECT_FALSE(parse_format(bad, &type)) << bad;
}

TEST(Format, EveryPrefixIsReadWithinItsBounds) {
  for (const char* format : {"d:38,-10,256", "tsn:UTC", "+ud:0,1,2", "+w:12", "vu", "tin"}) {
    const std::string text(format);
    for (size_t size = 0; size <= text.size(); size++) {
      const std::unique_ptr<char[]> exact(new char[size + 1]);
      memcpy(exact.get(), text.data(), size);
      exact[size] = '\0';
      DataType type;
      const bool known = parse_format(exact.get(), &type);
      EXPECT_TRUE(known || size < text.size()) << text;
    }
  }
}

TEST(Format, Layouts) {
  EXPECT_EQ(buffer_count(TypeId::kNull), 0);
  EXPECT_EQ(buffer_count(TypeId::kInt32), 2);
  EXPECT_EQ(buffer_count(TypeId::kUtf8), 3);
  EXPECT_EQ(buffer_count(TypeId::kUtf8View), -1);
  EXPECT_EQ(buffer_count(TypeId::kList), 2);
  EXPECT_EQ(buffer_count(TypeId::kMap), 2);
  EXPECT_EQ(buffer_count(TypeId::kListView), 3);
  EXPECT_EQ(buffer_count(TypeId::kFixedSizeList), 1);
  EXPECT_EQ(buffer_count(TypeId::kStruct), 1);
  EXPECT_EQ(buffer_count(TypeId::kSparseUnion), 1);
  EXPECT_EQ(buffer_count(TypeId::kDenseUnion), 2);
  EXPECT_EQ(buffer_count(TypeId::kRunEndEncoded), 0);
  EXPECT_EQ(child_count(TypeId::kInt32), 0);
  EXPECT_EQ(child_count(TypeId::kMap), 1);
  EXPECT_EQ(child_count(TypeId::kRunEndEncoded), 2);
  EXPECT_EQ(child_count(TypeId::kStruct), -1);
}

}  // namespace
}  // namespace tombolo
