// SPDX-License-Identifier: Apache-2.0
//
// column_run.h: columns written by hand, a map kernel run over them through the C ABI, and its
// result read back row by row.
#pragma once

#include <gtest/gtest.h>
#include <tombolo/library.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "foreign.h"
#include "memory/allocator.h"

namespace tombolo::testing {

// Counts what is live, refuses memory from an allocation on, or raises a cancel flag at one.
struct Watched : tombolo_allocator {
  Watched() {
    allocate = [](tombolo_allocator* self, int64_t size_bytes) -> void* {
      auto* watched = static_cast<Watched*>(self);
      const int64_t number = watched->count++;
      if (number == watched->cancel_at) watched->cancel = 1;
      if (number == watched->fail_at) return nullptr;
      void* memory = watched->source->allocate(size_bytes);
      if (memory != nullptr) watched->live++;
      return memory;
    };
    free = [](tombolo_allocator* self, void* memory) {
      auto* watched = static_cast<Watched*>(self);
      if (memory != nullptr) watched->live--;
      watched->source->free_memory(memory);
    };
  }
  ~Watched() { source->close(); }

  Allocator* source = Allocator::open(0, 0);
  int64_t count = 0;
  int64_t live = 0;
  int64_t fail_at = -1;
  int64_t cancel_at = -1;
  int64_t bytes_max = 0;
  int32_t cancel = 0;
  int32_t level = TOMBOLO_SIMD_AVX512;
};

// A bitmap with offset set bits before the first.
inline std::vector<uint8_t> bits_of(const std::vector<bool>& bits, int64_t offset) {
  std::vector<uint8_t> bytes((bits.size() + offset + 7) / 8, 0);
  for (int64_t i = 0; i < offset; i++) bytes[i / 8] |= 1 << (i % 8);
  for (size_t i = 0; i < bits.size(); i++) {
    if (bits[i]) bytes[(i + offset) / 8] |= 1 << ((i + offset) % 8);
  }
  return bytes;
}

// A column of rows, null where there is none; a slot under a null holds under.
template <class T>
Foreign column(const char* format, const std::vector<std::optional<T>>& rows, int64_t offset = 0,
               T under = T{}) {
  std::vector<bool> valid;
  std::vector<T> values;
  for (int64_t i = 0; i < offset; i++) values.push_back(under);
  for (const auto& row : rows) {
    valid.push_back(row.has_value());
    values.push_back(row.value_or(under));
  }
  Foreign made(format, static_cast<int64_t>(rows.size()));
  made.Values(bits_of(valid, offset));
  if constexpr (std::is_same_v<T, bool>) {
    made.Values(bits_of({values.begin() + offset, values.end()}, offset));
  } else {
    made.Values(values);
  }
  made.Offset(offset).Nulls(-1);
  return made;
}

// Linked batches stay where they are: their parts point at each other.
using Batches = std::vector<std::unique_ptr<Foreign>>;

inline std::unique_ptr<Foreign> linked(int64_t rows, std::vector<Foreign> columns) {
  auto batch = std::make_unique<Foreign>("+s", rows);
  batch->Null();
  for (Foreign& column : columns) batch->Child(std::move(column));
  batch->Link();
  return batch;
}

// Binds, runs and unbinds. result is released unless the status is OK.
inline tombolo_status run(Watched* memory, const char* name, const Batches& inputs,
                          const std::vector<tombolo_option>& options, ArrowArray* result) {
  const tombolo_library* library = tombolo_library_open(TOMBOLO_ABI);
  const tombolo_kernel* kernel = nullptr;
  for (int64_t i = 0; i < library->kernel_count; i++) {
    if (strcmp(library->kernels[i].name, name) == 0) kernel = &library->kernels[i];
  }
  tombolo_context context = {};
  context.struct_bytes = sizeof context;
  context.allocator = memory;
  context.cancel = &memory->cancel;
  context.bytes_max = memory->bytes_max;
  context.simd_level = memory->level;
  std::vector<const ArrowSchema*> schemas;
  std::vector<ArrowArray> arrays;
  for (const auto& input : inputs) {
    schemas.push_back(&input->schema);
    arrays.push_back(input->array);
  }
  std::vector<ArrowArray*> pointers;
  for (ArrowArray& array : arrays) pointers.push_back(&array);
  result->release = nullptr;
  void* bound = nullptr;
  ArrowSchema output;
  tombolo_status status =
      kernel->bind(&context, static_cast<int64_t>(schemas.size()), schemas.data(),
                   static_cast<int64_t>(options.size()), options.data(), &bound, &output);
  if (status != TOMBOLO_OK) return status;
  output.release(&output);
  status = kernel->run(&context, bound, pointers.data(), result);
  for (const ArrowArray& array : arrays) EXPECT_EQ(array.release, nullptr);
  EXPECT_EQ(status == TOMBOLO_OK, result->release != nullptr);
  kernel->unbind(bound);
  return status;
}

// The rows of the first column of a result; what lies under a null must be zero.
template <class T>
std::vector<std::optional<T>> rows_of(const ArrowArray& result) {
  const ArrowArray& column = *result.children[0];
  const auto* valid = static_cast<const uint8_t*>(column.buffers[0]);
  EXPECT_EQ(column.offset, 0);
  EXPECT_EQ(valid == nullptr, column.null_count == 0);
  std::vector<std::optional<T>> rows;
  for (int64_t i = 0; i < column.length; i++) {
    T value;
    if constexpr (std::is_same_v<T, bool>) {
      value = static_cast<const uint8_t*>(column.buffers[1])[i / 8] >> (i % 8) & 1;
    } else {
      value = static_cast<const T*>(column.buffers[1])[i];
    }
    if (valid == nullptr || (valid[i / 8] >> (i % 8) & 1) != 0) {
      rows.push_back(value);
    } else {
      EXPECT_EQ(value, T{}) << "under the null of row " << i;
      rows.push_back(std::nullopt);
    }
  }
  return rows;
}

// Runs at every level of the machine and reads the first column; an empty answer after a failure.
template <class T>
std::vector<std::optional<T>> answer(const char* name, const Batches& inputs,
                                     const std::vector<tombolo_option>& options = {},
                                     tombolo_status want = TOMBOLO_OK) {
  std::vector<std::optional<T>> rows;
  for (int32_t level = TOMBOLO_SIMD_BASE; level <= TOMBOLO_SIMD_AVX512; level++) {
    Watched memory;
    memory.level = level;
    ArrowArray result;
    const tombolo_status status = run(&memory, name, inputs, options, &result);
    EXPECT_EQ(status, want) << name << " at level " << level;
    if (status == TOMBOLO_OK) {
      auto found = rows_of<T>(result);
      if (level > TOMBOLO_SIMD_BASE) {
        EXPECT_EQ(found, rows) << name << " at level " << level;
      }
      rows = std::move(found);
      result.release(&result);
    }
    EXPECT_EQ(memory.live, 0) << name << " at level " << level;
  }
  return rows;
}

}  // namespace tombolo::testing
