// SPDX-License-Identifier: Apache-2.0
#include "kernels/key_set.h"

namespace tombolo {
inline namespace v0 {

KeyKind key_kind_of(const Field& field) noexcept {
  if (is_text(field.type.id)) return KeyKind::kText;
  if (field.encoded) return KeyKind::kNone;
  switch (field.type.id) {
    case TypeId::kBool:
    case TypeId::kDate32:
    case TypeId::kDate64:
    case TypeId::kTimestamp: return KeyKind::kInteger;
    default: return is_integer(field.type.id) ? KeyKind::kInteger : KeyKind::kNone;
  }
}

int64_t rows_within_poll(const ColumnView& column, int64_t row, int64_t count) noexcept {
  if (has_offsets32(column.type.id)) {
    const int32_t* offsets = column.offsets<int32_t>() + row;
    while (count > 1 && offsets[count] - offsets[0] > kPollBytes) count /= 2;
    return count;
  }
  if (has_offsets64(column.type.id)) {
    const int64_t* offsets = column.offsets<int64_t>() + row;
    while (count > 1 && offsets[count] - offsets[0] > kPollBytes) count /= 2;
    return count;
  }
  // Without variadic buffers (two fixed ones and their sizes) every text lies in its view.
  if (!is_view(column.type.id) || column.array->n_buffers <= 3) return count;
  constexpr int64_t kViewBytes = 16;
  const auto* views =
      static_cast<const uint8_t*>(column.array->buffers[1]) + (column.offset + row) * kViewBytes;
  int64_t bytes = 0;
  for (int64_t i = 0; i < count; i++) {
    uint32_t size;
    memcpy(&size, views + i * kViewBytes, sizeof size);
    bytes += size;
    if (bytes > kPollBytes) return i > 0 ? i : 1;
  }
  return count;
}

Status TextHeap::add(Context& context, BytesRef text) noexcept {
  constexpr int64_t kEndBytes = static_cast<int64_t>(sizeof(int64_t));
  constexpr int64_t kRoomMin = 64;
  Status status = ends_.grow(context, (count_ + 1 > kRoomMin ? count_ + 1 : kRoomMin) * kEndBytes,
                             count_ * kEndBytes);
  if (status != TOMBOLO_OK) return status;
  status = data_.grow(context, bytes_ + text.size + 8 * kRoomMin, bytes_);
  if (status != TOMBOLO_OK) return status;
  if (text.size > 0) {
    memcpy(data_.as<uint8_t>() + bytes_, text.data, static_cast<size_t>(text.size));
  }
  bytes_ += text.size;
  ends_.as<int64_t>()[count_++] = bytes_;
  return TOMBOLO_OK;
}

void TextHeap::clear() noexcept {
  ends_.reset();
  data_.reset();
  count_ = 0;
  bytes_ = 0;
}

Status KeyColumn::open(Context& context, const ColumnView& column) noexcept {
  column_ = column;
  kind_ = key_kind_of(*column.field);
  coded_ = column.field->encoded;
  mapped_ = false;
  if (!coded_ || column.length == 0) return TOMBOLO_OK;
  values_ = dictionary_of(column);
  mapped_ = values_.length <= column.length;
  if (!mapped_) return TOMBOLO_OK;
  const int64_t size_bytes = values_.length * static_cast<int64_t>(sizeof(int32_t));
  const Status status = code_numbers_.grow(context, size_bytes, 0);
  if (status != TOMBOLO_OK) return status;
  constexpr int64_t kPollCodes = kPollBytes / static_cast<int64_t>(sizeof(int32_t));
  for (int64_t i = 0; i < values_.length; i++) {
    if (i % kPollCodes == 0 && context.cancelled()) return context.fail_cancelled();
    code_numbers_.as<int32_t>()[i] = kUnknown;
  }
  return TOMBOLO_OK;
}

int64_t KeyColumn::block_rows(int64_t row, int64_t rows) const noexcept {
  const int64_t count = rows - row < kKeyBlockRows ? rows - row : kKeyBlockRows;
  return coded_ ? count : rows_within_poll(column_, row, count);
}

Status KeySet::open(Context& context, KeyKind kind, int64_t capacity,
                    const HashSeeds* seeds) noexcept {
  kind_ = kind;
  null_ = -1;
  count_ = 0;
  integers_.reset();
  texts_.clear();
  return table_.open(context, capacity, seeds);
}

// Returns the bitwise or of the tags, whose top bit says whether any is long; 0 for integers.
uint64_t KeySet::read_keys(const HashOps& ops, const KeyColumn& column, int64_t row, int64_t count,
                           uint64_t* keys) const noexcept {
  if (kind_ == KeyKind::kText) {
    return ops.tag(&column.column_, row, count, &table_.seeds(), keys);
  }
  ops.widen(&column.column_, row, count, keys);
  return 0;
}

Status KeySet::number(Context& context, const HashOps& ops, KeyColumn& column, int64_t row,
                      int64_t count, int32_t* numbers) noexcept {
  if (column.coded_) {
    const ColumnView& values = column.values_;
    const int32_t null_number = null_ >= 0 ? null_ : KeyColumn::kUnknown;
    return number_codes(
        context, ops, column, row, count, numbers, null_number, [&](int64_t i, int32_t* number) {
          return i < 0 ? add_null(context, number) : add_value(context, values, i, number);
        });
  }
  uint64_t keys[kKeyBlockRows];
  const uint64_t all = read_keys(ops, column, row, count, keys);
  ops.find(&table_, keys, count, numbers);
  if ((all & kTextLong) != 0) verify_texts(column, row, count, keys, numbers);
  return add_missing(context, column, row, count, keys, numbers);
}

Status KeySet::find(Context& context, const HashOps& ops, KeyColumn& column, int64_t row,
                    int64_t count, int32_t* numbers) const noexcept {
  if (column.coded_) {
    const ColumnView& values = column.values_;
    return number_codes(context, ops, column, row, count, numbers, null_,
                        [&](int64_t i, int32_t* number) {
                          *number = find_value(values, i);
                          return TOMBOLO_OK;
                        });
  }
  uint64_t keys[kKeyBlockRows];
  const uint64_t all = read_keys(ops, column, row, count, keys);
  ops.find(&table_, keys, count, numbers);
  if ((all & kTextLong) != 0) verify_texts(column, row, count, keys, numbers);
  if (column.column_.validity != nullptr) {
    for (int64_t i = 0; i < count; i++) {
      numbers[i] = valid_at(column.column_, row + i) ? numbers[i] : null_;
    }
  }
  return TOMBOLO_OK;
}

// Long tags that are equal say only that the texts may be.
void KeySet::verify_texts(const KeyColumn& column, int64_t row, int64_t count, const uint64_t* tags,
                          int32_t* numbers) const noexcept {
  int32_t long_rows[kKeyBlockRows];
  int64_t found = 0;
  for (int64_t i = 0; i < count; i++) {
    long_rows[found] = static_cast<int32_t>(i);
    found += static_cast<int64_t>(tags[i] >> 63) & static_cast<int64_t>(numbers[i] >= 0);
  }
  for (int64_t j = 0; j < found; j++) {
    const int64_t i = long_rows[j];
    if (!valid_at(column.column_, row + i)) continue;
    const BytesRef text = bytes_at(column.column_, row + i);
    if (!equal_texts(text, texts_.at(numbers[i]))) numbers[i] = find_text(tags[i], text);
  }
}

int32_t KeySet::find_text(uint64_t tag, BytesRef text) const noexcept {
  return table_.find_if(tag, [&](int32_t number) { return equal_texts(text, texts_.at(number)); });
}

int32_t KeySet::find_value(const ColumnView& values, int64_t i) const noexcept {
  if (!valid_at(values, i)) return null_;
  const BytesRef text = bytes_at(values, i);
  return find_text(text_tag(text, table_.seeds()), text);
}

// number_of(i, &number) gives the number of value i of the dictionary; it is asked with i = -1 for
// a null row where null_number is kUnknown.
template <class NumberOf>
Status KeySet::number_codes(Context& context, const HashOps& ops, KeyColumn& column, int64_t row,
                            int64_t count, int32_t* numbers, int32_t null_number,
                            NumberOf number_of) const noexcept {
  const ColumnView& view = column.column_;
  int32_t* known = column.mapped_ ? column.code_numbers_.as<int32_t>() : nullptr;
  if (known != nullptr && view.validity == nullptr &&
      ops.look_up(&view, row, count, known, column.values_.length, numbers)) {
    int32_t least = 0;
    for (int64_t i = 0; i < count; i++) least = numbers[i] < least ? numbers[i] : least;
    if (least != KeyColumn::kUnknown) return TOMBOLO_OK;
  }
  uint64_t codes[kKeyBlockRows];
  ops.widen(&view, row, count, codes);
  const auto size = static_cast<uint64_t>(column.values_.length);
  // A code under a null may be anything; a negative one became a large one.
  bool inside = true;
  for (int64_t i = 0; i < count; i++) {
    inside &= codes[i] < size || !valid_at(view, row + i);
  }
  if (!inside) {
    return context.fail(TOMBOLO_INDEX, "a dictionary index lies outside its dictionary");
  }
  for (int64_t i = 0; i < count; i++) {
    const bool valid = valid_at(view, row + i);
    const auto code = static_cast<int64_t>(codes[i]);
    int32_t number = !valid ? null_number : known != nullptr ? known[code] : KeyColumn::kUnknown;
    if (__builtin_expect(number == KeyColumn::kUnknown, 0)) {
      const Status status = number_of(valid ? code : -1, &number);
      if (status != TOMBOLO_OK) return status;
      if (valid && known != nullptr) known[code] = number;
    }
    numbers[i] = number;
  }
  return TOMBOLO_OK;
}

// Adds in row order what was not found, so that numbers are in order of first appearance.
Status KeySet::add_missing(Context& context, const KeyColumn& column, int64_t row, int64_t count,
                           const uint64_t* keys, int32_t* numbers) noexcept {
  const ColumnView& view = column.column_;
  if (view.validity == nullptr) {
    int32_t all = 0;
    for (int64_t i = 0; i < count; i++) all |= numbers[i];
    if (all >= 0) return TOMBOLO_OK;
  }
  for (int64_t i = 0; i < count; i++) {
    Status status = TOMBOLO_OK;
    if (!valid_at(view, row + i)) {
      status = add_null(context, &numbers[i]);
    } else if (numbers[i] >= 0) {
      continue;
    } else if (kind_ == KeyKind::kText) {
      status = add_text(context, keys[i], bytes_at(view, row + i), &numbers[i]);
    } else {
      status = add_integer(context, keys[i], &numbers[i]);
    }
    if (status != TOMBOLO_OK) return status;
  }
  return TOMBOLO_OK;
}

Status KeySet::check_limit(Context& context) const noexcept {
  if (count_ < limit_) return TOMBOLO_OK;
  return context.fail(TOMBOLO_OVERFLOW, "more keys than int32 can number");
}

Status KeySet::add_null(Context& context, int32_t* number) noexcept {
  if (null_ < 0) {
    Status status = check_limit(context);
    if (status != TOMBOLO_OK) return status;
    if (kind_ == KeyKind::kText) {
      status = texts_.add(context, {nullptr, 0});
    } else {
      constexpr int64_t kKeyBytes = static_cast<int64_t>(sizeof(uint64_t));
      status = integers_.grow(context, (count_ + 1) * kKeyBytes, count_ * kKeyBytes);
      if (status == TOMBOLO_OK) integers_.as<uint64_t>()[count_] = 0;
    }
    if (status != TOMBOLO_OK) return status;
    null_ = static_cast<int32_t>(count_++);
  }
  *number = null_;
  return TOMBOLO_OK;
}

// Finds or adds.
Status KeySet::add_integer(Context& context, uint64_t key, int32_t* number) noexcept {
  *number = table_.find(key);
  if (*number >= 0) return TOMBOLO_OK;
  Status status = check_limit(context);
  if (status != TOMBOLO_OK) return status;
  constexpr int64_t kKeyBytes = static_cast<int64_t>(sizeof(uint64_t));
  status = integers_.grow(context, (count_ + 1) * kKeyBytes, count_ * kKeyBytes);
  if (status != TOMBOLO_OK) return status;
  status = table_.insert(context, key, static_cast<int32_t>(count_));
  if (status != TOMBOLO_OK) return status;
  integers_.as<uint64_t>()[count_] = key;
  *number = static_cast<int32_t>(count_++);
  return TOMBOLO_OK;
}

// Finds or adds.
Status KeySet::add_text(Context& context, uint64_t tag, BytesRef text, int32_t* number) noexcept {
  *number = (tag & kTextLong) != 0 ? find_text(tag, text) : table_.find(tag);
  if (*number >= 0) return TOMBOLO_OK;
  Status status = check_limit(context);
  if (status != TOMBOLO_OK) return status;
  status = texts_.add(context, text);
  if (status != TOMBOLO_OK) return status;
  status = table_.insert(context, tag, static_cast<int32_t>(count_));
  if (status != TOMBOLO_OK) return status;
  *number = static_cast<int32_t>(count_++);
  return TOMBOLO_OK;
}

Status KeySet::add_value(Context& context, const ColumnView& values, int64_t i,
                         int32_t* number) noexcept {
  if (!valid_at(values, i)) return add_null(context, number);
  const BytesRef text = bytes_at(values, i);
  return add_text(context, text_tag(text, table_.seeds()), text, number);
}

Status KeySet::merge(Context& context, const KeySet& other, int32_t* numbers) noexcept {
  for (int64_t i = 0; i < other.count_; i++) {
    if (i % kKeyBlockRows == 0 && context.cancelled()) return context.fail_cancelled();
    Status status;
    if (i == other.null_) {
      status = add_null(context, &numbers[i]);
    } else if (kind_ == KeyKind::kText) {
      const BytesRef text = other.texts_.at(static_cast<int32_t>(i));
      status = add_text(context, text_tag(text, table_.seeds()), text, &numbers[i]);
    } else {
      status = add_integer(context, other.integers_.as<uint64_t>()[i], &numbers[i]);
    }
    if (status != TOMBOLO_OK) return status;
  }
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
