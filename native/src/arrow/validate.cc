// SPDX-License-Identifier: Apache-2.0
#include "arrow/validate.h"

#include "arrow/validate_values.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr int64_t kDictionarySite = -1;  // a position below its owner, as the children's are

// Where a struct hangs in the tree; chained on the stack.
struct Site {
  const Site* above;  // NULL at the root
  int64_t position;
  int32_t depth;
};

// Text that a check returns when the fault is a released struct: it has a code of its own. Compared
// by address.
constexpr char kReleasedSchema[] = "a released schema";
constexpr char kReleasedArray[] = "a released array";

// Appends to a text that is cut to fit.
struct ErrorText {
  char text[256];
  size_t used = 0;

  void append(const char* more) noexcept {
    while (*more != '\0' && used + 1 < sizeof text) text[used++] = *more++;
    text[used] = '\0';
  }
  void append_number(int64_t number) noexcept {
    char digits[20];
    int32_t count = 0;
    for (; count == 0 || number > 0; number /= 10) {
      digits[count++] = static_cast<char>('0' + number % 10);
    }
    while (count > 0) {
      const char one[] = {digits[--count], '\0'};
      append(one);
    }
  }
};

Status fail_at(Context& context, const Site& site, const char* rule) noexcept {
  if (rule == kCheckCancelled) return context.fail_cancelled();
  const bool released = rule == kReleasedSchema || rule == kReleasedArray;
  const Site* path[kDepthMax + 2];
  int32_t count = 0;
  for (const Site* at = &site; at->above != nullptr; at = at->above) path[count++] = at;
  ErrorText error;
  error.append(rule);
  error.append(count == 0 ? ", at the root" : ", at ");
  const int64_t top = count == 0 ? kDictionarySite : path[count - 1]->position;
  while (count > 0) {
    const Site* at = path[--count];
    if (at->position == kDictionarySite) {
      error.append("dictionary");
    } else {
      error.append_number(at->position);
    }
    error.append(count > 0 ? "." : "");
  }
  return context.fail(released ? TOMBOLO_RELEASED : TOMBOLO_INVALID, error.text,
                      static_cast<int32_t>(top));
}

int32_t read_int32(const char* bytes) noexcept {
  int32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

const char* check_metadata(const char* metadata) noexcept {
  if (metadata == nullptr) return nullptr;
  const int32_t pairs = read_int32(metadata);
  if (pairs < 0 || pairs > kMetadataPairsMax) return "a metadata count out of range";
  int64_t used = 4;
  for (int32_t i = 0; i < pairs * 2; i++) {
    const int32_t size = read_int32(metadata + used);
    if (size < 0 || used + size > kMetadataBytesMax) return "a metadata length out of range";
    used += 4 + int64_t{size};
  }
  return nullptr;
}

const char* check_schema_children(const DataType& type, const ArrowSchema* schema,
                                  int64_t* structs) noexcept {
  const int64_t expected = is_union(type.id) ? type.union_count : child_count(type.id);
  if (expected >= 0 ? schema->n_children != expected : schema->n_children < 0) {
    return "a number of children that does not fit the format";
  }
  if (schema->n_children > kStructsMax) return "more children than the limit";
  // Structs that hang below themselves multiply: what is to come counts before it is looked at.
  *structs += schema->n_children + 1;
  if (*structs > kStructsMax) return "more structs than the limit";
  if (schema->n_children > 0 && schema->children == nullptr) return "a NULL table of children";
  for (int64_t i = 0; i < schema->n_children; i++) {
    if (schema->children[i] == nullptr) return "a NULL child";
    if (schema->children[i]->release == nullptr) return kReleasedSchema;
  }
  return nullptr;
}

// What the format asks of the children's own formats; those were not checked yet.
const char* check_child_formats(const DataType& type, const ArrowSchema* schema) noexcept {
  DataType child;
  if (type.id == TypeId::kMap) {
    const ArrowSchema* entries = schema->children[0];
    const bool pair = parse_format(entries->format, &child) && child.id == TypeId::kStruct &&
                      entries->n_children == 2;
    return pair ? nullptr : "a map whose child is not a struct of two";
  }
  if (type.id == TypeId::kRunEndEncoded) {
    const ArrowSchema* ends = schema->children[0];
    const bool known = parse_format(ends->format, &child) && ends->dictionary == nullptr;
    const bool fits = known && (child.id == TypeId::kInt16 || child.id == TypeId::kInt32 ||
                                child.id == TypeId::kInt64);
    if (!fits) return "run ends that are not int16, int32 or int64";
    if ((ends->flags & ARROW_FLAG_NULLABLE) != 0) return "run ends that are nullable";
  }
  return nullptr;
}

const char* check_schema(const ArrowSchema* schema, DataType* type, int64_t* structs) noexcept {
  if (schema == nullptr) return "a NULL schema";
  if (schema->release == nullptr) return kReleasedSchema;
  if (schema->format == nullptr) return "a NULL format";
  if (!parse_format(schema->format, type)) return "a format outside the grammar";
  if (schema->dictionary != nullptr) {
    if (!is_integer(type->id)) return "dictionary indices that are not integers";
    if (schema->dictionary->release == nullptr) return kReleasedSchema;
  }
  if (const char* broken = check_metadata(schema->metadata)) return broken;
  if (const char* broken = check_schema_children(*type, schema, structs)) return broken;
  return check_child_formats(*type, schema);
}

const char* check_counts(const DataType& type, const ArrowSchema* schema,
                         const ArrowArray* array) noexcept {
  if (array->length < 0) return "a negative length";
  if (array->offset < 0) return "a negative offset";
  // Room for the bits of the widest slot that is not fixed-size binary.
  if (array->length > (INT64_MAX >> 9) - array->offset) return "length and offset overflow";
  if (array->null_count < -1) return "null_count below -1";
  if (array->null_count > array->length) return "null_count exceeds length";
  if (array->null_count > 0 && type.id != TypeId::kNull && !has_validity(type.id)) {
    return "nulls in a layout without validity";
  }
  const int32_t buffers = buffer_count(type.id);
  if (buffers >= 0 ? array->n_buffers != buffers
                   : array->n_buffers < 3 || array->n_buffers > INT32_MAX) {
    return "a number of buffers that does not fit the format";
  }
  if (array->n_buffers > 0 && array->buffers == nullptr) return "a NULL table of buffers";
  if (array->n_children != schema->n_children) return "a number of children unlike the schema's";
  if (array->n_children > 0 && array->children == nullptr) return "a NULL table of children";
  for (int64_t i = 0; i < array->n_children; i++) {
    if (array->children[i] == nullptr) return "a NULL child";
    if (array->children[i]->release == nullptr) return kReleasedArray;
  }
  if (schema->dictionary == nullptr) {
    return array->dictionary == nullptr ? nullptr : "a dictionary that the schema does not have";
  }
  if (array->dictionary == nullptr) return "a dictionary is missing";
  return array->dictionary->release == nullptr ? kReleasedArray : nullptr;
}

const char* check_variadic(const ArrowArray* array) noexcept {
  const int64_t variadic = array->n_buffers - 3;
  const auto* sizes = static_cast<const char*>(array->buffers[array->n_buffers - 1]);
  if (variadic > 0 && sizes == nullptr) return "a NULL buffer of variadic sizes";
  for (int64_t i = 0; i < variadic; i++) {
    int64_t size;
    memcpy(&size, sizes + i * 8, sizeof size);
    if (size < 0) return "a negative variadic size";
    if (size > 0 && array->buffers[2 + i] == nullptr) return "a NULL buffer that is not empty";
  }
  return nullptr;
}

// Buffers that hold something for every slot; those that variable-size values lie in come later.
const char* check_buffers(const DataType& type, const ArrowArray* array) noexcept {
  if (has_validity(type.id) && array->null_count > 0 && array->buffers[0] == nullptr) {
    return "nulls without a validity buffer";
  }
  if (type.id == TypeId::kFixedSizeBinary) {
    int64_t size;
    if (__builtin_mul_overflow(array->length + array->offset, int64_t{type.width}, &size)) {
      return "length and offset overflow";
    }
  }
  if (is_view(type.id)) {
    if (const char* broken = check_variadic(array)) return broken;
  }
  if (array->length == 0) return nullptr;
  int64_t first = has_validity(type.id) ? 1 : 0;
  int64_t last = buffer_count(type.id);
  if (has_offsets32(type.id) || has_offsets64(type.id) || is_view(type.id)) last = 2;
  if (type.id == TypeId::kFixedSizeBinary && type.width == 0) last = first;
  for (; first < last; first++) {
    if (array->buffers[first] == nullptr) return "a NULL buffer that is not empty";
  }
  return nullptr;
}

// The first and the last of the offsets that the array uses, widened.
template <class T>
bool offset_ends(const ArrowArray* array, int64_t* first, int64_t* last) noexcept {
  T ends[2];
  const auto* offsets =
      static_cast<const char*>(array->buffers[1]) + array->offset * static_cast<int64_t>(sizeof(T));
  memcpy(&ends[0], offsets, sizeof(T));
  memcpy(&ends[1], offsets + array->length * static_cast<int64_t>(sizeof(T)), sizeof(T));
  *first = ends[0];
  *last = ends[1];
  return ends[0] >= 0 && ends[0] <= ends[1];
}

const char* check_offset_ends(bool wide, bool list, const ArrowArray* array) noexcept {
  if (array->length == 0) return nullptr;
  int64_t first = 0;
  int64_t last = 0;
  const bool rising = wide ? offset_ends<int64_t>(array, &first, &last)
                           : offset_ends<int32_t>(array, &first, &last);
  if (!rising) return "offsets that are negative or decrease";
  if (list) return last > array->children[0]->length ? "offsets past the child" : nullptr;
  const bool missing = last > first && array->buffers[2] == nullptr;
  return missing ? "a NULL buffer that is not empty" : nullptr;
}

const char* check_run_end_lengths(const ArrowArray* array) noexcept {
  const ArrowArray* ends = array->children[0];
  if (ends->null_count > 0) return "run ends have nulls";
  if (ends->length > array->children[1]->length) return "more run ends than values";
  return array->length > 0 && ends->length == 0 ? "run ends stop before the array does" : nullptr;
}

// What an array asks of its children's lengths. The children's own structure is sound.
const char* check_extents(const DataType& type, const ArrowArray* array) noexcept {
  switch (type.id) {
    case TypeId::kBinary:
    case TypeId::kUtf8: return check_offset_ends(false, false, array);
    case TypeId::kLargeBinary:
    case TypeId::kLargeUtf8: return check_offset_ends(true, false, array);
    case TypeId::kMap:
      if (array->children[0]->null_count > 0) return "map entries have nulls";
      if (array->children[0]->children[0]->null_count > 0) return "map keys have nulls";
      return check_offset_ends(false, true, array);
    case TypeId::kList: return check_offset_ends(false, true, array);
    case TypeId::kLargeList: return check_offset_ends(true, true, array);
    case TypeId::kFixedSizeList: {
      int64_t items;
      if (__builtin_mul_overflow(array->length + array->offset, int64_t{type.list_size}, &items)) {
        return "length and offset overflow";
      }
      return array->children[0]->length < items ? "a child shorter than its parent" : nullptr;
    }
    case TypeId::kStruct:
    case TypeId::kSparseUnion:
      for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->length < array->length + array->offset) {
          return "a child shorter than its parent";
        }
      }
      return nullptr;
    case TypeId::kRunEndEncoded: return check_run_end_lengths(array);
    default: return nullptr;
  }
}

class Validator {
 public:
  Validator(Context& context, int32_t level) noexcept : context_(context), level_(level) {}

  Status check(const ArrowSchema* schema, const ArrowArray* array, const Site& site) noexcept {
    DataType type;
    if (site.depth > kDepthMax) return fail_at(context_, site, "nesting exceeds 64 levels");
    const char* broken = check_schema(schema, &type, &structs_);
    if (broken == nullptr && array != nullptr) broken = check_counts(type, schema, array);
    if (broken == nullptr && array != nullptr) broken = check_buffers(type, array);
    if (broken != nullptr) return fail_at(context_, site, broken);
    const Status status = check_below(schema, array, site);
    if (status != TOMBOLO_OK || array == nullptr) return status;
    broken = check_extents(type, array);
    if (broken == nullptr && level_ >= TOMBOLO_VALIDATE_FULL) {
      broken = check_values(context_, type, schema, array);
    }
    return broken == nullptr ? TOMBOLO_OK : fail_at(context_, site, broken);
  }

 private:
  Status check_below(const ArrowSchema* schema, const ArrowArray* array,
                     const Site& site) noexcept {
    for (int64_t i = 0; i < schema->n_children; i++) {
      const ArrowArray* child = array == nullptr ? nullptr : array->children[i];
      const Status status = check(schema->children[i], child, {&site, i, site.depth + 1});
      if (status != TOMBOLO_OK) return status;
    }
    if (schema->dictionary == nullptr) return TOMBOLO_OK;
    return check(schema->dictionary, array == nullptr ? nullptr : array->dictionary,
                 {&site, kDictionarySite, site.depth + 1});
  }

  Context& context_;
  const int32_t level_;
  int64_t structs_ = 0;  // seen so far, children that are still to come included
};

}  // namespace

tombolo_status validate(tombolo_context* raw, const ArrowSchema* schema, const ArrowArray* array,
                        int32_t level) noexcept {
  Context context(raw);
  if (level != TOMBOLO_VALIDATE_STRUCTURE && level != TOMBOLO_VALIDATE_FULL) {
    return context.fail(TOMBOLO_INVALID, "no such level of validation");
  }
  const Site root = {nullptr, 0, 0};
  if (array != nullptr && array->release == nullptr) {
    return fail_at(context, root, kReleasedArray);
  }
  return Validator(context, level).check(schema, array, root);
}

}  // namespace v0
}  // namespace tombolo
