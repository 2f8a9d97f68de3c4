// SPDX-License-Identifier: Apache-2.0
//
// Context: the caller's tombolo_context with the few things that kernels do with it: report a
// failure, allocate within the budget, see a cancel.
#pragma once

#include "simd/unit.h"

#include <tombolo/library.h>

namespace tombolo {
inline namespace v0 {

using Status = tombolo_status;

// Every allocation has this many writable bytes behind it, so that kernels may store whole vectors.
inline constexpr int64_t kSlackBytes = 64;

// Input that a kernel may read between two looks at the cancel flag.
inline constexpr int64_t kPollBytes = int64_t{64} * 1024;

class Context {
 public:
  explicit Context(tombolo_context* context) noexcept : context_(context) {
    context_->argument = -1;
    context_->column = -1;
    if (context_->error_bytes > 0) context_->error[0] = '\0';
  }

  // Stores the text and the position, and returns code for the caller to return. The text is
  // static and holds no data value.
  Status fail(Status code, const char* text, int32_t column = -1, int32_t argument = -1) noexcept;

  // Memory aligned to 64 bytes with kSlackBytes behind it, not zeroed; NULL after a failure that
  // is already reported and whose code is in *status.
  void* allocate(int64_t size_bytes, Status* status) noexcept;

  void free(void* memory) noexcept {
    if (memory != nullptr) context_->allocator->free(context_->allocator, memory);
  }

  bool cancelled() const noexcept {
    return context_->cancel != nullptr && __atomic_load_n(context_->cancel, __ATOMIC_RELAXED) != 0;
  }

  Status fail_cancelled() noexcept { return fail(TOMBOLO_CANCELLED, ""); }

  // memset and memcpy that look at the cancel flag every kPollBytes: the first touch of fresh
  // memory costs more than most kernels do with it.
  Status fill(void* memory, int32_t byte, int64_t size_bytes) noexcept;
  Status copy(void* to, const void* from, int64_t size_bytes) noexcept;

  // Turns an argument position into part of the error of a call already failed below.
  void set_argument(int32_t argument) noexcept { context_->argument = argument; }

  tombolo_allocator* allocator() const noexcept { return context_->allocator; }
  int32_t simd_level() const noexcept { return context_->simd_level; }
  tombolo_context* raw() const noexcept { return context_; }

 private:
  tombolo_context* context_;
};

// Owned memory of one allocator, freed at the end of its scope. Move only.
class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept
      : allocator_(other.allocator_), data_(other.data_), size_bytes_(other.size_bytes_) {
    other.data_ = nullptr;
    other.size_bytes_ = 0;
  }
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      reset();
      allocator_ = other.allocator_;
      data_ = other.data_;
      size_bytes_ = other.size_bytes_;
      other.data_ = nullptr;
      other.size_bytes_ = 0;
    }
    return *this;
  }
  ~Buffer() noexcept { reset(); }

  // Replaces what is held by size_bytes of new memory, not zeroed.
  Status allocate(Context& context, int64_t size_bytes) noexcept;
  Status allocate_zeroed(Context& context, int64_t size_bytes) noexcept;

  // Grows to at least size_bytes and keeps the first kept_bytes; capacity at least doubles.
  Status grow(Context& context, int64_t size_bytes, int64_t kept_bytes) noexcept;

  void reset() noexcept {
    if (data_ != nullptr) allocator_->free(allocator_, data_);
    data_ = nullptr;
    size_bytes_ = 0;
  }

  // Hands the memory to the caller, who frees it by the same allocator.
  void* release() noexcept {
    void* data = data_;
    data_ = nullptr;
    size_bytes_ = 0;
    return data;
  }

  template <class T>
  T* as() const noexcept {
    return static_cast<T*>(data_);
  }
  void* data() const noexcept { return data_; }
  int64_t size_bytes() const noexcept { return size_bytes_; }

 private:
  tombolo_allocator* allocator_ = nullptr;
  void* data_ = nullptr;
  int64_t size_bytes_ = 0;
};

}  // namespace v0
}  // namespace tombolo
