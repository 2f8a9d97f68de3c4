// SPDX-License-Identifier: Apache-2.0
#include "kernels/aggregate.h"

#include "kernels/text_result.h"

namespace tombolo {
inline namespace v0 {
namespace {

// Cells of an aggregate that still lie near.
constexpr int64_t kNearBytes = 512 * 1024;

// Groups handled between two looks at the cancel flag.
constexpr int64_t kPollGroups = 4096;

// Splits text at its next colon; false when there is none.
bool cut(const char** text, const char** end) noexcept {
  *end = strchr(*text, ':');
  return *end != nullptr;
}

// Reads a decimal column number of at most 9 digits, with or without a minus sign.
bool parse_column(const char* begin, const char* end, int32_t* column) noexcept {
  const bool negative = begin < end && *begin == '-';
  if (negative) begin++;
  if (begin == end || end - begin > 9) return false;
  int32_t value = 0;
  for (; begin < end; begin++) {
    if (*begin < '0' || *begin > '9') return false;
    value = value * 10 + (*begin - '0');
  }
  *column = negative ? -value : value;
  return true;
}

struct FunctionName {
  const char* name;
  AggregateFunction function;
};

constexpr FunctionName kFunctions[] = {
    {"count", AggregateFunction::kCount}, {"count_if", AggregateFunction::kCountIf},
    {"sum", AggregateFunction::kSum},     {"mean", AggregateFunction::kMean},
    {"min", AggregateFunction::kMin},     {"max", AggregateFunction::kMax},
};

bool is_word(const char* begin, const char* end, const char* word) noexcept {
  const auto size = static_cast<size_t>(end - begin);
  return strlen(word) == size && memcmp(begin, word, size) == 0;
}

// Their nulls do not lie in a validity bitmap of their own.
bool hides_nulls(const Field& field) noexcept {
  const TypeId id = field.type.id;
  return id == TypeId::kSparseUnion || id == TypeId::kDenseUnion || id == TypeId::kRunEndEncoded;
}

// Sets what depends on the type; false where the function does not take it.
bool resolve(const Field& field, AggregateSpec* spec) noexcept {
  const TypeId id = field.type.id;
  switch (spec->function) {
    case AggregateFunction::kCount:
      spec->format = "l";
      spec->never_null = true;
      return !hides_nulls(field);
    case AggregateFunction::kCountIf:
      spec->format = "l";
      spec->never_null = true;
      break;
    case AggregateFunction::kSum:
      spec->format = is_float(id) ? "g" : is_signed(id) ? "l" : "L";
      break;
    case AggregateFunction::kMean: spec->format = "g"; break;
    default:
      if (is_text(id)) {
        spec->is_text = true;
        spec->is_large = id == TypeId::kLargeUtf8 && !field.encoded;
        spec->format = spec->is_large ? "U" : "u";
        return true;
      }
      spec->format = field.schema->format;
      break;
  }
  spec->is_whole = is_integer(id);
  spec->cells = cell_ops(spec->function, id);
  return spec->cells != nullptr && !field.encoded;
}

}  // namespace

Status parse_aggregate(Context& context, const Schema& schema, const tombolo_option& option,
                       AggregateSpec* spec) noexcept {
  const char* function = option.value.text;
  const char* function_end = nullptr;
  const char* position = nullptr;
  const char* position_end = nullptr;
  bool well_formed = cut(&function, &function_end);
  if (well_formed) {
    position = function_end + 1;
    well_formed = cut(&position, &position_end);
  }
  if (!well_formed || !parse_column(position, position_end, &spec->column)) {
    return context.fail(TOMBOLO_INVALID, "an aggregate is not function:column:name");
  }
  spec->name = position_end + 1;

  const bool is_count = is_word(function, function_end, "count");
  const bool is_count_all = is_word(function, function_end, "count_all");
  if (is_count_all && spec->column != -1) {
    return context.fail(TOMBOLO_INVALID, "count_all takes column -1");
  }
  if (is_count_all || (is_count && spec->column == -1)) {
    spec->function = AggregateFunction::kCount;
    spec->format = "l";
    spec->never_null = true;
    return TOMBOLO_OK;
  }
  if (spec->column < 0 || spec->column >= schema.column_count()) {
    const int32_t place = spec->column >= 0 ? spec->column : -1;
    return context.fail(TOMBOLO_INVALID, "the column is missing", place, 0);
  }
  const FunctionName* known = nullptr;
  for (const FunctionName& candidate : kFunctions) {
    if (is_word(function, function_end, candidate.name)) known = &candidate;
  }
  if (known == nullptr) return context.fail(TOMBOLO_INVALID, "unknown aggregate function");
  spec->function = known->function;
  if (!resolve(schema.column(spec->column), spec)) {
    return context.fail(TOMBOLO_TYPE, "the aggregate function does not take this type",
                        spec->column, 0);
  }
  return TOMBOLO_OK;
}

Status AggregateInput::begin(Context& context, const BatchView& batch) noexcept {
  validity_ = nullptr;
  if (column_ < 0) return TOMBOLO_OK;
  view_ = batch.column(column_);
  if (view_.type.id == TypeId::kNull) {
    const Status status = merged_.allocate_zeroed(context, bitmap_bytes(view_.length));
    validity_ = merged_.as<uint8_t>();
    validity_offset_ = 0;
    return status;
  }
  validity_ = view_.validity;
  validity_offset_ = view_.offset;
  return view_.field->encoded ? begin_coded(context) : TOMBOLO_OK;
}

// Checks every code, and takes the nulls of the dictionary into the validity.
Status AggregateInput::begin_coded(Context& context) noexcept {
  if (view_.length == 0) return TOMBOLO_OK;
  const ColumnView values = dictionary_of(view_);
  const bool has_nulls = values.validity != nullptr;
  if (has_nulls) {
    const Status status = merged_.allocate_zeroed(context, bitmap_bytes(view_.length));
    if (status != TOMBOLO_OK) return status;
  }
  auto* merged = merged_.as<uint8_t>();
  for (int64_t i = 0; i < view_.length; i++) {
    if (i % kPollGroups == 0 && context.cancelled()) return context.fail_cancelled();
    if (!valid_at(view_, i)) continue;
    const int64_t code = index_at(view_, i);
    if (static_cast<uint64_t>(code) >= static_cast<uint64_t>(values.length)) {
      return context.fail(TOMBOLO_INDEX, "a dictionary index lies outside its dictionary", column_,
                          0);
    }
    if (has_nulls && valid_at(values, code)) {
      merged[i >> 3] = static_cast<uint8_t>(merged[i >> 3] | 1 << (i & 7));
    }
  }
  if (has_nulls) {
    validity_ = merged;
    validity_offset_ = 0;
  }
  return TOMBOLO_OK;
}

Status AggregateInput::grow(Context& context, int64_t group_count) noexcept {
  const int64_t old_count = nulls_count_ > 0 ? nulls_count_ : 0;
  const Status status = nulls_.grow(context, group_count * kCountBytes, old_count * kCountBytes);
  if (status != TOMBOLO_OK) return status;
  if (group_count > old_count) {
    memset(nulls_.as<int64_t>() + old_count, 0,
           static_cast<size_t>((group_count - old_count) * kCountBytes));
  }
  nulls_count_ = group_count;
  return TOMBOLO_OK;
}

Status AggregateInput::consume(Context& context, int64_t row, const int32_t* groups, int64_t count,
                               int64_t group_count) noexcept {
  if (all_valid()) return TOMBOLO_OK;
  const Status status = grow(context, group_count);
  if (status != TOMBOLO_OK) return status;
  auto* nulls = nulls_.as<int64_t>();
  for (int64_t i = 0; i < count; i++) nulls[groups[i]] += valid(row + i) ? 0 : 1;
  return TOMBOLO_OK;
}

Status AggregateInput::merge(Context& context, const AggregateInput& other, const int32_t* to,
                             int64_t other_count, int64_t group_count) noexcept {
  if (other.nulls_count_ < 0) return TOMBOLO_OK;
  const Status status = grow(context, group_count);
  if (status != TOMBOLO_OK) return status;
  const int64_t counted = other.nulls_count_ < other_count ? other.nulls_count_ : other_count;
  for (int64_t i = 0; i < counted; i++) {
    nulls_.as<int64_t>()[to[i]] += other.nulls_.as<int64_t>()[i];
  }
  return TOMBOLO_OK;
}

void AggregateInput::clear() noexcept {
  nulls_.reset();
  merged_.reset();
  nulls_count_ = -1;
}

Status AggregateInput::counts(Context& context, const Buffer& rows, int64_t group_count,
                              Buffer* scratch, const int64_t** counts) const noexcept {
  *counts = rows.as<int64_t>();
  if (nulls_count_ < 0) return TOMBOLO_OK;
  const Status status = scratch->allocate(context, group_count * kCountBytes);
  if (status != TOMBOLO_OK) return status;
  auto* result = scratch->as<int64_t>();
  for (int64_t i = 0; i < group_count; i++) {
    const int64_t nulls = i < nulls_count_ ? nulls_.as<int64_t>()[i] : 0;
    result[i] = rows.as<int64_t>()[i] - nulls;
  }
  *counts = result;
  return TOMBOLO_OK;
}

Status Accumulator::grow(Context& context, const AggregateSpec& spec,
                         int64_t group_count) noexcept {
  if (group_count <= cell_count_ || (spec.cells == nullptr && !spec.is_text)) return TOMBOLO_OK;
  const int64_t bytes =
      spec.is_text ? static_cast<int64_t>(sizeof(TextCell)) : spec.cells->cell_bytes;
  const Status status = cells_.grow(context, group_count * bytes, cell_count_ * bytes);
  if (status != TOMBOLO_OK) return status;
  if (spec.is_text) {
    for (int64_t i = cell_count_; i < group_count; i++) cells_.as<TextCell>()[i] = {0, -1, 0};
  } else {
    spec.cells->clear(cells_.data(), cell_count_, group_count);
  }
  cell_count_ = group_count;
  return TOMBOLO_OK;
}

Status Accumulator::consume(Context& context, const AggregateSpec& spec,
                            const AggregateInput& input, int64_t row, const int32_t* groups,
                            int64_t count) noexcept {
  if (spec.cells != nullptr) {
    const bool is_far = cell_count_ * spec.cells->cell_bytes > kNearBytes;
    spec.cells->consume(cells_.data(), input, row, groups, count, is_far);
    return TOMBOLO_OK;
  }
  if (!spec.is_text) return TOMBOLO_OK;
  const ColumnView& view = input.view();
  const bool encoded = view.field->encoded;
  const ColumnView values = encoded ? dictionary_of(view) : view;
  for (int64_t i = 0; i < count; i++) {
    if (!input.valid(row + i)) continue;
    const int64_t at = encoded ? index_at(view, row + i) : row + i;
    const Status status = offer(context, spec.function, groups[i], bytes_at(values, at));
    if (status != TOMBOLO_OK) return status;
  }
  return TOMBOLO_OK;
}

BytesRef Accumulator::text(int64_t group) const noexcept {
  const TextCell& cell = cells_.as<TextCell>()[group];
  if (cell.size <= 0) return {nullptr, 0};
  return {texts_.as<uint8_t>() + cell.begin, cell.size};
}

// Takes a text when it is better than the group's. Rooms at least double, so that what is left
// behind in texts_ stays below what is in use.
Status Accumulator::offer(Context& context, AggregateFunction function, int64_t group,
                          BytesRef offered) noexcept {
  TextCell& cell = cells_.as<TextCell>()[group];
  if (cell.size >= 0) {
    const BytesRef best = text(group);
    const int64_t shared = best.size < offered.size ? best.size : offered.size;
    int64_t order = shared > 0 ? memcmp(offered.data, best.data, static_cast<size_t>(shared)) : 0;
    if (order == 0) order = offered.size - best.size;
    if (order == 0 || (order > 0) != (function == AggregateFunction::kMax)) return TOMBOLO_OK;
  }
  if (offered.size > cell.room) {
    const int64_t room = offered.size > 2 * cell.room ? offered.size : 2 * cell.room;
    const Status status = texts_.grow(context, text_bytes_ + room, text_bytes_);
    if (status != TOMBOLO_OK) return status;
    cell.begin = text_bytes_;
    cell.room = room;
    text_bytes_ += room;
  }
  cell.size = offered.size;
  if (offered.size > 0) {
    memcpy(texts_.as<uint8_t>() + cell.begin, offered.data, static_cast<size_t>(offered.size));
  }
  return TOMBOLO_OK;
}

Status Accumulator::merge(Context& context, const AggregateSpec& spec, const Accumulator& other,
                          const int32_t* to, int64_t other_count) noexcept {
  if (spec.cells == nullptr && !spec.is_text) return TOMBOLO_OK;
  const int64_t end = other.cell_count_ < other_count ? other.cell_count_ : other_count;
  for (int64_t begin = 0; begin < end; begin += kPollGroups) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t stop = begin + kPollGroups < end ? begin + kPollGroups : end;
    if (spec.cells != nullptr) {
      spec.cells->merge(cells_.data(), other.cells_.data(), to, begin, stop);
      continue;
    }
    for (int64_t i = begin; i < stop; i++) {
      if (other.cells_.as<TextCell>()[i].size < 0) continue;
      const Status status = offer(context, spec.function, to[i], other.text(i));
      if (status != TOMBOLO_OK) return status;
    }
  }
  return TOMBOLO_OK;
}

Status Accumulator::finish(Context& context, const AggregateSpec& spec, const int64_t* counts,
                           int64_t group_count, ArrowArray* column) const noexcept {
  Status status = open_array(context, column, spec.is_text ? 3 : 2);
  if (status != TOMBOLO_OK) return status;
  column->length = group_count;
  if (!spec.never_null) status = write_presence(context, counts, column);
  if (status != TOMBOLO_OK) return status;
  if (spec.is_text) {
    return write_texts(context, spec.is_large, column, [&](int64_t i) { return text(i); });
  }
  const int64_t bytes =
      group_count * (spec.cells != nullptr ? spec.cells->result_bytes : kCountBytes);
  void* out = array_buffer(context, column, 1, bytes, &status);
  if (out == nullptr) return status;
  pad_buffer(out, bytes);
  if (spec.cells == nullptr) {
    if (bytes > 0) memcpy(out, counts, static_cast<size_t>(bytes));
    return TOMBOLO_OK;
  }
  for (int64_t begin = 0; begin < group_count; begin += kPollGroups) {
    if (context.cancelled()) return context.fail_cancelled();
    const int64_t end = begin + kPollGroups < group_count ? begin + kPollGroups : group_count;
    spec.cells->result(cells_.data(), counts, begin, end, out);
  }
  return TOMBOLO_OK;
}

void Accumulator::clear() noexcept {
  cells_.reset();
  texts_.reset();
  cell_count_ = 0;
  text_bytes_ = 0;
}

Status write_presence(Context& context, const int64_t* counts, ArrowArray* column) noexcept {
  int64_t missing = 0;
  for (int64_t i = 0; i < column->length; i++) missing += counts[i] == 0 ? 1 : 0;
  column->null_count = missing;
  if (missing == 0) return TOMBOLO_OK;
  const int64_t bytes = bitmap_bytes(column->length);
  Status status = TOMBOLO_OK;
  auto* present = static_cast<uint8_t*>(array_buffer(context, column, 0, bytes, &status));
  if (present == nullptr) return status;
  memset(present, 0, static_cast<size_t>(bytes));
  pad_buffer(present, bytes);
  for (int64_t i = 0; i < column->length; i++) {
    const int32_t bit = counts[i] != 0 ? 1 : 0;
    present[i >> 3] = static_cast<uint8_t>(present[i >> 3] | bit << (i & 7));
  }
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
