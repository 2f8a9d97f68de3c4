// SPDX-License-Identifier: Apache-2.0
//
// index_in and group_by when memory runs out at any allocation, and when they are cancelled: a
// typed status, nothing leaked, states that close.
#include <gtest/gtest.h>
#include <tombolo/library.h>

#include <random>
#include <string>
#include <vector>

#include "foreign.h"
#include "memory/allocator.h"

namespace tombolo {
namespace {

using testing::Foreign;

// Gives memory until its count is used up.
struct Scarce : tombolo_allocator {
  explicit Scarce(int64_t grants) : left(grants) {
    allocate = [](tombolo_allocator* self, int64_t size_bytes) -> void* {
      auto* scarce = static_cast<Scarce*>(self);
      if (scarce->left-- <= 0) return nullptr;
      void* memory = scarce->source->allocate(size_bytes);
      if (memory != nullptr) scarce->live++;
      return memory;
    };
    free = [](tombolo_allocator* self, void* memory) {
      auto* scarce = static_cast<Scarce*>(self);
      if (memory != nullptr) scarce->live--;
      scarce->source->free_memory(memory);
    };
  }
  ~Scarce() { source->close(); }

  Allocator* source = Allocator::open(0, 0);
  int64_t left;
  int64_t live = 0;
};

Foreign texts(int64_t rows, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int32_t> offsets = {0};
  std::string data;
  for (int64_t i = 0; i < rows; i++) {
    data += std::string(random() % 24, static_cast<char>('a' + random() % 3));
    offsets.push_back(static_cast<int32_t>(data.size()));
  }
  Foreign column("u", rows);
  column.Null().Values(offsets).Bytes(data);
  return column;
}

Foreign integers(int64_t rows, int64_t end) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < rows; i++) values.push_back(i * 7919 % end);
  Foreign column("l", rows);
  column.Null().Values(values);
  return column;
}

Foreign codes(int64_t rows) {
  std::vector<int16_t> values;
  std::vector<uint8_t> validity((rows + 7) / 8, 0xf7);
  for (int64_t i = 0; i < rows; i++) values.push_back(static_cast<int16_t>(i % 50));
  Foreign column("s", rows);
  column.Values(validity).Values(values).Nulls(-1).Dictionary(texts(50, 9));
  return column;
}

Foreign floats(int64_t rows) {
  std::vector<double> values;
  for (int64_t i = 0; i < rows; i++) values.push_back(static_cast<double>(i) / 3);
  Foreign column("g", rows);
  column.Null().Values(values);
  return column;
}

tombolo_option integer_option(const char* name, int64_t value) {
  tombolo_option option = {};
  option.name = name;
  option.kind = TOMBOLO_OPTION_INTEGER;
  option.value.integer = value;
  return option;
}

tombolo_option text_option(const char* name, const char* value) {
  tombolo_option option = {};
  option.name = name;
  option.kind = TOMBOLO_OPTION_TEXT;
  option.text_bytes = static_cast<int64_t>(strlen(value));
  option.value.text = value;
  return option;
}

const tombolo_kernel* kernel_named(const char* name) {
  const tombolo_library* library = tombolo_library_open(TOMBOLO_ABI);
  for (int64_t i = 0; i < library->kernel_count; i++) {
    if (strcmp(library->kernels[i].name, name) == 0) return &library->kernels[i];
  }
  return nullptr;
}

tombolo_context context_over(Scarce* scarce) {
  tombolo_context context = {};
  context.struct_bytes = sizeof context;
  context.allocator = scarce;
  context.simd_level = TOMBOLO_SIMD_AVX512;
  return context;
}

void release(ArrowArray* array) {
  if (array->release != nullptr) array->release(array);
}

// Two states over the batch, merged and finished. Returns the first failure.
tombolo_status group(tombolo_context* context, const std::vector<tombolo_option>& options,
                     Foreign* batch) {
  const tombolo_kernel* kernel = kernel_named("group_by");
  const ArrowSchema* schemas[] = {&batch->schema};
  void* bound = nullptr;
  ArrowSchema output;
  tombolo_status status = kernel->bind(context, 1, schemas, static_cast<int64_t>(options.size()),
                                       options.data(), &bound, &output);
  if (status != TOMBOLO_OK) {
    EXPECT_EQ(output.release, nullptr);
    return status;
  }
  output.release(&output);
  void* states[2] = {nullptr, nullptr};
  for (void*& state : states) {
    if (status == TOMBOLO_OK) status = kernel->open(context, bound, &state);
    for (int32_t pass = 0; status == TOMBOLO_OK && pass < 2; pass++) {
      ArrowArray input = batch->array;
      status = kernel->consume(context, bound, state, &input);
      EXPECT_EQ(input.release, nullptr);
    }
  }
  if (status == TOMBOLO_OK) status = kernel->merge(context, bound, states[0], states[1]);
  ArrowArray result;
  result.release = nullptr;
  if (status == TOMBOLO_OK) status = kernel->finish(context, bound, states[0], &result);
  EXPECT_EQ(status == TOMBOLO_OK, result.release != nullptr);
  release(&result);
  kernel->close(states[0]);
  kernel->close(states[1]);
  kernel->unbind(bound);
  return status;
}

Foreign group_batch(int64_t rows) {
  Foreign batch("+s", rows);
  batch.Null().Child(texts(rows, 3)).Child(integers(rows, 300)).Child(codes(rows));
  batch.Child(floats(rows));
  return batch;
}

std::vector<tombolo_option> group_options(int64_t first, int64_t second) {
  return {
      integer_option("key", first),           integer_option("key", second),
      text_option("aggregate", "count:-1:n"), text_option("aggregate", "mean:1:mean"),
      text_option("aggregate", "sum:1:sum"),  text_option("aggregate", "min:0:first"),
      text_option("aggregate", "max:2:last"), text_option("aggregate", "sum:3:total"),
      text_option("aggregate", "count:2:m"),
  };
}

TEST(HashingFaults, GroupByOutOfMemoryAnywhere) {
  Foreign batch = group_batch(2000);
  batch.Link();
  for (const int64_t second : {1, 2}) {
    const std::vector<tombolo_option> options = group_options(0, second);
    tombolo_status status = TOMBOLO_MEMORY;
    int64_t grants = 0;
    for (; status != TOMBOLO_OK; grants++) {
      ASSERT_LT(grants, 1000);
      Scarce scarce(grants);
      tombolo_context context = context_over(&scarce);
      status = group(&context, options, &batch);
      ASSERT_TRUE(status == TOMBOLO_OK || status == TOMBOLO_MEMORY) << status;
      ASSERT_EQ(scarce.live, 0) << grants;
    }
    EXPECT_GT(grants, 30);
  }
}

TEST(HashingFaults, GroupByOverBudget) {
  Foreign batch = group_batch(2000);
  batch.Link();
  Scarce scarce(1 << 20);
  tombolo_context context = context_over(&scarce);
  context.bytes_max = 100000;
  EXPECT_EQ(group(&context, group_options(0, 1), &batch), TOMBOLO_BUDGET);
  EXPECT_EQ(scarce.live, 0);
}

tombolo_status look_up(tombolo_context* context, Foreign* set, Foreign* batch) {
  const tombolo_library* library = tombolo_library_open(TOMBOLO_ABI);
  const tombolo_kernel* kernel = kernel_named("index_in");
  tombolo_object* object = nullptr;
  ArrowArray values = set->array;
  tombolo_status status =
      library->prepare(context, "value_set", &set->schema, &values, 0, nullptr, &object);
  EXPECT_EQ(values.release, nullptr);
  if (status != TOMBOLO_OK) return status;
  tombolo_option option = {};
  option.name = "value_set";
  option.kind = TOMBOLO_OPTION_OBJECT;
  option.value.object = object;
  const ArrowSchema* schemas[] = {&batch->schema};
  void* bound = nullptr;
  ArrowSchema output;
  status = kernel->bind(context, 1, schemas, 1, &option, &bound, &output);
  object->release(object);
  if (status != TOMBOLO_OK) return status;
  output.release(&output);
  ArrowArray input = batch->array;
  ArrowArray* inputs[] = {&input};
  ArrowArray result;
  status = kernel->run(context, bound, inputs, &result);
  EXPECT_EQ(input.release, nullptr);
  EXPECT_EQ(status == TOMBOLO_OK, result.release != nullptr);
  release(&result);
  kernel->unbind(bound);
  return status;
}

TEST(HashingFaults, IndexInOutOfMemoryAnywhere) {
  Foreign set("+s", 300);
  set.Null().Child(integers(300, 300));
  set.Link();
  Foreign numbers("+s", 2000);
  numbers.Null().Child(integers(2000, 400));
  numbers.Link();
  tombolo_status status = TOMBOLO_MEMORY;
  for (int64_t grants = 0; status != TOMBOLO_OK; grants++) {
    ASSERT_LT(grants, 1000);
    Scarce scarce(grants);
    tombolo_context context = context_over(&scarce);
    status = look_up(&context, &set, &numbers);
    ASSERT_TRUE(status == TOMBOLO_OK || status == TOMBOLO_MEMORY) << status;
    ASSERT_EQ(scarce.live, 0) << grants;
  }
}

TEST(HashingFaults, CancelIsSeen) {
  Foreign batch = group_batch(2000);
  batch.Link();
  Foreign set("+s", 300);
  set.Null().Child(integers(300, 300));
  set.Link();
  const int32_t cancel = 1;
  Scarce scarce(1 << 20);
  tombolo_context context = context_over(&scarce);
  context.cancel = &cancel;
  EXPECT_EQ(group(&context, group_options(0, 1), &batch), TOMBOLO_CANCELLED);
  EXPECT_EQ(look_up(&context, &set, &set), TOMBOLO_CANCELLED);
  EXPECT_EQ(scarce.live, 0);
}

}  // namespace
}  // namespace tombolo
