// SPDX-License-Identifier: Apache-2.0
#include "arrow/validate_values.h"

#include "arrow/utf8.h"

namespace tombolo {
inline namespace v0 {

const char kCheckCancelled[] = "cancelled";

namespace {

// Slots between two looks at the cancel flag.
constexpr int64_t kValueBlock = 4096;

constexpr const char* kSound = nullptr;

// The values of one buffer from an array's first slot on. Foreign buffers may be unaligned.
template <class T>
struct ForeignSlots {
  const uint8_t* first;

  ForeignSlots(const ArrowArray* array, int64_t buffer) noexcept
      : first(static_cast<const uint8_t*>(array->buffers[buffer]) +
              array->offset * static_cast<int64_t>(sizeof(T))) {}

  T operator[](int64_t i) const noexcept {
    T value;
    memcpy(&value, first + i * static_cast<int64_t>(sizeof(T)), sizeof value);
    return value;
  }
};

struct ForeignValidity {
  const uint8_t* bits;
  int64_t offset;

  explicit ForeignValidity(const ArrowArray* array) noexcept
      : bits(array->null_count == 0 ? nullptr : static_cast<const uint8_t*>(array->buffers[0])),
        offset(array->offset) {}

  bool operator[](int64_t i) const noexcept {
    const int64_t bit = offset + i;
    return bits == nullptr || (bits[bit >> 3] >> (bit & 7) & 1) != 0;
  }
};

// Calls check(begin, end) for blocks of the array's slots until one returns a text.
template <class Check>
const char* for_blocks(const Context& context, int64_t length, Check check) noexcept {
  for (int64_t begin = 0; begin < length; begin += kValueBlock) {
    if (context.cancelled()) return kCheckCancelled;
    const int64_t end = length - begin < kValueBlock ? length : begin + kValueBlock;
    if (const char* broken = check(begin, end)) return broken;
  }
  return nullptr;
}

int64_t count_word(uint64_t word) noexcept {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F;
  return static_cast<int64_t>(word * 0x0101010101010101 >> 56);
}

int64_t count_bits(const uint8_t* bits, int64_t offset, int64_t length) noexcept {
  int64_t count = 0;
  int64_t i = offset;
  const int64_t end = offset + length;
  for (; i < end && (i & 7) != 0; i++) count += bits[i >> 3] >> (i & 7) & 1;
  for (; end - i >= 64; i += 64) {
    uint64_t word;
    memcpy(&word, bits + (i >> 3), sizeof word);
    count += count_word(word);
  }
  for (; i < end; i++) count += bits[i >> 3] >> (i & 7) & 1;
  return count;
}

const char* check_null_count(const DataType& type, const ArrowArray* array) noexcept {
  if (array->null_count < 0) return nullptr;
  if (type.id == TypeId::kNull) {
    const bool sound = array->null_count == 0 || array->null_count == array->length;
    return sound ? nullptr : "null_count differs from the values";
  }
  if (!has_validity(type.id)) return nullptr;
  return array->null_count == count_nulls(array) ? nullptr : "null_count differs from the values";
}

// The two ends were checked against what the offsets point into, so that order is all that is left.
template <class T>
const char* check_offsets(const Context& context, const ArrowArray* array) noexcept {
  const ForeignSlots<T> offsets(array, 1);
  return for_blocks(context, array->length, [&](int64_t begin, int64_t end) noexcept {
    int32_t falling = 0;
    for (int64_t i = begin; i < end; i++) falling |= offsets[i + 1] < offsets[i];
    return falling == 0 ? kSound : "offsets decrease";
  });
}

template <class T>
const char* check_text(const Context& context, const ArrowArray* array) noexcept {
  const ForeignSlots<T> offsets(array, 1);
  const ForeignValidity validity(array);
  const auto* data = static_cast<const uint8_t*>(array->buffers[2]);
  if (data == nullptr) return nullptr;  // every value is empty
  return for_blocks(context, array->length, [&](int64_t begin, int64_t end) noexcept {
    const char* const kBroken = "text is not UTF-8";
    if (is_ascii(data + offsets[begin], offsets[end] - offsets[begin])) {
      return kSound;
    }
    for (int64_t i = begin; i < end; i++) {
      const bool sound = !validity[i] || is_utf8(data + offsets[i], offsets[i + 1] - offsets[i]);
      if (!sound) return kBroken;
    }
    return kSound;
  });
}

template <class T>
const char* check_binary(const Context& context, const DataType& type,
                         const ArrowArray* array) noexcept {
  if (const char* broken = check_offsets<T>(context, array)) return broken;
  return is_text(type.id) ? check_text<T>(context, array) : nullptr;
}

struct ViewSlot {
  int32_t size;
  uint8_t inlined[4];  // the first bytes, in line or as a prefix
  int32_t buffer;
  int32_t offset;
};
constexpr int32_t kViewInlineMax = 12;

const char* check_views(const Context& context, const DataType& type,
                        const ArrowArray* array) noexcept {
  const ForeignSlots<ViewSlot> views(array, 1);
  const ForeignValidity validity(array);
  const int64_t variadic = array->n_buffers - 3;
  const auto* sizes = static_cast<const uint8_t*>(array->buffers[array->n_buffers - 1]);
  const auto check = [&](int64_t i) noexcept -> const char* {
    const ViewSlot view = views[i];
    if (view.size < 0) return "a view has a negative size";
    const uint8_t* data = views.first + i * 16 + 4;
    if (view.size > kViewInlineMax) {
      if (view.buffer < 0 || view.buffer >= variadic) return "a view names no buffer";
      int64_t size;
      memcpy(&size, sizes + int64_t{view.buffer} * 8, sizeof size);
      if (view.offset < 0 || int64_t{view.offset} + view.size > size) {
        return "a view lies outside its buffer";
      }
      data = static_cast<const uint8_t*>(array->buffers[2 + view.buffer]) + view.offset;
      if (memcmp(data, view.inlined, sizeof view.inlined) != 0) {
        return "a view's prefix differs from its value";
      }
    }
    if (type.id == TypeId::kUtf8View && !is_utf8(data, view.size)) return "text is not UTF-8";
    return nullptr;
  };
  return for_blocks(context, array->length, [&](int64_t begin, int64_t end) noexcept {
    const char* broken = nullptr;
    for (int64_t i = begin; i < end && broken == nullptr; i++) {
      if (validity[i]) broken = check(i);
    }
    return broken;
  });
}

// Ranges are checked under null slots too: readers may look at them.
template <class T>
const char* check_list_views(const Context& context, const ArrowArray* array) noexcept {
  const ForeignSlots<T> offsets(array, 1);
  const ForeignSlots<T> sizes(array, 2);
  const int64_t values = array->children[0]->length;
  return for_blocks(context, array->length, [&](int64_t begin, int64_t end) noexcept {
    int32_t outside = 0;
    for (int64_t i = begin; i < end; i++) {
      const int64_t offset = offsets[i];
      const int64_t size = sizes[i];
      outside |= offset < 0 || size < 0 || size > values || offset > values - size;
    }
    return outside == 0 ? kSound : "a list view lies outside its child";
  });
}

// What lies under a null may be anything, so the bitmap is read when some index is out of range.
template <class T>
const char* check_indices_of(const Context& context, const ArrowArray* array) noexcept {
  const ForeignSlots<T> indices(array, 1);
  const ForeignValidity validity(array);
  const uint64_t values = static_cast<uint64_t>(array->dictionary->length);
  return for_blocks(context, array->length, [&](int64_t begin, int64_t end) noexcept {
    int32_t outside = 0;
    for (int64_t i = begin; i < end; i++) {
      outside |= static_cast<uint64_t>(static_cast<int64_t>(indices[i])) >= values;
    }
    if (outside == 0) return kSound;
    for (int64_t i = begin; i < end; i++) {
      if (validity[i] && static_cast<uint64_t>(static_cast<int64_t>(indices[i])) >= values) {
        return "a dictionary index is out of range";
      }
    }
    return kSound;
  });
}

const char* check_indices(const Context& context, const DataType& type,
                          const ArrowArray* array) noexcept {
  switch (type.id) {
    case TypeId::kInt8: return check_indices_of<int8_t>(context, array);
    case TypeId::kUInt8: return check_indices_of<uint8_t>(context, array);
    case TypeId::kInt16: return check_indices_of<int16_t>(context, array);
    case TypeId::kUInt16: return check_indices_of<uint16_t>(context, array);
    case TypeId::kInt32: return check_indices_of<int32_t>(context, array);
    case TypeId::kUInt32: return check_indices_of<uint32_t>(context, array);
    case TypeId::kInt64: return check_indices_of<int64_t>(context, array);
    default: return check_indices_of<uint64_t>(context, array);
  }
}

const char* check_union(const Context& context, const DataType& type,
                        const ArrowArray* array) noexcept {
  int8_t child_of[kUnionIdsMax];
  int64_t last_offset[kUnionIdsMax] = {};
  union_children(type, child_of);
  const bool dense = type.id == TypeId::kDenseUnion;
  const ForeignSlots<int8_t> ids(array, 0);
  const ForeignSlots<int32_t> offsets(array, dense ? 1 : 0);
  return for_blocks(context, array->length, [&](int64_t begin, int64_t end) noexcept {
    for (int64_t i = begin; i < end; i++) {
      const int8_t id = ids[i];
      if (id < 0 || child_of[id] < 0) return "a union id is not declared";
      if (!dense) continue;
      const int64_t offset = offsets[i];
      if (offset < 0 || offset >= array->children[child_of[id]]->length) {
        return "a union offset lies outside its child";
      }
      if (offset < last_offset[id]) return "union offsets decrease";
      last_offset[id] = offset;
    }
    return kSound;
  });
}

template <class T>
const char* check_run_ends_of(const Context& context, const ArrowArray* array) noexcept {
  const ArrowArray* ends = array->children[0];
  if (ends->length == 0) return nullptr;
  const ForeignSlots<T> slots(ends, 1);
  if (slots[0] < 1) return "run ends start below 1";
  const char* broken =
      for_blocks(context, ends->length - 1, [&](int64_t begin, int64_t end) noexcept {
        int32_t falling = 0;
        for (int64_t i = begin; i < end; i++) falling |= slots[i + 1] <= slots[i];
        return falling == 0 ? kSound : "run ends do not increase";
      });
  if (broken != nullptr) return broken;
  const bool short_of = slots[ends->length - 1] < array->offset + array->length;
  return short_of ? "run ends stop before the array does" : nullptr;
}

const char* check_run_ends(const Context& context, const ArrowSchema* schema,
                           const ArrowArray* array) noexcept {
  if (count_nulls(array->children[0]) != 0) return "run ends have nulls";
  DataType type;
  parse_format(schema->children[0]->format, &type);
  switch (type.id) {
    case TypeId::kInt16: return check_run_ends_of<int16_t>(context, array);
    case TypeId::kInt32: return check_run_ends_of<int32_t>(context, array);
    default: return check_run_ends_of<int64_t>(context, array);
  }
}

const char* check_map(const ArrowSchema* schema, const ArrowArray* array) noexcept {
  const ArrowArray* entries = array->children[0];
  if (count_nulls(entries) != 0) return "map entries have nulls";
  DataType key;
  parse_format(schema->children[0]->children[0]->format, &key);
  const bool nulls = has_validity(key.id) && count_nulls(entries->children[0]) != 0;
  return nulls ? "map keys have nulls" : nullptr;
}

// A decimal of up to 256 bits as limbs, least significant first.
struct Limbs {
  uint64_t limb[4];
};

Limbs power_of_ten(int32_t exponent) noexcept {
  Limbs power = {{1, 0, 0, 0}};
  for (int32_t i = 0; i < exponent; i++) {
    unsigned __int128 carry = 0;
    for (uint64_t& limb : power.limb) {
      carry += static_cast<unsigned __int128>(limb) * 10;
      limb = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
  }
  return power;
}

// Reads width bytes of two's complement; returns the magnitude.
Limbs decimal_magnitude(const uint8_t* value, int32_t width) noexcept {
  const bool negative = (value[width - 1] & 0x80) != 0;
  Limbs limbs;
  memset(&limbs, negative ? 0xFF : 0, sizeof limbs);
  memcpy(&limbs, value, static_cast<size_t>(width));
  if (!negative) return limbs;
  uint64_t carry = 1;
  for (uint64_t& limb : limbs.limb) {
    limb = ~limb + carry;
    carry = carry != 0 && limb == 0 ? 1 : 0;
  }
  return limbs;
}

bool is_less(const Limbs& a, const Limbs& b) noexcept {
  for (int32_t i = 3; i > 0; i--) {
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  }
  return a.limb[0] < b.limb[0];
}

const char* check_decimals(const Context& context, const DataType& type,
                           const ArrowArray* array) noexcept {
  const Limbs limit = power_of_ten(type.precision);
  const ForeignValidity validity(array);
  const auto* first = static_cast<const uint8_t*>(array->buffers[1]) + array->offset * type.width;
  return for_blocks(context, array->length, [&](int64_t begin, int64_t end) noexcept {
    for (int64_t i = begin; i < end; i++) {
      const bool sound =
          !validity[i] || is_less(decimal_magnitude(first + i * type.width, type.width), limit);
      if (!sound) return "a decimal exceeds its precision";
    }
    return kSound;
  });
}

const char* check_layout(const Context& context, const DataType& type,
                         const ArrowArray* array) noexcept {
  switch (type.id) {
    case TypeId::kBinary:
    case TypeId::kUtf8: return check_binary<int32_t>(context, type, array);
    case TypeId::kLargeBinary:
    case TypeId::kLargeUtf8: return check_binary<int64_t>(context, type, array);
    case TypeId::kBinaryView:
    case TypeId::kUtf8View: return check_views(context, type, array);
    case TypeId::kMap:
    case TypeId::kList: return check_offsets<int32_t>(context, array);
    case TypeId::kLargeList: return check_offsets<int64_t>(context, array);
    case TypeId::kListView: return check_list_views<int32_t>(context, array);
    case TypeId::kLargeListView: return check_list_views<int64_t>(context, array);
    case TypeId::kDenseUnion:
    case TypeId::kSparseUnion: return check_union(context, type, array);
    case TypeId::kDecimal: return check_decimals(context, type, array);
    default: return nullptr;
  }
}

}  // namespace

int64_t count_nulls(const ArrowArray* array) noexcept {
  const auto* bits = static_cast<const uint8_t*>(array->buffers[0]);
  return bits == nullptr ? 0 : array->length - count_bits(bits, array->offset, array->length);
}

const char* check_values(const Context& context, const DataType& type, const ArrowSchema* schema,
                         const ArrowArray* array) noexcept {
  if (type.id == TypeId::kRunEndEncoded) return check_run_ends(context, schema, array);
  if (type.id == TypeId::kMap) {
    if (const char* broken = check_map(schema, array)) return broken;
  }
  if (array->length == 0) return nullptr;
  if (const char* broken = check_null_count(type, array)) return broken;
  if (array->dictionary != nullptr) return check_indices(context, type, array);
  return check_layout(context, type, array);
}

}  // namespace v0
}  // namespace tombolo
