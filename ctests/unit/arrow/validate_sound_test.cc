// SPDX-License-Identifier: Apache-2.0
//
// What must pass at both levels.
#include "arrow/arrays.h"

#include <gtest/gtest.h>

namespace tombolo::testing {
namespace {

struct Sound {
  const char* name;
  Make make;
};

const Sound kSoundArrays[] = {
    {"null", [] { return std::move(Foreign("n", 5).Nulls(5)); }},
    {"null of unknown count", [] { return std::move(Foreign("n", 5).Nulls(-1)); }},
    {"bool",
     [] {
       return std::move(Foreign("b", 9).Null().Values<uint8_t>({1, 1}));
     }},
    {"int32",
     [] {
       return Ints({1, 2, 3});
     }},
    {"empty without buffers", [] { return std::move(Foreign("i").Null().Null()); }},
    {"empty at an offset", [] { return std::move(Foreign("i").Offset(8).Null().Null()); }},
    {"empty text without offsets", [] { return std::move(Foreign("u").Null().Null().Null()); }},
    {"text",
     [] {
       return Text({0, 1, 3}, "abc");
     }},
    {"text from a later offset",
     [] {
       return Text({2, 2, 3}, "abc");
     }},
    {"empty strings without data",
     [] {
       return std::move(Foreign("u", 2).Null().Values<int32_t>({0, 0, 0}).Null());
     }},
    {"empty strings past zero without data",
     [] {
       return std::move(Foreign("u", 1).Null().Values<int32_t>({7, 7}).Null());
     }},
    {"large text",
     [] {
       return std::move(Foreign("U", 1).Null().Values<int64_t>({0, 2}).Bytes("\xC3\xA9"));
     }},
    {"nulls, counted",
     [] {
       return std::move(
           Foreign("i", 3).Values<uint8_t>({0b101}).Values<int32_t>({1, 2, 3}).Nulls(1));
     }},
    {"nulls, not counted",
     [] {
       return std::move(
           Foreign("i", 3).Values<uint8_t>({0b101}).Values<int32_t>({1, 2, 3}).Nulls(-1));
     }},
    {"count unknown, no bitmap",
     [] {
       return std::move(Foreign("i", 2).Null().Values<int32_t>({1, 2}).Nulls(-1));
     }},
    {"bad text under a null",
     [] {
       return std::move(
           Foreign("u", 2).Values<uint8_t>({0b10}).Values<int32_t>({0, 1, 2}).Bytes("\xFFz").Nulls(
               1));
     }},
    {"index out of range under a null",
     [] {
       return std::move(
           Foreign("c", 2).Values<uint8_t>({0b10}).Values<int8_t>({99, 1}).Nulls(1).Dictionary(
               Text({0, 1, 2}, "ab")));
     }},
    {"dictionary",
     [] {
       return std::move(
           Foreign("S", 3).Null().Values<uint16_t>({0, 1, 1}).Dictionary(Text({0, 1, 2}, "ab")));
     }},
    {"views",
     [] {
       return Views({{3, "abc", 0, 0}, {13, {'0', '1', '2', '3'}, 1, 1}}, {"", "x0123456789abc"});
     }},
    {"views without buffers",
     [] {
       return Views({{0, "", 0, 0}}, {}, "vz");
     }},
    {"views without sizes", [] { return std::move(Foreign("vu").Null().Null().Null()); }},
    {"list",
     [] {
       return std::move(Foreign("+l", 2).Null().Values<int32_t>({0, 1, 3}).Child(Ints({1, 2, 3})));
     }},
    {"list views out of order and overlapping",
     [] {
       return std::move(
           Foreign("+vl", 3).Null().Values<int32_t>({2, 0, 1}).Values<int32_t>({1, 3, 2}).Child(
               Ints({1, 2, 3})));
     }},
    {"fixed-size list at an offset",
     [] {
       return std::move(Foreign("+w:2", 1).Offset(1).Null().Child(Ints({1, 2, 3, 4})));
     }},
    {"struct without children", [] { return std::move(Foreign("+s", 5).Null()); }},
    {"struct over longer children",
     [] {
       return std::move(Foreign("+s", 1).Offset(1).Null().Child(Ints({1, 2, 3})));
     }},
    {"map",
     [] {
       return Map({0, 2, 3}, 3);
     }},
    {"sparse union",
     [] {
       return std::move(Foreign("+us:7,5", 2)
                            .Values<int8_t>({5, 7})
                            .Child(Ints({1, 2}))
                            .Child(Text({0, 1, 2}, "ab")));
     }},
    {"dense union",
     [] {
       return std::move(Foreign("+ud:7,5", 3)
                            .Values<int8_t>({5, 7, 5})
                            .Values<int32_t>({0, 0, 1})
                            .Child(Ints({1}))
                            .Child(Text({0, 1, 2}, "ab")));
     }},
    {"run ends",
     [] {
       return Runs({2, 5}, 5);
     }},
    {"run ends at an offset",
     [] {
       return std::move(Runs({2, 5}, 3).Offset(2));
     }},
    {"run ends, empty", [] { return Runs({}, 0); }},
    {"decimal32",
     [] {
       return std::move(Foreign("d:3,1,32", 2).Null().Values<int32_t>({999, -999}));
     }},
    {"decimal128",
     [] {
       return std::move(Foreign("d:38,0", 1).Null().Values<uint64_t>({~0ull, ~0ull}));
     }},
    {"decimal256",
     [] {
       return std::move(Foreign("d:76,0,256", 1).Null().Values<uint64_t>({1, 2, 3, 0}));
     }},
    {"metadata",
     [] { return std::move(Ints({1}).Metadata(std::string("\1\0\0\0\1\0\0\0k\0\0\0\0", 13))); }},
    {"unknown flags", [] { return std::move(Ints({1}).Flags(1 << 30)); }},
};

TEST(Validate, TakesSoundArrays) {
  for (const Sound& sound : kSoundArrays) {
    for (int32_t level : {kStructure, kFull}) {
      Foreign foreign = sound.make();
      const Outcome outcome = Check(foreign.Link(), level);
      EXPECT_EQ(outcome.status, TOMBOLO_OK) << sound.name << ": " << outcome.error;
      EXPECT_NE(foreign.array.release, nullptr);
    }
  }
}

TEST(Validate, TakesSoundArraysInsideAStruct) {
  for (const Sound& sound : kSoundArrays) {
    Foreign child = sound.make();
    const int64_t length = child.array.length;
    Foreign foreign = std::move(Foreign("+s", length).Null().Child(std::move(child)));
    const Outcome outcome = Check(foreign.Link(), kFull);
    EXPECT_EQ(outcome.status, TOMBOLO_OK) << sound.name << ": " << outcome.error;
  }
}

TEST(Validate, ReadsUnalignedBuffers) {
  std::vector<char> memory(8 * 4 + 1);
  Foreign foreign =
      std::move(Foreign("+L", 3).Null().Values<int64_t>({0, 0, 0, 0}).Child(Ints({})));
  foreign.Link();
  foreign.array.buffers[1] = memory.data() + 1;
  EXPECT_EQ(Check(foreign, kFull).status, TOMBOLO_OK);
}

}  // namespace
}  // namespace tombolo::testing
