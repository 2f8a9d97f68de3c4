// SPDX-License-Identifier: Apache-2.0
//
// group_by: aggregates of rows that have equal keys, in order of the keys' first appearance.
#include "kernels/aggregate.h"
#include "kernels/kernel.h"
#include "kernels/key_set.h"
#include "kernels/registry.h"
#include "kernels/text_result.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr int32_t kKeysPerGroupMax = 2;
constexpr int64_t kNumberBytes = static_cast<int64_t>(sizeof(int32_t));

// A fixed number of objects in memory of the context's allocator.
template <class T>
class ObjectRow {
 public:
  ObjectRow() noexcept = default;
  ObjectRow(const ObjectRow&) = delete;
  ObjectRow& operator=(const ObjectRow&) = delete;
  ~ObjectRow() noexcept {
    for (int64_t i = 0; i < count_; i++) memory_.as<T>()[i].~T();
  }
  Status open(Context& context, int64_t count) noexcept {
    const Status status = memory_.allocate(context, count * static_cast<int64_t>(sizeof(T)));
    if (status != TOMBOLO_OK) return status;
    for (; count_ < count; count_++) new (memory_.as<T>() + count_) T();
    return TOMBOLO_OK;
  }
  int64_t count() const noexcept { return count_; }
  T& operator[](int64_t i) const noexcept { return memory_.as<T>()[i]; }

 private:
  Buffer memory_;
  int64_t count_ = 0;
};

// The key or aggregate that an option names.
bool is_option(const tombolo_option& option, const char* name) noexcept {
  return strcmp(option.name, name) == 0;
}

struct GroupBy : BoundKernel {
  int32_t key_count = 0;
  int32_t keys[kKeysPerGroupMax] = {};
  ObjectRow<AggregateSpec> aggregates;
  Buffer input_columns;  // int32: the distinct columns of the aggregates
  int32_t distinct_inputs = 0;

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {"key", "aggregate", nullptr};
    Status status = options.check_names(context, names);
    if (status == TOMBOLO_OK) status = bind_keys(context, options);
    if (status == TOMBOLO_OK) status = bind_aggregates(context, options);
    if (status == TOMBOLO_OK) status = check_output_names(context);
    if (status != TOMBOLO_OK) return status;
    const int64_t column_count = key_count + aggregates.count();
    status = open_batch_schema(context, output, column_count);
    for (int64_t i = 0; status == TOMBOLO_OK && i < column_count; i++) {
      const char* format =
          i < key_count ? key_format(inputs[0].column(keys[i])) : aggregates[i - key_count].format;
      status =
          open_schema(context, output->children[i], format, output_name(i), ARROW_FLAG_NULLABLE, 0);
    }
    return status;
  }

  const char* output_name(int64_t i) const noexcept {
    if (i >= key_count) return aggregates[i - key_count].name;
    const char* name = inputs[0].column(keys[i]).schema->name;
    return name != nullptr ? name : "";
  }

  // A name that two columns of the result had would say nothing.
  Status check_output_names(Context& context) const noexcept {
    for (int64_t i = 1; i < key_count + aggregates.count(); i++) {
      for (int64_t j = 0; j < i; j++) {
        if (strcmp(output_name(i), output_name(j)) != 0) continue;
        return context.fail(TOMBOLO_INVALID, "two columns of the result have one name");
      }
    }
    return TOMBOLO_OK;
  }

  Status bind_keys(Context& context, const Options& options) noexcept {
    for (int64_t i = 0; i < options.count(); i++) {
      const tombolo_option& option = options.at(i);
      if (!is_option(option, "key")) continue;
      if (option.kind != TOMBOLO_OPTION_INTEGER) {
        return context.fail(TOMBOLO_INVALID, "an option of the wrong kind");
      }
      if (key_count == kKeysPerGroupMax) {
        return context.fail(TOMBOLO_INVALID, "group_by takes one or two options: key");
      }
      const int64_t column = option.value.integer;
      if (column < 0 || column >= inputs[0].column_count()) {
        const bool has_place = column >= 0 && column <= std::numeric_limits<int32_t>::max();
        return context.fail(TOMBOLO_INVALID, "the column is missing",
                            has_place ? static_cast<int32_t>(column) : -1, 0);
      }
      keys[key_count] = static_cast<int32_t>(column);
      if (key_kind_of(inputs[0].column(keys[key_count])) == KeyKind::kNone) {
        return context.fail(TOMBOLO_TYPE, "the column's type is no group key", keys[key_count], 0);
      }
      key_count++;
    }
    if (key_count > 0) return TOMBOLO_OK;
    return context.fail(TOMBOLO_INVALID, "group_by takes one or two options: key");
  }

  Status bind_aggregates(Context& context, const Options& options) noexcept {
    int64_t count = 0;
    for (int64_t i = 0; i < options.count(); i++) {
      if (is_option(options.at(i), "aggregate")) count++;
    }
    Status status = aggregates.open(context, count);
    if (status != TOMBOLO_OK) return status;
    status = input_columns.allocate(context, count * kNumberBytes);
    if (status != TOMBOLO_OK) return status;
    int64_t next = 0;
    for (int64_t i = 0; i < options.count(); i++) {
      const tombolo_option& option = options.at(i);
      if (!is_option(option, "aggregate")) continue;
      if (option.kind != TOMBOLO_OPTION_TEXT) {
        return context.fail(TOMBOLO_INVALID, "an option of the wrong kind");
      }
      AggregateSpec& spec = aggregates[next++];
      status = parse_aggregate(context, inputs[0], option, &spec);
      if (status != TOMBOLO_OK) return status;
      spec.input = input_of(spec.column);
    }
    for (int64_t i = 0; i < count; i++) share_cells(i);
    return TOMBOLO_OK;
  }

  // Sum and mean of one column, and whatever was asked for twice, keep their cells once: with the
  // first mean of an integer column, else with the first that has the same cells.
  void share_cells(int64_t i) noexcept {
    AggregateSpec& spec = aggregates[i];
    const auto is_total = [](const AggregateSpec& other) {
      return other.function == AggregateFunction::kSum ||
             other.function == AggregateFunction::kMean;
    };
    bool is_wide = false;
    spec.owner = static_cast<int32_t>(i);
    for (int64_t j = 0; j < aggregates.count() && !is_wide; j++) {
      const AggregateSpec& other = aggregates[j];
      if (other.column != spec.column) continue;
      is_wide = spec.is_whole && spec.function == AggregateFunction::kSum &&
                other.function == AggregateFunction::kMean;
      const bool is_first = j < spec.owner;
      const bool is_same =
          other.function == spec.function || (!spec.is_whole && is_total(spec) && is_total(other));
      if (is_wide || (is_first && is_same)) spec.owner = static_cast<int32_t>(j);
    }
    if (is_wide) spec.cells = &kWideSumOps;
  }

  // The position of a column among the distinct ones, where it is added when it is new.
  int32_t input_of(int32_t column) noexcept {
    auto* columns = input_columns.as<int32_t>();
    for (int32_t i = 0; i < distinct_inputs; i++) {
      if (columns[i] == column) return i;
    }
    columns[distinct_inputs] = column;
    return distinct_inputs++;
  }

  // Text comes back as large_utf8 where it came so, else as utf8.
  static const char* key_format(const Field& field) noexcept {
    if (key_kind_of(field) != KeyKind::kText) return field.schema->format;
    return is_large(field) ? "U" : "u";
  }
  static bool is_large(const Field& field) noexcept {
    return field.type.id == TypeId::kLargeUtf8 && !field.encoded;
  }

  struct State {
    KeySet sets[kKeysPerGroupMax];
    KeyColumn columns[kKeysPerGroupMax];
    PairSet pairs;  // two keys only
    Buffer rows;    // int64 by group
    int64_t rows_count = 0;
    ObjectRow<AggregateInput> group_inputs;
    ObjectRow<Accumulator> accumulators;
    bool broken = false;

    Status open(Context& context, const GroupBy& kernel) noexcept {
      Status status = group_inputs.open(context, kernel.distinct_inputs);
      if (status != TOMBOLO_OK) return status;
      for (int32_t i = 0; i < kernel.distinct_inputs; i++) {
        group_inputs[i].open(kernel.input_columns.as<int32_t>()[i]);
      }
      status = accumulators.open(context, kernel.aggregates.count());
      if (status != TOMBOLO_OK) return status;
      return clear(context, kernel);
    }

    Status clear(Context& context, const GroupBy& kernel) noexcept {
      rows.reset();
      rows_count = 0;
      for (int64_t i = 0; i < group_inputs.count(); i++) group_inputs[i].clear();
      for (int64_t i = 0; i < accumulators.count(); i++) accumulators[i].clear();
      Status status = TOMBOLO_OK;
      for (int32_t i = 0; status == TOMBOLO_OK && i < kernel.key_count; i++) {
        status = sets[i].open(context, key_kind_of(kernel.inputs[0].column(kernel.keys[i])));
      }
      if (status == TOMBOLO_OK && kernel.key_count == 2) status = pairs.open(context);
      return status;
    }

    // A call that fails midway has taken part of its batch: the state then refuses everything but
    // close.
    Status enter(Context& context) noexcept {
      if (broken) return context.fail(TOMBOLO_INVALID, "an earlier call on this state failed");
      broken = true;
      return TOMBOLO_OK;
    }

    int64_t group_count(const GroupBy& kernel) const noexcept {
      return kernel.key_count == 2 ? pairs.count() : sets[0].count();
    }

    Status consume(Context& context, const GroupBy& kernel, const BatchView& batch) noexcept {
      Status status = enter(context);
      for (int32_t i = 0; status == TOMBOLO_OK && i < kernel.key_count; i++) {
        status = columns[i].open(context, batch.column(kernel.keys[i]));
      }
      for (int64_t i = 0; status == TOMBOLO_OK && i < group_inputs.count(); i++) {
        status = group_inputs[i].begin(context, batch);
      }
      for (int64_t row = 0; status == TOMBOLO_OK && row < batch.length();) {
        if (context.cancelled()) return context.fail_cancelled();
        int64_t count = kKeyBlockRows;
        for (int32_t i = 0; i < kernel.key_count; i++) {
          const int64_t fits = columns[i].block_rows(row, batch.length());
          count = fits < count ? fits : count;
        }
        status = consume_block(context, kernel, row, count);
        row += count;
      }
      broken = status != TOMBOLO_OK;
      return status;
    }

    Status consume_block(Context& context, const GroupBy& kernel, int64_t row,
                         int64_t count) noexcept {
      int32_t groups[kKeyBlockRows];
      int32_t seconds[kKeyBlockRows];
      const HashOps& ops = *kernel.ops->hash;
      Status status = TOMBOLO_OK;
      for (int32_t i = 0; i < kernel.key_count; i++) {
        int32_t* numbers = i == 0 ? groups : seconds;
        status = sets[i].number(context, ops, columns[i], row, count, numbers);
        if (status != TOMBOLO_OK) return at_key(context, status, kernel, i);
      }
      if (kernel.key_count == 2) {
        status =
            pairs.number(context, ops, groups, seconds, count, sets[0].count(), sets[1].count());
        if (status != TOMBOLO_OK) return status;
      }
      const int64_t group_total = group_count(kernel);
      status = grow_rows(context, group_total);
      if (status != TOMBOLO_OK) return status;
      auto* row_counts = rows.as<int64_t>();
      for (int64_t i = 0; i < count; i++) row_counts[groups[i]]++;
      for (int64_t i = 0; i < group_inputs.count(); i++) {
        status = group_inputs[i].consume(context, row, groups, count, group_total);
        if (status != TOMBOLO_OK) return status;
      }
      for (int64_t i = 0; i < accumulators.count(); i++) {
        const AggregateSpec& spec = kernel.aggregates[i];
        if (spec.owner != i) continue;
        status = accumulators[i].grow(context, spec, group_total);
        if (status != TOMBOLO_OK) return status;
        status =
            accumulators[i].consume(context, spec, group_inputs[spec.input], row, groups, count);
        if (status != TOMBOLO_OK) return status;
      }
      return TOMBOLO_OK;
    }

    // Only a bad index is a column's own; the number of groups is nobody's.
    static Status at_key(Context& context, Status status, const GroupBy& kernel,
                         int32_t i) noexcept {
      return status == TOMBOLO_INDEX ? at_column(context, status, kernel.keys[i]) : status;
    }

    Status grow_rows(Context& context, int64_t group_total) noexcept {
      if (group_total <= rows_count) return TOMBOLO_OK;
      const Status status = rows.grow(context, group_total * kCountBytes, rows_count * kCountBytes);
      if (status != TOMBOLO_OK) return status;
      memset(rows.as<int64_t>() + rows_count, 0,
             static_cast<size_t>((group_total - rows_count) * kCountBytes));
      rows_count = group_total;
      return TOMBOLO_OK;
    }

    Status merge(Context& context, const GroupBy& kernel, State& other) noexcept {
      Status status = enter(context);
      if (status != TOMBOLO_OK) return status;
      status = other.enter(context);
      if (status != TOMBOLO_OK) return status;
      Buffer to;
      status = merge_groups(context, kernel, other, &to);
      if (status == TOMBOLO_OK) {
        status = merge_aggregates(context, kernel, other, to.as<int32_t>());
      }
      if (status == TOMBOLO_OK) status = other.clear(context, kernel);
      if (status != TOMBOLO_OK) return status;
      broken = false;
      other.broken = false;
      return TOMBOLO_OK;
    }

    // Adds other's groups in their order; to gets the group here for each group there.
    Status merge_groups(Context& context, const GroupBy& kernel, const State& other,
                        Buffer* to) noexcept {
      Status status = to->allocate(context, other.sets[0].count() * kNumberBytes);
      if (status != TOMBOLO_OK) return status;
      status = sets[0].merge(context, other.sets[0], to->as<int32_t>());
      if (status != TOMBOLO_OK || kernel.key_count == 1) return status;

      Buffer second;
      status = second.allocate(context, other.sets[1].count() * kNumberBytes);
      if (status != TOMBOLO_OK) return status;
      status = sets[1].merge(context, other.sets[1], second.as<int32_t>());
      if (status != TOMBOLO_OK) return status;

      Buffer groups;
      status = groups.allocate(context, other.pairs.count() * kNumberBytes);
      int32_t seconds[kKeyBlockRows];
      for (int64_t begin = 0; status == TOMBOLO_OK && begin < other.pairs.count();) {
        if (context.cancelled()) return context.fail_cancelled();
        const int64_t left = other.pairs.count() - begin;
        const int64_t count = left < kKeyBlockRows ? left : kKeyBlockRows;
        int32_t* firsts = groups.as<int32_t>() + begin;
        for (int64_t i = 0; i < count; i++) {
          firsts[i] = to->as<int32_t>()[other.pairs.first(begin + i)];
          seconds[i] = second.as<int32_t>()[other.pairs.second(begin + i)];
        }
        status = pairs.number(context, *kernel.ops->hash, firsts, seconds, count, sets[0].count(),
                              sets[1].count());
        begin += count;
      }
      *to = static_cast<Buffer&&>(groups);
      return status;
    }

    Status merge_aggregates(Context& context, const GroupBy& kernel, const State& other,
                            const int32_t* to) noexcept {
      const int64_t group_total = group_count(kernel);
      const int64_t other_total = other.group_count(kernel);
      Status status = grow_rows(context, group_total);
      if (status != TOMBOLO_OK) return status;
      for (int64_t i = 0; i < other.rows_count; i++) {
        rows.as<int64_t>()[to[i]] += other.rows.as<int64_t>()[i];
      }
      for (int64_t i = 0; i < group_inputs.count(); i++) {
        status =
            group_inputs[i].merge(context, other.group_inputs[i], to, other_total, group_total);
        if (status != TOMBOLO_OK) return status;
      }
      for (int64_t i = 0; i < accumulators.count(); i++) {
        const AggregateSpec& spec = kernel.aggregates[i];
        if (spec.owner != i) continue;
        status = accumulators[i].grow(context, spec, group_total);
        if (status != TOMBOLO_OK) return status;
        status = accumulators[i].merge(context, spec, other.accumulators[i], to, other_total);
        if (status != TOMBOLO_OK) return status;
      }
      return TOMBOLO_OK;
    }

    Status finish(Context& context, const GroupBy& kernel, ArrowArray* output) noexcept {
      Status status = enter(context);
      if (status != TOMBOLO_OK) return status;
      const int64_t group_total = group_count(kernel);
      status =
          open_batch(context, output, group_total, kernel.key_count + kernel.aggregates.count());
      for (int32_t i = 0; status == TOMBOLO_OK && i < kernel.key_count; i++) {
        if (context.cancelled()) return context.fail_cancelled();
        status = finish_key(context, kernel, i, output->children[i]);
      }
      for (int64_t i = 0; status == TOMBOLO_OK && i < accumulators.count(); i++) {
        if (context.cancelled()) return context.fail_cancelled();
        const AggregateSpec& spec = kernel.aggregates[i];
        Buffer scratch;
        const int64_t* counts = nullptr;
        Accumulator& accumulator = accumulators[spec.owner];
        status = accumulator.grow(context, kernel.aggregates[spec.owner], group_total);
        if (status != TOMBOLO_OK) return status;
        status = group_inputs[spec.input].counts(context, rows, group_total, &scratch, &counts);
        if (status != TOMBOLO_OK) return status;
        status = accumulator.finish(context, spec, counts, group_total,
                                    output->children[kernel.key_count + i]);
      }
      if (status == TOMBOLO_OK) status = clear(context, kernel);
      broken = status != TOMBOLO_OK;
      return status;
    }

    int32_t number_of(const GroupBy& kernel, int32_t key, int64_t group) const noexcept {
      if (kernel.key_count == 1) return static_cast<int32_t>(group);
      return key == 0 ? pairs.first(group) : pairs.second(group);
    }

    Status finish_key(Context& context, const GroupBy& kernel, int32_t key,
                      ArrowArray* column) const noexcept {
      const KeySet& set = sets[key];
      const bool is_text = set.kind() == KeyKind::kText;
      const int64_t group_total = group_count(kernel);
      Status status = open_array(context, column, is_text ? 3 : 2);
      if (status != TOMBOLO_OK) return status;
      column->length = group_total;
      if (set.null_number() >= 0) {
        Buffer present;
        status = present.allocate(context, group_total * kCountBytes);
        if (status != TOMBOLO_OK) return status;
        for (int64_t i = 0; i < group_total; i++) {
          present.as<int64_t>()[i] = number_of(kernel, key, i) != set.null_number() ? 1 : 0;
        }
        status = write_presence(context, present.as<int64_t>(), column);
        if (status != TOMBOLO_OK) return status;
      }
      const Field& field = kernel.inputs[0].column(kernel.keys[key]);
      if (is_text) {
        return write_texts(context, is_large(field), column,
                           [&](int64_t i) { return set.text(number_of(kernel, key, i)); });
      }
      return finish_integers(context, kernel, key, field.type, column);
    }

    Status finish_integers(Context& context, const GroupBy& kernel, int32_t key,
                           const DataType& type, ArrowArray* column) const noexcept {
      const uint64_t* keys = sets[key].integers();
      const bool is_bool = type.id == TypeId::kBool;
      const int64_t bytes = is_bool ? bitmap_bytes(column->length) : column->length * type.width;
      Status status = TOMBOLO_OK;
      auto* out = static_cast<uint8_t*>(array_buffer(context, column, 1, bytes, &status));
      if (out == nullptr) return status;
      if (is_bool) memset(out, 0, static_cast<size_t>(bytes));
      pad_buffer(out, bytes);
      for (int64_t i = 0; i < column->length; i++) {
        const uint64_t value = keys[number_of(kernel, key, i)];
        if (is_bool) {
          out[i >> 3] = static_cast<uint8_t>(out[i >> 3] | value << (i & 7));
          continue;
        }
        switch (type.width) {
          case 1: store<uint8_t>(out, i, value); break;
          case 2: store<uint16_t>(out, i, value); break;
          case 4: store<uint32_t>(out, i, value); break;
          default: store<uint64_t>(out, i, value); break;
        }
      }
      return TOMBOLO_OK;
    }

    template <class T>
    static void store(uint8_t* out, int64_t i, uint64_t value) noexcept {
      reinterpret_cast<T*>(out)[i] = static_cast<T>(value);
    }
  };
};

}  // namespace

const tombolo_kernel kGroupByKernel = accumulate_kernel<GroupBy>("group_by");

}  // namespace v0
}  // namespace tombolo
