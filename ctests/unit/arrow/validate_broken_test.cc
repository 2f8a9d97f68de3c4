// SPDX-License-Identifier: Apache-2.0
//
// What must be refused, and from which level on.
#include "arrow/arrays.h"

#include <gtest/gtest.h>

namespace tombolo::testing {
namespace {

struct Broken {
  const char* rule;
  int32_t level;
  Make make;
  std::function<void(Foreign&)> bend;
};

const auto kAsMade = [](Foreign&) {};

const Broken kBrokenArrays[] = {
    {"a negative length", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.length = -1; }},
    {"a negative offset", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.offset = -1; }},
    {"length and offset overflow", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.offset = INT64_MAX; }},
    {"length and offset overflow", kStructure,
     [] { return std::move(Foreign("w:2000000000", 1).Null().Bytes("x")); },
     [](Foreign& f) { f.array.offset = int64_t{1} << 50; }},
    {"length and offset overflow", kStructure,
     [] { return std::move(Foreign("+w:2000000000", 1).Null().Child(Ints({1}))); },
     [](Foreign& f) { f.array.offset = int64_t{1} << 50; }},
    {"null_count below -1", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.null_count = -2; }},
    {"null_count exceeds length", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.null_count = 2; }},
    {"nulls without a validity buffer", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.null_count = 1; }},
    {"nulls in a layout without validity", kStructure, [] { return Runs({2}, 2); },
     [](Foreign& f) { f.array.null_count = 1; }},
    {"a number of buffers that does not fit the format", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.n_buffers = 3; }},
    {"a number of buffers that does not fit the format", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.n_buffers = 1; }},
    {"a number of buffers that does not fit the format", kStructure,
     [] {
       return Views({{0, "", 0, 0}}, {});
     },
     [](Foreign& f) { f.array.n_buffers = 2; }},
    {"a NULL table of buffers", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.buffers = nullptr; }},
    {"a NULL buffer that is not empty", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.array.buffers[1] = nullptr; }},
    {"a NULL buffer that is not empty", kStructure,
     [] {
       return Text({0, 1}, "a");
     },
     [](Foreign& f) { f.array.buffers[1] = nullptr; }},
    {"a NULL buffer that is not empty", kStructure,
     [] {
       return Text({0, 1}, "a");
     },
     [](Foreign& f) { f.array.buffers[2] = nullptr; }},
    {"a NULL buffer that is not empty", kStructure,
     [] {
       return Views({{0, "", 0, 0}}, {"a"});
     },
     [](Foreign& f) { f.array.buffers[2] = nullptr; }},
    {"a NULL buffer that is not empty", kStructure,
     [] { return std::move(Foreign("+us:0", 1).Null().Child(Ints({1}))); }, kAsMade},
    {"a NULL buffer of variadic sizes", kStructure,
     [] {
       return Views({{0, "", 0, 0}}, {"a"});
     },
     [](Foreign& f) { f.array.buffers[3] = nullptr; }},
    {"a negative variadic size", kStructure,
     [] { return std::move(Foreign("vu").Null().Null().Bytes("x").Values<int64_t>({-1})); },
     kAsMade},
    {"a number of children unlike the schema's", kStructure,
     [] { return std::move(Foreign("+s", 1).Null().Child(Ints({1}))); },
     [](Foreign& f) { f.array.n_children = 0; }},
    {"a number of children that does not fit the format", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.schema.n_children = 1; }},
    {"a number of children that does not fit the format", kStructure,
     [] { return std::move(Foreign("+us:0,1", 0).Null().Child(Ints({}))); }, kAsMade},
    {"a number of children that does not fit the format", kStructure,
     [] { return std::move(Foreign("+s", 0).Null()); },
     [](Foreign& f) { f.schema.n_children = -1; }},
    {"more children than the limit", kStructure, [] { return std::move(Foreign("+s", 0).Null()); },
     [](Foreign& f) { f.schema.n_children = int64_t{1} << 40; }},
    {"a NULL table of children", kStructure,
     [] { return std::move(Foreign("+s", 1).Null().Child(Ints({1}))); },
     [](Foreign& f) { f.schema.children = nullptr; }},
    {"a NULL table of children", kStructure,
     [] { return std::move(Foreign("+s", 1).Null().Child(Ints({1}))); },
     [](Foreign& f) { f.array.children = nullptr; }},
    {"a NULL child", kStructure, [] { return std::move(Foreign("+s", 1).Null().Child(Ints({1}))); },
     [](Foreign& f) { f.schema.children[0] = nullptr; }},
    {"a NULL child", kStructure, [] { return std::move(Foreign("+s", 1).Null().Child(Ints({1}))); },
     [](Foreign& f) { f.array.children[0] = nullptr; }},
    {"a dictionary is missing", kStructure,
     [] { return std::move(Ints({0}).Dictionary(Ints({1}))); },
     [](Foreign& f) { f.array.dictionary = nullptr; }},
    {"a dictionary that the schema does not have", kStructure,
     [] { return std::move(Ints({0}).Dictionary(Ints({1}))); },
     [](Foreign& f) { f.schema.dictionary = nullptr; }},
    {"dictionary indices that are not integers", kStructure,
     [] {
       return std::move(Text({0, 1}, "a").Dictionary(Ints({1})));
     },
     kAsMade},
    {"a format outside the grammar", kStructure, [] { return std::move(Foreign("d:39,0")); },
     kAsMade},
    {"a NULL format", kStructure, [] { return Ints({1}); },
     [](Foreign& f) { f.schema.format = nullptr; }},
    {"a metadata count out of range", kStructure,
     [] { return std::move(Ints({1}).Metadata("\xFF\xFF\xFF\xFF")); }, kAsMade},
    {"a metadata count out of range", kStructure,
     [] { return std::move(Ints({1}).Metadata("\xFF\xFF\xFF\x7F")); }, kAsMade},
    {"a metadata length out of range", kStructure,
     [] { return std::move(Ints({1}).Metadata(std::string("\1\0\0\0\xFE\xFF\xFF\xFF", 8))); },
     kAsMade},
    {"a metadata length out of range", kStructure,
     [] { return std::move(Ints({1}).Metadata(std::string("\1\0\0\0\xFE\xFF\xFF\x7F", 8))); },
     kAsMade},
    {"a child shorter than its parent", kStructure,
     [] { return std::move(Foreign("+s", 2).Null().Child(Ints({1}))); }, kAsMade},
    {"a child shorter than its parent", kStructure,
     [] {
       return std::move(Foreign("+w:2", 2).Null().Child(Ints({1, 2, 3})));
     },
     kAsMade},
    {"a child shorter than its parent", kStructure,
     [] {
       return std::move(Foreign("+us:0", 2).Values<int8_t>({0, 0}).Child(Ints({1})));
     },
     kAsMade},
    {"a map whose child is not a struct of two", kStructure,
     [] {
       return std::move(Foreign("+m", 1).Null().Values<int32_t>({0, 1}).Child(Ints({1})));
     },
     kAsMade},
    {"a map whose child is not a struct of two", kStructure,
     [] {
       return std::move(Foreign("+m", 1).Null().Values<int32_t>({0, 1}).Child(
           std::move(Foreign("+s", 1).Null().Child(Ints({1})))));
     },
     kAsMade},
    {"run ends that are not int16, int32 or int64", kStructure,
     [] {
       return std::move(Foreign("+r", 1)
                            .Child(std::move(Foreign("I", 1).Null().Values<uint32_t>({1})))
                            .Child(Ints({1})));
     },
     kAsMade},
    {"run ends that are nullable", kStructure, [] { return Runs({1}, 1); },
     [](Foreign& f) { f.child(0).schema.flags = ARROW_FLAG_NULLABLE; }},
    {"run ends have nulls", kStructure,
     [] {
       return std::move(
           Foreign("+r", 1)
               .Child(std::move(Foreign("i", 1).Values<uint8_t>({0}).Values<int32_t>({1}).Nulls(1)))
               .Child(Ints({1})));
     },
     kAsMade},
    {"more run ends than values", kStructure,
     [] {
       return Runs({1, 2}, 2, 1);
     },
     kAsMade},
    {"run ends stop before the array does", kStructure, [] { return Runs({}, 1); }, kAsMade},
    {"map keys have nulls", kStructure,
     [] {
       return Map({0, 0}, 0);
     },
     [](Foreign& f) {
       ArrowArray& keys = f.child(0).child(0).array;
       static const uint8_t bits = 0;
       keys.length = keys.null_count = 1;
       keys.buffers[0] = &bits;
     }},
    {"offsets that are negative or decrease", kStructure,
     [] {
       return Text({-1, 1}, "a");
     },
     kAsMade},
    {"offsets that are negative or decrease", kStructure,
     [] {
       return Text({1, 0}, "a");
     },
     kAsMade},
    {"offsets past the child", kStructure,
     [] {
       return std::move(Foreign("+l", 1).Null().Values<int32_t>({0, 4}).Child(Ints({1, 2, 3})));
     },
     kAsMade},
    {"offsets past the child", kStructure,
     [] {
       return Map({0, 4}, 3);
     },
     kAsMade},

    {"offsets decrease", kFull,
     [] {
       return Text({0, 3, 1, 3}, "abc");
     },
     kAsMade},
    {"offsets decrease", kFull,
     [] {
       return Text({0, -5, 3}, "abc");
     },
     kAsMade},
    {"offsets decrease", kFull,
     [] {
       return std::move(
           Foreign("+L", 3).Null().Values<int64_t>({0, 3, 2, 3}).Child(Ints({1, 2, 3})));
     },
     kAsMade},
    {"offsets decrease", kFull,
     [] {
       return Map({0, 2, 1, 2}, 2);
     },
     kAsMade},
    {"text is not UTF-8", kFull,
     [] {
       return Text({0, 1, 2}, "\xC3\xA9");
     },
     kAsMade},
    {"text is not UTF-8", kFull,
     [] {
       return Text({0, 1}, "\xFF");
     },
     kAsMade},
    {"text is not UTF-8", kFull,
     [] {
       return Views({{1, "\xFF", 0, 0}}, {});
     },
     kAsMade},
    {"text is not UTF-8", kFull,
     [] {
       return Views({{13, {'a', 'b', 'c', 'd'}, 0, 0}}, {"abcdefghijkl\x80"});
     },
     kAsMade},
    {"a view has a negative size", kFull,
     [] {
       return Views({{-1, "", 0, 0}}, {});
     },
     kAsMade},
    {"a view names no buffer", kFull,
     [] {
       return Views({{13, "", 0, 0}}, {});
     },
     kAsMade},
    {"a view names no buffer", kFull,
     [] {
       return Views({{13, "", -1, 0}}, {"a"});
     },
     kAsMade},
    {"a view lies outside its buffer", kFull,
     [] {
       return Views({{13, "", 0, 0}}, {"abc"});
     },
     kAsMade},
    {"a view lies outside its buffer", kFull,
     [] {
       return Views({{13, "", 0, -1}}, {"abcdefghijklmnop"});
     },
     kAsMade},
    {"a view lies outside its buffer", kFull,
     [] {
       return Views({{13, "", 0, INT32_MAX}}, {"abcdefghijklmnop"});
     },
     kAsMade},
    {"a view's prefix differs from its value", kFull,
     [] {
       return Views({{13, {'x', 'b', 'c', 'd'}, 0, 0}}, {"abcdefghijklm"});
     },
     kAsMade},
    {"a dictionary index is out of range", kFull,
     [] {
       return std::move(Ints({0, 1}).Dictionary(Ints({1})));
     },
     kAsMade},
    {"a dictionary index is out of range", kFull,
     [] { return std::move(Ints({-1}).Dictionary(Ints({1}))); }, kAsMade},
    {"a dictionary index is out of range", kFull,
     [] {
       return std::move(
           Foreign("L", 1).Null().Values<uint64_t>({UINT64_MAX}).Dictionary(Ints({1})));
     },
     kAsMade},
    {"a list view lies outside its child", kFull,
     [] {
       return std::move(Foreign("+vl", 1).Null().Values<int32_t>({2}).Values<int32_t>({2}).Child(
           Ints({1, 2, 3})));
     },
     kAsMade},
    {"a list view lies outside its child", kFull,
     [] {
       return std::move(Foreign("+vL", 1)
                            .Null()
                            .Values<int64_t>({INT64_MAX})
                            .Values<int64_t>({1})
                            .Child(Ints({1, 2, 3})));
     },
     kAsMade},
    {"a list view lies outside its child", kFull,
     [] {
       return std::move(
           Foreign("+vl", 1).Null().Values<int32_t>({0}).Values<int32_t>({-1}).Child(Ints({1})));
     },
     kAsMade},
    {"a union id is not declared", kFull,
     [] { return std::move(Foreign("+us:7", 1).Values<int8_t>({0}).Child(Ints({1}))); }, kAsMade},
    {"a union id is not declared", kFull,
     [] { return std::move(Foreign("+us:7", 1).Values<int8_t>({-7}).Child(Ints({1}))); }, kAsMade},
    {"a union offset lies outside its child", kFull,
     [] {
       return std::move(
           Foreign("+ud:7", 1).Values<int8_t>({7}).Values<int32_t>({1}).Child(Ints({1})));
     },
     kAsMade},
    {"a union offset lies outside its child", kFull,
     [] {
       return std::move(
           Foreign("+ud:7", 1).Values<int8_t>({7}).Values<int32_t>({-1}).Child(Ints({1})));
     },
     kAsMade},
    {"union offsets decrease", kFull,
     [] {
       return std::move(
           Foreign("+ud:7", 2).Values<int8_t>({7, 7}).Values<int32_t>({1, 0}).Child(Ints({1, 2})));
     },
     kAsMade},
    {"run ends start below 1", kFull,
     [] {
       return Runs({0, 2}, 2);
     },
     kAsMade},
    {"run ends do not increase", kFull,
     [] {
       return Runs({2, 2}, 2);
     },
     kAsMade},
    {"run ends stop before the array does", kFull,
     [] {
       return Runs({1, 2}, 3);
     },
     kAsMade},
    {"a decimal exceeds its precision", kFull,
     [] { return std::move(Foreign("d:3,1,32", 1).Null().Values<int32_t>({1000})); }, kAsMade},
    {"a decimal exceeds its precision", kFull,
     [] { return std::move(Foreign("d:3,1,64", 1).Null().Values<int64_t>({-1000})); }, kAsMade},
    {"a decimal exceeds its precision", kFull,
     [] {
       return std::move(Foreign("d:38,0", 1).Null().Values<uint64_t>({0, 1ull << 63}));
     },
     kAsMade},
    {"a decimal exceeds its precision", kFull,
     [] {
       return std::move(Foreign("d:76,0,256", 1).Null().Values<uint64_t>({0, 0, 0, 1ull << 62}));
     },
     kAsMade},
    {"null_count differs from the values", kFull,
     [] {
       return std::move(Foreign("i", 2).Values<uint8_t>({0b01}).Values<int32_t>({1, 2}).Nulls(2));
     },
     kAsMade},
    {"null_count differs from the values", kFull,
     [] {
       return std::move(Foreign("i", 2).Values<uint8_t>({0b01}).Values<int32_t>({1, 2}).Nulls(0));
     },
     kAsMade},
    {"null_count differs from the values", kFull,
     [] { return std::move(Foreign("n", 5).Nulls(3)); }, kAsMade},
};

TEST(Validate, RefusesBrokenArrays) {
  for (const Broken& broken : kBrokenArrays) {
    for (int32_t level : {kStructure, kFull}) {
      Foreign foreign = broken.make();
      foreign.Link();
      broken.bend(foreign);
      const Outcome outcome = Check(foreign, level);
      if (level < broken.level) {
        EXPECT_EQ(outcome.status, TOMBOLO_OK) << broken.rule << ": " << outcome.error;
        continue;
      }
      EXPECT_EQ(outcome.status, TOMBOLO_INVALID) << broken.rule;
      EXPECT_EQ(outcome.error, std::string(broken.rule) + ", at the root");
      EXPECT_EQ(outcome.column, -1);
    }
  }
}

}  // namespace
}  // namespace tombolo::testing
