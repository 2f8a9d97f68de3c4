// SPDX-License-Identifier: Apache-2.0
//
// rechunk: the same rows in batches of another length.
#include "kernels/joined_column.h"
#include "kernels/kernel.h"
#include "kernels/operands.h"
#include "kernels/registry.h"

namespace tombolo {
inline namespace v0 {
namespace {

// Batches in the order that they came, each released with the queue unless it was taken out.
class BatchQueue {
 public:
  BatchQueue() noexcept = default;
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;
  ~BatchQueue() noexcept { clear(); }

  int64_t count() const noexcept { return end_ - begin_; }
  const ArrowArray* at(int64_t i) const noexcept { return items_.as<ArrowArray>() + begin_ + i; }

  // Takes the batch over.
  Status push(Context& context, ArrowArray* batch) noexcept {
    const int64_t size = static_cast<int64_t>(sizeof(ArrowArray));
    if ((end_ + 1) * size > items_.size_bytes()) {
      const Status status = items_.grow(context, (end_ + 1) * size, end_ * size);
      if (status != TOMBOLO_OK) return status;
    }
    items_.as<ArrowArray>()[end_++] = *batch;
    batch->release = nullptr;
    return TOMBOLO_OK;
  }

  void pop(ArrowArray* out) noexcept {
    *out = items_.as<ArrowArray>()[begin_++];
    if (begin_ == end_) begin_ = end_ = 0;
  }

  void clear() noexcept {
    for (int64_t i = begin_; i < end_; i++) consume_array(items_.as<ArrowArray>() + i);
    begin_ = end_ = 0;
  }

 private:
  Buffer items_;
  int64_t begin_ = 0;
  int64_t end_ = 0;
};

// Rows begin to begin + count - 1 of a column.
ColumnView slice_view(const ColumnView& column, int64_t begin, int64_t count) noexcept {
  ColumnView slice = column;
  slice.offset += begin;
  slice.length = count;
  return slice;
}

struct Rechunk : BoundKernel {
  int64_t rows = 0;

  Status bind(Context& context, const Options& options, ArrowSchema* output) noexcept {
    const char* const names[] = {"rows", nullptr};
    Status status = options.check_names(context, names);
    if (status != TOMBOLO_OK) return status;
    bool found = false;
    status = options.integer(context, "rows", &rows, &found);
    if (status != TOMBOLO_OK) return status;
    if (!found || rows < 1) {
      return context.fail(TOMBOLO_INVALID, "the option rows is missing or below 1");
    }
    status = check_selectable(context, inputs[0], 0);
    if (status != TOMBOLO_OK) return status;
    return copy_schema(context, inputs[0].raw(), output);
  }

  struct State {
    BatchQueue pending;  // copies of rows that do not fill a batch yet
    BatchQueue ready;
    int64_t pending_rows = 0;

    Status open(Context&, const Rechunk&) noexcept { return TOMBOLO_OK; }

    Status push(Context& context, const Rechunk& kernel, const BatchView& batch) noexcept {
      int64_t begin = 0;
      while (pending_rows + (batch.length() - begin) >= kernel.rows) {
        const int64_t count = kernel.rows - pending_rows;
        const Status status = join(context, kernel, &batch, begin, count, &ready);
        if (status != TOMBOLO_OK) return status;
        pending.clear();
        pending_rows = 0;
        begin += count;
      }
      if (begin == batch.length()) return TOMBOLO_OK;
      // The input is not ours past this call: the rest is copied.
      OwnedArray copy;
      Status status = copy_rows(context, kernel, batch, begin, &copy.array);
      if (status == TOMBOLO_OK) status = pending.push(context, &copy.array);
      if (status == TOMBOLO_OK) pending_rows += batch.length() - begin;
      return status;
    }

    Status push_end(Context& context, const Rechunk& kernel) noexcept {
      if (pending_rows == 0) return TOMBOLO_OK;
      const Status status = join(context, kernel, nullptr, 0, 0, &ready);
      if (status != TOMBOLO_OK) return status;
      pending.clear();
      pending_rows = 0;
      return TOMBOLO_OK;
    }

    Status next(Context&, const Rechunk&, ArrowArray* output) noexcept {
      if (ready.count() > 0) ready.pop(output);
      return TOMBOLO_OK;
    }

    Status copy_rows(Context& context, const Rechunk& kernel, const BatchView& batch, int64_t begin,
                     ArrowArray* out) noexcept {
      const int64_t count = batch.length() - begin;
      Status status = open_batch(context, out, count, batch.column_count());
      for (int32_t i = 0; status == TOMBOLO_OK && i < batch.column_count(); i++) {
        const ColumnView part = slice_view(batch.column(i), begin, count);
        status = join_columns(context, *kernel.ops, &part, 1, i, out->children[i]);
      }
      return status;
    }

    // Joins what is pending and count rows of a batch, if any, to a batch of queue.
    Status join(Context& context, const Rechunk& kernel, const BatchView* batch, int64_t begin,
                int64_t count, BatchQueue* queue) noexcept {
      const int64_t parts_max = pending.count() + 1;
      Buffer views;
      Status status = views.allocate(context, parts_max * static_cast<int64_t>(sizeof(ColumnView)));
      if (status != TOMBOLO_OK) return status;
      OwnedArray joined;
      const int32_t columns = kernel.inputs[0].column_count();
      status = open_batch(context, &joined.array, pending_rows + count, columns);
      auto* parts = views.as<ColumnView>();
      for (int32_t i = 0; status == TOMBOLO_OK && i < columns; i++) {
        int64_t n = 0;
        for (; status == TOMBOLO_OK && n < pending.count(); n++) {
          BatchView view;
          status = view.open(context, kernel.inputs[0], pending.at(n));
          if (status == TOMBOLO_OK) new (&parts[n]) ColumnView(view.column(i));
        }
        if (status != TOMBOLO_OK) return status;
        if (count > 0) new (&parts[n++]) ColumnView(slice_view(batch->column(i), begin, count));
        status = join_columns(context, *kernel.ops, parts, n, i, joined.array.children[i]);
      }
      return status == TOMBOLO_OK ? queue->push(context, &joined.array) : status;
    }
  };
};

}  // namespace

const tombolo_kernel kRechunkKernel = emit_kernel<Rechunk>("rechunk");

}  // namespace v0
}  // namespace tombolo
