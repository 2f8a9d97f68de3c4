// SPDX-License-Identifier: Apache-2.0
#include "arrow/format.h"

namespace tombolo {
inline namespace v0 {
namespace {

// Reads a decimal integer within the int32 range and moves past it.
bool parse_integer(const char** text, int32_t* value) noexcept {
  const char* p = *text;
  const bool negative = *p == '-';
  if (negative) p++;
  if (*p < '0' || *p > '9') return false;
  int64_t result = 0;
  while (*p >= '0' && *p <= '9') {
    result = result * 10 + (*p++ - '0');
    if (result > INT32_MAX) return false;
  }
  *value = static_cast<int32_t>(negative ? -result : result);
  *text = p;
  return true;
}

struct SimpleFormat {
  char letter;
  TypeId id;
  int32_t width;
};

constexpr SimpleFormat kSimpleFormats[] = {
    {'n', TypeId::kNull, 0},    {'b', TypeId::kBool, 0},      {'c', TypeId::kInt8, 1},
    {'C', TypeId::kUInt8, 1},   {'s', TypeId::kInt16, 2},     {'S', TypeId::kUInt16, 2},
    {'i', TypeId::kInt32, 4},   {'I', TypeId::kUInt32, 4},    {'l', TypeId::kInt64, 8},
    {'L', TypeId::kUInt64, 8},  {'e', TypeId::kFloat16, 2},   {'f', TypeId::kFloat32, 4},
    {'g', TypeId::kFloat64, 8}, {'z', TypeId::kBinary, 0},    {'Z', TypeId::kLargeBinary, 0},
    {'u', TypeId::kUtf8, 0},    {'U', TypeId::kLargeUtf8, 0},
};

bool parse_decimal(const char* p, DataType* type) noexcept {
  int32_t bits = 128;
  if (!parse_integer(&p, &type->precision) || *p++ != ',') return false;
  if (!parse_integer(&p, &type->scale)) return false;
  if (*p == ',') {
    p++;
    if (!parse_integer(&p, &bits)) return false;
  }
  if (*p != '\0') return false;
  int32_t precision_max = 0;
  switch (bits) {
    case 32: precision_max = 9; break;
    case 64: precision_max = 18; break;
    case 128: precision_max = 38; break;
    case 256: precision_max = 76; break;
    default: return false;
  }
  if (type->precision < 1 || type->precision > precision_max) return false;
  type->id = TypeId::kDecimal;
  type->width = bits / 8;
  return true;
}

bool parse_unit(char letter, TimeUnit* unit) noexcept {
  switch (letter) {
    case 's': *unit = TimeUnit::kSecond; return true;
    case 'm': *unit = TimeUnit::kMilli; return true;
    case 'u': *unit = TimeUnit::kMicro; return true;
    case 'n': *unit = TimeUnit::kNano; return true;
    default: return false;
  }
}

bool parse_interval(const char* p, DataType* type) noexcept {
  switch (p[0]) {
    case 'M':
      type->id = TypeId::kIntervalMonths;
      type->width = 4;
      break;
    case 'D':
      type->id = TypeId::kIntervalDayTime;
      type->width = 8;
      break;
    case 'n':
      type->id = TypeId::kIntervalMonthDayNano;
      type->width = 16;
      break;
    default: return false;
  }
  return p[1] == '\0';
}

// p points behind the 't'.
bool parse_temporal(const char* p, DataType* type) noexcept {
  if (p[0] == '\0' || p[1] == '\0') return false;
  switch (p[0]) {
    case 'd':
      if (p[2] != '\0') return false;
      if (p[1] == 'D') {
        type->id = TypeId::kDate32;
        type->width = 4;
        return true;
      }
      if (p[1] == 'm') {
        type->id = TypeId::kDate64;
        type->width = 8;
        return true;
      }
      return false;
    case 't': {
      if (p[2] != '\0' || !parse_unit(p[1], &type->unit)) return false;
      const bool narrow = type->unit == TimeUnit::kSecond || type->unit == TimeUnit::kMilli;
      type->id = narrow ? TypeId::kTime32 : TypeId::kTime64;
      type->width = narrow ? 4 : 8;
      return true;
    }
    case 's':
      if (!parse_unit(p[1], &type->unit) || p[2] != ':') return false;
      type->id = TypeId::kTimestamp;
      type->width = 8;
      type->parameters = p + 3;
      return true;
    case 'D':
      if (p[2] != '\0' || !parse_unit(p[1], &type->unit)) return false;
      type->id = TypeId::kDuration;
      type->width = 8;
      return true;
    case 'i': return parse_interval(p + 1, type);
    default: return false;
  }
}

// Type ids are 0 ... 127 and distinct.
bool parse_union_ids(const char* p, DataType* type) noexcept {
  uint64_t seen[2] = {0, 0};
  type->parameters = p;
  if (*p == '\0') return true;
  for (;;) {
    int32_t id = 0;
    if (!parse_integer(&p, &id) || id < 0 || id > 127) return false;
    const uint64_t bit = uint64_t{1} << (id & 63);
    if ((seen[id >> 6] & bit) != 0) return false;
    seen[id >> 6] |= bit;
    type->union_count++;
    if (*p == '\0') return true;
    if (*p++ != ',') return false;
  }
}

// p points behind the '+'.
bool parse_nested(const char* p, DataType* type) noexcept {
  struct Layout {
    const char* text;
    TypeId id;
  };
  constexpr Layout kLayouts[] = {
      {"l", TypeId::kList},           {"L", TypeId::kLargeList}, {"vl", TypeId::kListView},
      {"vL", TypeId::kLargeListView}, {"s", TypeId::kStruct},    {"m", TypeId::kMap},
      {"r", TypeId::kRunEndEncoded},
  };
  for (const Layout& layout : kLayouts) {
    if (strcmp(p, layout.text) == 0) {
      type->id = layout.id;
      return true;
    }
  }
  if (p[0] == 'w' && p[1] == ':') {
    p += 2;
    type->id = TypeId::kFixedSizeList;
    return parse_integer(&p, &type->list_size) && type->list_size >= 0 && *p == '\0';
  }
  if (p[0] == 'u' && (p[1] == 'd' || p[1] == 's') && p[2] == ':') {
    type->id = p[1] == 'd' ? TypeId::kDenseUnion : TypeId::kSparseUnion;
    return parse_union_ids(p + 3, type);
  }
  return false;
}

}  // namespace

bool parse_format(const char* format, DataType* type) noexcept {
  *type = DataType{};
  if (format == nullptr || format[0] == '\0') return false;
  if (format[1] == '\0') {
    for (const SimpleFormat& simple : kSimpleFormats) {
      if (simple.letter == format[0]) {
        type->id = simple.id;
        type->width = simple.width;
        return true;
      }
    }
    return false;
  }
  const char* p = format + 1;
  switch (format[0]) {
    case 'v':
      if (p[1] != '\0' || (p[0] != 'u' && p[0] != 'z')) return false;
      type->id = p[0] == 'u' ? TypeId::kUtf8View : TypeId::kBinaryView;
      return true;
    case 'd': return p[0] == ':' && parse_decimal(p + 1, type);
    case 'w':
      if (*p++ != ':' || !parse_integer(&p, &type->width) || *p != '\0') return false;
      type->id = TypeId::kFixedSizeBinary;
      return type->width >= 0;
    case 't': return parse_temporal(p, type);
    case '+': return parse_nested(p, type);
    default: return false;
  }
}

int32_t buffer_count(TypeId id) noexcept {
  switch (id) {
    case TypeId::kNull:
    case TypeId::kRunEndEncoded: return 0;
    case TypeId::kFixedSizeList:
    case TypeId::kStruct:
    case TypeId::kSparseUnion: return 1;
    case TypeId::kBinary:
    case TypeId::kLargeBinary:
    case TypeId::kUtf8:
    case TypeId::kLargeUtf8:
    case TypeId::kListView:
    case TypeId::kLargeListView: return 3;
    case TypeId::kBinaryView:
    case TypeId::kUtf8View: return -1;
    default: return 2;
  }
}

int32_t child_count(TypeId id) noexcept {
  switch (id) {
    case TypeId::kList:
    case TypeId::kLargeList:
    case TypeId::kListView:
    case TypeId::kLargeListView:
    case TypeId::kFixedSizeList:
    case TypeId::kMap: return 1;
    case TypeId::kRunEndEncoded: return 2;
    case TypeId::kStruct:
    case TypeId::kDenseUnion:
    case TypeId::kSparseUnion: return -1;
    default: return 0;
  }
}

void union_children(const DataType& type, int8_t* child_of) noexcept {
  memset(child_of, -1, kUnionIdsMax);
  const char* p = type.parameters;
  for (int32_t i = 0; i < type.union_count; i++) {
    int32_t id = 0;
    if (!parse_integer(&p, &id)) return;
    child_of[id] = static_cast<int8_t>(i);
    if (*p == ',') p++;
  }
}

}  // namespace v0
}  // namespace tombolo
