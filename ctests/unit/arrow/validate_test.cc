// SPDX-License-Identifier: Apache-2.0
#include "arrow/validate.h"

#include <gtest/gtest.h>

#include <functional>

#include "foreign.h"

namespace tombolo {
namespace {

using testing::Foreign;

constexpr int32_t kStructure = TOMBOLO_VALIDATE_STRUCTURE;
constexpr int32_t kFull = TOMBOLO_VALIDATE_FULL;

struct Outcome {
  tombolo_status status;
  std::string error;
  int32_t column;
};

Outcome Check(Foreign& foreign, int32_t level) {
  char error[256] = "";
  tombolo_context context = {};
  context.error = error;
  context.error_bytes = sizeof error;
  const tombolo_status status = validate(&context, &foreign.schema, &foreign.array, level);
  return {status, error, context.column};
}

using Make = std::function<Foreign()>;

Foreign Ints(std::vector<int32_t> values) {
  const int64_t length = static_cast<int64_t>(values.size());
  return std::move(Foreign("i", length).Null().Values(std::move(values)));
}

Foreign Text(std::vector<int32_t> offsets, const std::string& data) {
  const int64_t length = static_cast<int64_t>(offsets.size()) - 1;
  return std::move(Foreign("u", length).Null().Values(std::move(offsets)).Bytes(data));
}

struct View {
  int32_t size;
  char prefix[4];
  int32_t buffer;
  int32_t offset;
};

Foreign Views(std::vector<View> views, std::vector<std::string> buffers,
              const char* format = "vu") {
  Foreign foreign(format, static_cast<int64_t>(views.size()));
  foreign.Null().Values(std::move(views));
  std::vector<int64_t> sizes;
  for (const std::string& buffer : buffers) {
    foreign.Bytes(buffer);
    sizes.push_back(static_cast<int64_t>(buffer.size()));
  }
  return std::move(foreign.Values(std::move(sizes)));
}

Foreign Runs(std::vector<int32_t> ends, int64_t length, int64_t values = -1) {
  const int64_t count = values < 0 ? static_cast<int64_t>(ends.size()) : values;
  return std::move(Foreign("+r", length)
                       .Child(Ints(std::move(ends)))
                       .Child(Ints(std::vector<int32_t>(static_cast<size_t>(count)))));
}

Foreign Map(std::vector<int32_t> offsets, int64_t entries) {
  const size_t count = static_cast<size_t>(entries);
  return std::move(Foreign("+m", static_cast<int64_t>(offsets.size()) - 1)
                       .Null()
                       .Values(std::move(offsets))
                       .Child(std::move(Foreign("+s", entries)
                                            .Null()
                                            .Child(Ints(std::vector<int32_t>(count)))
                                            .Child(Ints(std::vector<int32_t>(count))))));
}

// --- What must pass at both levels.

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

// --- What must be refused, and from which level on.

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
}  // namespace tombolo
