// SPDX-License-Identifier: Apache-2.0
//
// The geo kernels: columns of float64 in, columns of float64 or int64 out. native/README.md says
// what they compute.
#include "arrow/validity.h"
#include "geo/geo_ops.h"
#include "kernels/kernel.h"
#include "kernels/registry.h"

namespace tombolo {
inline namespace v0 {
namespace {

constexpr double kEarthRadius_miles = 3958.7613;
constexpr int32_t kColumnsMax = 4;

// A kernel over columns of float64.
struct GeoKernel : BoundKernel {
  Status check_columns(Context& context, int32_t count) const noexcept {
    if (input_count != 1) return context.fail(TOMBOLO_INVALID, "the kernel takes one input");
    if (inputs[0].column_count() != count) {
      return context.fail(TOMBOLO_INVALID, "a wrong number of columns", -1, 0);
    }
    for (int32_t i = 0; i < count; i++) {
      const Field& field = inputs[0].column(i);
      if (field.encoded || field.type.id != TypeId::kFloat64) {
        return context.fail(TOMBOLO_TYPE, "the kernel takes float64 columns", i, 0);
      }
    }
    return TOMBOLO_OK;
  }
};

Status result_schema(Context& context, ArrowSchema* output, const char* format, int64_t count,
                     const char* const* names) noexcept {
  Status status = open_batch_schema(context, output, count);
  for (int64_t i = 0; status == TOMBOLO_OK && i < count; i++) {
    status = open_schema(context, output->children[i], format, names[i], ARROW_FLAG_NULLABLE, 0);
  }
  return status;
}

// Opens a result batch of count columns with 8 bytes for each row, not filled; values gets them.
template <class T>
Status open_result(Context& context, ArrowArray* output, int64_t rows, int64_t count,
                   T** values) noexcept {
  Status status = open_batch(context, output, rows, count);
  for (int64_t i = 0; status == TOMBOLO_OK && i < count; i++) {
    ArrowArray* column = output->children[i];
    status = open_array(context, column, 2);
    if (status != TOMBOLO_OK) return status;
    column->length = rows;
    const int64_t size_bytes = rows * static_cast<int64_t>(sizeof(T));
    values[i] = static_cast<T*>(array_buffer(context, column, 1, size_bytes, &status));
    if (values[i] != nullptr) pad_buffer(values[i], size_bytes);
  }
  return status;
}

// The input columns of one run and where their rows are valid.
struct Operands {
  const double* values[kColumnsMax];
  Validity validity;

  Status open(Context& context, const BatchView& batch) noexcept {
    ColumnView columns[kColumnsMax];
    for (int32_t i = 0; i < batch.column_count(); i++) {
      columns[i] = batch.column(i);
      values[i] = columns[i].values<double>();
    }
    return intersect_validity(context, columns, batch.column_count(), batch.length(), &validity);
  }

  // The bitmap from row begin on, a multiple of 8.
  const uint8_t* valid_from(int64_t begin) const noexcept {
    return validity.bits() == nullptr ? nullptr : validity.bits() + begin / 8;
  }
};

// Calls work(begin, rows) for blocks of whole words of rows, with a look at the cancel flag before
// each.
template <class Work>
Status for_blocks(Context& context, int64_t rows, int64_t row_bytes, const Work& work) noexcept {
  const int64_t step = kPollBytes / row_bytes;
  for (int64_t begin = 0; begin < rows; begin += step) {
    if (context.cancelled()) return context.fail_cancelled();
    work(begin, rows - begin < step ? rows - begin : step);
  }
  return TOMBOLO_OK;
}

struct GreatCircleDistance : GeoKernel {
  double radius = kEarthRadius_miles;

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {"radius", nullptr};
    Status status = options.check_names(context, names);
    if (status == TOMBOLO_OK) status = options.real(context, "radius", &radius, nullptr);
    if (status == TOMBOLO_OK) status = check_columns(context, 4);
    const char* const result[] = {"result"};
    return status == TOMBOLO_OK ? result_schema(context, output, "g", 1, result) : status;
  }

  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
    const int64_t rows = batches[0].length();
    Operands in;
    double* distance = nullptr;
    Status status = in.open(context, batches[0]);
    if (status == TOMBOLO_OK) status = open_result(context, output, rows, 1, &distance);
    if (status != TOMBOLO_OK) return status;
    status = for_blocks(context, rows, 32, [&](int64_t begin, int64_t n) {
      ops->geo->great_circle(in.values[0] + begin, in.values[1] + begin, in.values[2] + begin,
                             in.values[3] + begin, n, radius, in.valid_from(begin),
                             distance + begin);
    });
    adopt_validity(output->children[0], static_cast<Validity&&>(in.validity));
    return status;
  }
};

using PairFunction = void (*)(const double* first, const double* second, int64_t n,
                              const uint8_t* valid, double* out_first, double* out_second);

Status run_pairs(Context& context, PairFunction function, const BatchView& batch,
                 ArrowArray* output) noexcept {
  const int64_t rows = batch.length();
  Operands in;
  double* out[2] = {nullptr, nullptr};
  Status status = in.open(context, batch);
  if (status == TOMBOLO_OK) status = open_result(context, output, rows, 2, out);
  if (status != TOMBOLO_OK) return status;
  status = for_blocks(context, rows, 16, [&](int64_t begin, int64_t n) {
    function(in.values[0] + begin, in.values[1] + begin, n, in.valid_from(begin), out[0] + begin,
             out[1] + begin);
  });
  if (status != TOMBOLO_OK) return status;
  status = copy_validity(context, output->children[0], in.validity, rows);
  adopt_validity(output->children[1], static_cast<Validity&&>(in.validity));
  return status;
}

struct WebMercatorForward : GeoKernel {
  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {nullptr};
    Status status = options.check_names(context, names);
    if (status == TOMBOLO_OK) status = check_columns(context, 2);
    const char* const results[] = {"x", "y"};
    return status == TOMBOLO_OK ? result_schema(context, output, "g", 2, results) : status;
  }

  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
    return run_pairs(context, ops->geo->mercator_forward, batches[0], output);
  }
};

struct WebMercatorInverse : GeoKernel {
  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {nullptr};
    Status status = options.check_names(context, names);
    if (status == TOMBOLO_OK) status = check_columns(context, 2);
    const char* const results[] = {"longitude", "latitude"};
    return status == TOMBOLO_OK ? result_schema(context, output, "g", 2, results) : status;
  }

  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
    return run_pairs(context, ops->geo->mercator_inverse, batches[0], output);
  }
};

struct GridCell : GeoKernel {
  double size = 0;

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {"size", nullptr};
    Status status = options.check_names(context, names);
    bool given = false;
    if (status == TOMBOLO_OK) status = options.real(context, "size", &size, &given);
    if (status != TOMBOLO_OK) return status;
    if (!given) return context.fail(TOMBOLO_INVALID, "missing option: size");
    if (!(size > 0)) return context.fail(TOMBOLO_INVALID, "not above zero: option size");
    status = check_columns(context, 2);
    const char* const result[] = {"result"};
    return status == TOMBOLO_OK ? result_schema(context, output, "l", 1, result) : status;
  }

  Status run(Context& context, const BatchView* batches, ArrowArray* output) const noexcept {
    const int64_t rows = batches[0].length();
    Operands in;
    int64_t* cells = nullptr;
    Status status = in.open(context, batches[0]);
    if (status == TOMBOLO_OK) status = open_result(context, output, rows, 1, &cells);
    if (status != TOMBOLO_OK) return status;
    ArrowArray* column = output->children[0];
    const int64_t size_bytes = (rows + 63) / 64 * 8;
    auto* kept = static_cast<uint8_t*>(array_buffer(context, column, 0, size_bytes, &status));
    if (kept == nullptr) return status;
    pad_buffer(kept, size_bytes);
    int64_t count = 0;
    status = for_blocks(context, rows, 16, [&](int64_t begin, int64_t n) {
      count += ops->geo->grid_cell(in.values[0] + begin, in.values[1] + begin, n, size,
                                   in.valid_from(begin), cells + begin, kept + begin / 8);
    });
    column->null_count = rows - count;
    if (count == rows) drop_buffer(column, 0);
    return status;
  }
};

}  // namespace

const tombolo_kernel kGreatCircleDistanceKernel =
    map_kernel<GreatCircleDistance>("great_circle_distance", 1);
const tombolo_kernel kGridCellKernel = map_kernel<GridCell>("grid_cell", 1);
const tombolo_kernel kWebMercatorForwardKernel =
    map_kernel<WebMercatorForward>("web_mercator_forward", 1);
const tombolo_kernel kWebMercatorInverseKernel =
    map_kernel<WebMercatorInverse>("web_mercator_inverse", 1);

}  // namespace v0
}  // namespace tombolo
