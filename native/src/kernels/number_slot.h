// SPDX-License-Identifier: Apache-2.0
//
// The number types in the order that tables of operations have them.
#pragma once

#include "arrow/format.h"

namespace tombolo {
inline namespace v0 {

inline constexpr int32_t kNumberSlots = 10;

// int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64; -1 for other types.
constexpr int32_t number_slot(TypeId id) noexcept {
  if (is_integer(id)) return static_cast<int32_t>(id) - static_cast<int32_t>(TypeId::kInt8);
  if (id == TypeId::kFloat32) return 8;
  return id == TypeId::kFloat64 ? 9 : -1;
}

// The same, with date, time, timestamp and duration as the signed integers that they are.
constexpr int32_t ordered_slot(const DataType& type) noexcept {
  switch (type.id) {
    case TypeId::kDate32:
    case TypeId::kTime32: return number_slot(TypeId::kInt32);
    case TypeId::kDate64:
    case TypeId::kTime64:
    case TypeId::kTimestamp:
    case TypeId::kDuration: return number_slot(TypeId::kInt64);
    default: return number_slot(type.id);
  }
}

}  // namespace v0
}  // namespace tombolo
