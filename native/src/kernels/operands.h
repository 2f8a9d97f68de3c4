// SPDX-License-Identifier: Apache-2.0
//
// The operands of a binary kernel: two columns, or one column and a prepared scalar.
#pragma once

#include "arrow/validity.h"
#include "kernels/kernel.h"

namespace tombolo {
inline namespace v0 {

// One side at run time. A scalar is a column of one row that stands for every row.
struct Operand {
  ColumnView view;
  bool scalar = false;

  bool null_scalar() const noexcept { return scalar && !valid_at(view, 0); }
};

class OperandPair {
 public:
  // Reads the option right and checks the columns of the one input: their number, that accept
  // takes the type of the values, and that both sides have it. Dictionary columns count by their
  // values where encoded_taken says so.
  Status bind(Context& context, const BoundKernel& kernel, const Options& options,
              bool (*accept)(const DataType&), bool encoded_taken) noexcept;

  // The type of the values.
  const DataType& type() const noexcept { return type_; }
  // Its format string; it lives as long as the kernel's input schema.
  const char* format() const noexcept { return format_; }

  void open(const BatchView& batch, Operand* left, Operand* right) const noexcept;

 private:
  ObjectRef<BatchObject> right_;
  DataType type_;
  const char* format_ = nullptr;
};

// The rows where both sides are there; a scalar is not looked at.
Status operand_validity(Context& context, const Operand& left, const Operand& right, int64_t rows,
                        Validity* out) noexcept;

// Writes 64 copies of a scalar's fixed-width value.
void spread_scalar(const ColumnView& scalar, void* out) noexcept;

// The schema of most results: one nullable field.
Status result_schema(Context& context, const char* format, ArrowSchema* output) noexcept;

// Opens a batch of one column with two buffers.
Status open_result(Context& context, ArrowArray* output, int64_t rows) noexcept;

// Opens the values of a fixed-width column and gives it a validity.
void* result_values(Context& context, ArrowArray* column, int64_t size_bytes, Validity&& validity,
                    Status* status) noexcept;

// Makes all of a two-buffer column null.
Status all_null(Context& context, ArrowArray* column, int64_t value_bytes) noexcept;

// An array that is released at the end of its scope.
struct OwnedArray {
  ArrowArray array;
  OwnedArray() noexcept { array.release = nullptr; }
  OwnedArray(const OwnedArray&) = delete;
  OwnedArray& operator=(const OwnedArray&) = delete;
  ~OwnedArray() noexcept { consume_array(&array); }
};

}  // namespace v0
}  // namespace tombolo
