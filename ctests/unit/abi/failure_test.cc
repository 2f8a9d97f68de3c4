// SPDX-License-Identifier: Apache-2.0
//
// Every kernel with an allocator that fails once, at each of its allocations in turn: the call says
// MEMORY, consumes its inputs, leaves nothing to release, and nothing leaks.
#include <gtest/gtest.h>
#include <tombolo/library.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "foreign.h"
#include "memory/allocator.h"

namespace tombolo {
namespace {

using testing::Foreign;

// Passes on to an allocator of ours but for one allocation.
struct FailingAllocator {
  tombolo_allocator table;
  Allocator* inner;
  int64_t fails_at;
  int64_t calls;

  explicit FailingAllocator(int64_t at) : inner(Allocator::open(0, 0)), fails_at(at), calls(0) {
    table.allocate = [](tombolo_allocator* self, int64_t size) -> void* {
      auto* failing = reinterpret_cast<FailingAllocator*>(self);
      return failing->calls++ == failing->fails_at ? nullptr : failing->inner->allocate(size);
    };
    table.free = [](tombolo_allocator* self, void* memory) {
      reinterpret_cast<FailingAllocator*>(self)->inner->free_memory(memory);
    };
  }
  ~FailingAllocator() { inner->close(); }

  bool failed() const { return calls > fails_at; }
  int64_t live() const {
    tombolo_allocator_stats stats;
    inner->stats(&stats);
    return stats.live_count;
  }
};

std::unique_ptr<Foreign> Batch(std::vector<std::function<Foreign()>> columns, int64_t rows) {
  auto batch = std::make_unique<Foreign>("+s", rows);
  batch->Null();
  for (const auto& column : columns) batch->Child(column());
  batch->Link();
  return batch;
}

Foreign Integers() { return std::move(Foreign("l", 4).Null().Values<int64_t>({7, 5, 7, 2})); }
Foreign Small() { return std::move(Foreign("i", 4).Null().Values<int32_t>({0, 3, 1, 2})); }
Foreign Nulls() {
  return std::move(
      Foreign("l", 4).Values<uint8_t>({0b0101}).Values<int64_t>({1, 2, 3, 4}).Nulls(2));
}
Foreign Reals() { return std::move(Foreign("g", 4).Null().Values<double>({1.5, 2, -3, 40})); }
Foreign Mask() { return std::move(Foreign("b", 4).Null().Values<uint8_t>({0b1011})); }
Foreign Times() {
  return std::move(Foreign("tsu:", 4).Null().Values<int64_t>({0, -1, 1LL << 50, 5}));
}
Foreign Text() {
  return std::move(
      Foreign("u", 4).Null().Values<int32_t>({0, 3, 4, 4, 24}).Bytes("abcd01234567890123456789"));
}
Foreign Encoded() {
  return std::move(Foreign("c", 4)
                       .Null()
                       .Values<int8_t>({1, 0, 1, 2})
                       .Dictionary(std::move(Foreign("u", 3)
                                                 .Null()
                                                 .Values<int32_t>({0, 1, 3, 24})
                                                 .Bytes("abcd01234567890123456789"))));
}

struct Input {
  std::vector<std::function<Foreign()>> columns;
};

struct Case {
  const char* name;
  const char* kernel;
  std::vector<Input> inputs;
  std::vector<std::pair<const char*, std::string>> texts;
  const char* object_option;
  const char* object_kind;
  std::vector<std::function<Foreign()>> object;
  int64_t rows_option;
};

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"abs", "abs", {{{Integers}}}, {}, nullptr, nullptr, {}, 0},
      {"add", "add", {{{Integers, Nulls}}}, {}, nullptr, nullptr, {}, 0},
      {"equal text", "equal", {{{Text, Text}}}, {}, nullptr, nullptr, {}, 0},
      {"equal dictionary", "equal", {{{Encoded, Encoded}}}, {}, nullptr, nullptr, {}, 0},
      {"month", "month", {{{Times}}}, {}, nullptr, nullptr, {}, 0},
      {"filter",
       "filter",
       {{{Integers, Nulls, Text, Encoded}}, {{Mask}}},
       {},
       nullptr,
       nullptr,
       {},
       0},
      {"take",
       "take",
       {{{Integers, Nulls, Text, Encoded}}, {{Small}}},
       {},
       nullptr,
       nullptr,
       {},
       0},
      {"take of values", "take", {{{Small}}}, {}, "values", "batch", {Text, Encoded, Nulls}, 0},
      {"index_in integers", "index_in", {{{Integers}}}, {}, "value_set", "value_set", {Small}, 0},
      {"index_in text", "index_in", {{{Text}}}, {}, "value_set", "value_set", {Text}, 0},
      {"index_in dictionary", "index_in", {{{Encoded}}}, {}, "value_set", "value_set", {Text}, 0},
      {"distance",
       "great_circle_distance",
       {{{Reals, Reals, Reals, Reals}}},
       {},
       nullptr,
       nullptr,
       {},
       0},
      {"web mercator", "web_mercator_forward", {{{Reals, Reals}}}, {}, nullptr, nullptr, {}, 0},
      {"group_by two keys",
       "group_by",
       {{{Integers, Text, Reals, Mask}}},
       {{"aggregate", "count:-1:rows"},
        {"aggregate", "count_if:3:late"},
        {"aggregate", "sum:2:sum"},
        {"aggregate", "mean:2:mean"},
        {"aggregate", "min:1:first"}},
       nullptr,
       nullptr,
       {},
       0},
      {"rechunk", "rechunk", {{{Integers, Text, Encoded}}}, {}, nullptr, nullptr, {}, 3},
      {"touch", "touch", {{{Integers, Text, Encoded}}}, {}, nullptr, nullptr, {}, 0},
  };
  return *cases;
}

// One attempt of a case: prepare, bind, and a pass of the kernel's kind.
class Attempt {
 public:
  Attempt(const Case& test, int64_t fails_at) : test_(test), allocator_(fails_at) {
    context_.struct_bytes = sizeof context_;
    context_.allocator = &allocator_.table;
    context_.error = error_;
    context_.error_bytes = sizeof error_;
    context_.simd_level = library_->simd_level;
    for (int64_t i = 0; i < library_->kernel_count; i++) {
      if (std::string(library_->kernels[i].name) == test.kernel) kernel_ = &library_->kernels[i];
    }
  }

  // Returns whether an allocation failed on the way.
  bool Run() {
    for (const Input& input : test_.inputs) inputs_.push_back(Batch(input.columns, 4));
    if (Prepare() && Bind()) Pass();
    if (bound_ != nullptr) kernel_->unbind(bound_);
    if (object_ != nullptr) object_->release(object_);
    EXPECT_EQ(allocator_.live(), 0) << test_.name << ", allocation " << allocator_.fails_at;
    return allocator_.failed();
  }

 private:
  // A failed call says MEMORY, and only after an allocation failed.
  bool Passed(tombolo_status status) {
    if (status == TOMBOLO_OK) {
      EXPECT_FALSE(allocator_.failed()) << test_.name << " hides a failed allocation";
      return true;
    }
    EXPECT_EQ(status, TOMBOLO_MEMORY) << test_.name << ": " << error_;
    EXPECT_TRUE(allocator_.failed()) << test_.name << ": " << error_;
    EXPECT_NE(error_[0], '\0') << test_.name;
    return false;
  }

  bool Prepare() {
    if (test_.object_kind == nullptr) return true;
    values_ = Batch(test_.object, 4);
    const tombolo_status status = library_->prepare(&context_, test_.object_kind, &values_->schema,
                                                    &values_->array, 0, nullptr, &object_);
    EXPECT_EQ(values_->array.release, nullptr) << test_.name;
    return Passed(status);
  }

  std::vector<tombolo_option> Options() {
    std::vector<tombolo_option> options;
    for (const auto& [name, text] : test_.texts) {
      tombolo_option option = {};
      option.name = name;
      option.kind = TOMBOLO_OPTION_TEXT;
      option.text_bytes = static_cast<int64_t>(text.size());
      option.value.text = text.c_str();
      options.push_back(option);
    }
    if (std::string(test_.kernel) == "group_by") {
      for (int64_t key : {0, 1}) options.push_back(Integer("key", key));
    }
    if (test_.rows_option > 0) options.push_back(Integer("rows", test_.rows_option));
    if (object_ != nullptr) {
      tombolo_option option = {};
      option.name = test_.object_option;
      option.kind = TOMBOLO_OPTION_OBJECT;
      option.value.object = object_;
      options.push_back(option);
    }
    return options;
  }

  static tombolo_option Integer(const char* name, int64_t value) {
    tombolo_option option = {};
    option.name = name;
    option.kind = TOMBOLO_OPTION_INTEGER;
    option.value.integer = value;
    return option;
  }

  bool Bind() {
    std::vector<const ArrowSchema*> schemas;
    for (auto& input : inputs_) schemas.push_back(&input->schema);
    const std::vector<tombolo_option> options = Options();
    ArrowSchema output;
    memset(&output, 0xA5, sizeof output);
    const tombolo_status status =
        kernel_->bind(&context_, static_cast<int64_t>(schemas.size()), schemas.data(),
                      static_cast<int64_t>(options.size()), options.data(), &bound_, &output);
    if (Passed(status)) {
      output.release(&output);
      return true;
    }
    EXPECT_EQ(output.release, nullptr) << test_.name;
    EXPECT_EQ(bound_, nullptr) << test_.name;
    return false;
  }

  bool Result(tombolo_status status, ArrowArray* output) {
    if (!Passed(status)) {
      EXPECT_EQ(output->release, nullptr) << test_.name;
      return false;
    }
    const bool something = output->release != nullptr;
    if (something) output->release(output);
    return something;
  }

  void Pass() {
    ArrowArray output;
    memset(&output, 0xA5, sizeof output);
    if (kernel_->kind == TOMBOLO_KERNEL_MAP) {
      std::vector<ArrowArray*> arrays;
      for (auto& input : inputs_) arrays.push_back(&input->array);
      Result(kernel_->run(&context_, bound_, arrays.data(), &output), &output);
      for (ArrowArray* array : arrays) EXPECT_EQ(array->release, nullptr) << test_.name;
      return;
    }
    void* state = nullptr;
    if (!Passed(kernel_->open(&context_, bound_, &state))) {
      EXPECT_EQ(state, nullptr) << test_.name;
      return;
    }
    if (kernel_->kind == TOMBOLO_KERNEL_ACCUMULATE) {
      Accumulate(state, &output);
    } else {
      Emit(state, &output);
    }
    kernel_->close(state);
  }

  void Accumulate(void* state, ArrowArray* output) {
    const bool passed = Passed(kernel_->consume(&context_, bound_, state, &inputs_[0]->array));
    EXPECT_EQ(inputs_[0]->array.release, nullptr) << test_.name;
    if (passed) Result(kernel_->finish(&context_, bound_, state, output), output);
  }

  void Emit(void* state, ArrowArray* output) {
    const bool passed = Passed(kernel_->push(&context_, bound_, state, &inputs_[0]->array));
    EXPECT_EQ(inputs_[0]->array.release, nullptr) << test_.name;
    if (!passed || !Passed(kernel_->push(&context_, bound_, state, nullptr))) return;
    while (Result(kernel_->next(&context_, bound_, state, output), output)) {
    }
  }

  const Case& test_;
  FailingAllocator allocator_;
  const tombolo_library* library_ = tombolo_library_open(TOMBOLO_ABI);
  const tombolo_kernel* kernel_ = nullptr;
  tombolo_context context_ = {};
  char error_[128] = "";
  std::vector<std::unique_ptr<Foreign>> inputs_;
  std::unique_ptr<Foreign> values_;  // an object may keep its batch: the memory lives to the end
  tombolo_object* object_ = nullptr;
  void* bound_ = nullptr;
};

TEST(AllocationFailure, LeavesNothingBehind) {
  for (const Case& test : Cases()) {
    int64_t fails_at = 0;
    while (Attempt(test, fails_at).Run() && !HasFailure()) fails_at++;
    EXPECT_GT(fails_at, 2) << test.name;
    EXPECT_LT(fails_at, 1000) << test.name;
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace tombolo
