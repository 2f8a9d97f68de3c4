// SPDX-License-Identifier: Apache-2.0
//
// Data types, as the format strings of the C Data Interface write them.
// Source: https://arrow.apache.org/docs/format/CDataInterface.html, "Data type description".
#pragma once

#include "simd/unit.h"

namespace tombolo {
inline namespace v0 {

enum class TypeId : int32_t {
  kNull,
  kBool,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBinary,
  kLargeBinary,
  kBinaryView,
  kUtf8,
  kLargeUtf8,
  kUtf8View,
  kDecimal,
  kFixedSizeBinary,
  kDate32,
  kDate64,
  kTime32,
  kTime64,
  kTimestamp,
  kDuration,
  kIntervalMonths,
  kIntervalDayTime,
  kIntervalMonthDayNano,
  kList,
  kLargeList,
  kFixedSizeList,
  kListView,
  kLargeListView,
  kStruct,
  kMap,
  kDenseUnion,
  kSparseUnion,
  kRunEndEncoded,
};

enum class TimeUnit : int32_t { kSecond, kMilli, kMicro, kNano };

struct DataType {
  TypeId id = TypeId::kNull;
  TimeUnit unit = TimeUnit::kSecond;  // time, timestamp, duration
  int32_t precision = 0;              // decimal
  int32_t scale = 0;                  // decimal
  // Bytes of one value: 1 … 32 for fixed width and fixed-size binary, 0 for bool (one bit) and for
  // every layout without fixed-width values.
  int32_t width = 0;
  int32_t list_size = 0;        // fixed-size list
  int32_t union_count = 0;      // number of type ids of a union
  const char* parameters = "";  // time zone, or type ids of a union: a view into the format
};

// Reads a format string; false when it is outside the grammar. The result's parameters point into
// format.
bool parse_format(const char* format, DataType* type) noexcept;

// How many buffers an array of the type has; -1 for views, whose count varies (at least 3).
int32_t buffer_count(TypeId id) noexcept;

// How many children the type has; -1 where any number goes.
int32_t child_count(TypeId id) noexcept;

// Union type ids are below this.
inline constexpr int32_t kUnionIdsMax = 128;

// Fills child_of[kUnionIdsMax] with the position of the child for each type id of a union, -1 where
// the union names none.
void union_children(const DataType& type, int8_t* child_of) noexcept;

constexpr bool is_integer(TypeId id) noexcept {
  return id >= TypeId::kInt8 && id <= TypeId::kUInt64;
}
constexpr bool is_signed(TypeId id) noexcept {
  return id == TypeId::kInt8 || id == TypeId::kInt16 || id == TypeId::kInt32 ||
         id == TypeId::kInt64;
}
constexpr bool is_float(TypeId id) noexcept {
  return id == TypeId::kFloat32 || id == TypeId::kFloat64;
}
constexpr bool is_number(TypeId id) noexcept { return is_integer(id) || is_float(id); }
constexpr bool is_text(TypeId id) noexcept {
  return id == TypeId::kUtf8 || id == TypeId::kLargeUtf8 || id == TypeId::kUtf8View;
}
constexpr bool is_union(TypeId id) noexcept {
  return id == TypeId::kDenseUnion || id == TypeId::kSparseUnion;
}
constexpr bool has_validity(TypeId id) noexcept {
  return id != TypeId::kNull && id != TypeId::kRunEndEncoded && !is_union(id);
}
constexpr bool is_view(TypeId id) noexcept {
  return id == TypeId::kUtf8View || id == TypeId::kBinaryView;
}
constexpr bool has_offsets32(TypeId id) noexcept {
  return id == TypeId::kUtf8 || id == TypeId::kBinary;
}
constexpr bool has_offsets64(TypeId id) noexcept {
  return id == TypeId::kLargeUtf8 || id == TypeId::kLargeBinary;
}

}  // namespace v0
}  // namespace tombolo
