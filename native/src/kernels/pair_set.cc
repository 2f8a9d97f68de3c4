// SPDX-License-Identifier: Apache-2.0
#include "kernels/key_set.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr int64_t kSideMin = 64;

// Bounds the entries of the matrix: 1 MiB.
constexpr int64_t kMatrixMax = int64_t{1} << 18;

constexpr int64_t kEntryBytes = static_cast<int64_t>(sizeof(int32_t));
constexpr int64_t kPairBytes = static_cast<int64_t>(sizeof(uint64_t));

uint64_t pair_of(int32_t first, int32_t second) noexcept {
  return static_cast<uint64_t>(first) << 32 | static_cast<uint32_t>(second);
}

}  // namespace

Status PairSet::open(Context& context) noexcept {
  height_ = kSideMin;
  width_ = kSideMin;
  count_ = 0;
  pairs_.reset();
  table_ = HashTable();
  return matrix_.allocate_zeroed(context, height_ * width_ * kEntryBytes);
}

Status PairSet::number(Context& context, const HashOps& ops, int32_t* firsts,
                       const int32_t* seconds, int64_t count, int64_t first_count,
                       int64_t second_count) noexcept {
  if (matrix_.data() != nullptr && (first_count > height_ || second_count > width_)) {
    const Status status = resize(context, first_count, second_count);
    if (status != TOMBOLO_OK) return status;
  }
  if (matrix_.data() == nullptr) return number_by_table(context, ops, firsts, seconds, count);
  if (count <= 0) return TOMBOLO_OK;
  auto* matrix = matrix_.as<int32_t>();
  int32_t numbers[kKeyBlockRows];
  if (ops.look_up_pairs(matrix, std::countr_zero(static_cast<uint64_t>(width_)), firsts, seconds,
                        count, numbers) < 0) {
    for (int64_t i = 0; i < count; i++) {
      if (numbers[i] >= 0) continue;
      int32_t* entry = &matrix[firsts[i] * width_ + seconds[i]];
      if (*entry == 0) {
        int32_t number = 0;
        const Status status = add(context, firsts[i], seconds[i], &number);
        if (status != TOMBOLO_OK) return status;
        *entry = number + 1;
      }
      numbers[i] = *entry - 1;
    }
  }
  memcpy(firsts, numbers, static_cast<size_t>(count) * sizeof(int32_t));
  return TOMBOLO_OK;
}

Status PairSet::number_by_table(Context& context, const HashOps& ops, int32_t* firsts,
                                const int32_t* seconds, int64_t count) noexcept {
  if (count <= 0) return TOMBOLO_OK;
  uint64_t keys[kKeyBlockRows];
  for (int64_t i = 0; i < count; i++) keys[i] = pair_of(firsts[i], seconds[i]);
  ops.find(&table_, keys, count, firsts);
  int32_t all = 0;
  for (int64_t i = 0; i < count; i++) all |= firsts[i];
  if (all >= 0) return TOMBOLO_OK;
  for (int64_t i = 0; i < count; i++) {
    if (firsts[i] >= 0) continue;
    firsts[i] = table_.find(keys[i]);
    if (firsts[i] >= 0) continue;
    Status status = add(context, static_cast<int32_t>(keys[i] >> 32), static_cast<int32_t>(keys[i]),
                        &firsts[i]);
    if (status != TOMBOLO_OK) return status;
    status = table_.insert(context, keys[i], firsts[i]);
    if (status != TOMBOLO_OK) return status;
  }
  return TOMBOLO_OK;
}

Status PairSet::add(Context& context, int32_t first, int32_t second, int32_t* number) noexcept {
  if (count_ >= limit_) return context.fail(TOMBOLO_OVERFLOW, "more groups than int32 can number");
  const Status status = pairs_.grow(context, (count_ + 1) * kPairBytes, count_ * kPairBytes);
  if (status != TOMBOLO_OK) return status;
  pairs_.as<uint64_t>()[count_] = pair_of(first, second);
  *number = static_cast<int32_t>(count_++);
  return TOMBOLO_OK;
}

// Lays the matrix out anew for larger sets, or gives it up for the table.
Status PairSet::resize(Context& context, int64_t first_count, int64_t second_count) noexcept {
  int64_t height = height_;
  int64_t width = width_;
  while (height < first_count) height *= 2;
  while (width < second_count) width *= 2;
  if (height > kMatrixMax / width) {
    Status status = table_.open(context, count_);
    for (int64_t i = 0; status == TOMBOLO_OK && i < count_; i++) {
      status = table_.insert(context, pairs()[i], static_cast<int32_t>(i));
    }
    if (status == TOMBOLO_OK) matrix_.reset();
    return status;
  }
  const Status status = matrix_.allocate_zeroed(context, height * width * kEntryBytes);
  if (status != TOMBOLO_OK) return status;
  height_ = height;
  width_ = width;
  for (int64_t i = 0; i < count_; i++) {
    matrix_.as<int32_t>()[first(i) * width_ + second(i)] = static_cast<int32_t>(i) + 1;
  }
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
