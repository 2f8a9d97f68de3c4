// SPDX-License-Identifier: Apache-2.0
#include "memory/context.h"

#include "memory/allocator.h"

namespace tombolo {
inline namespace v0 {

Status Context::fail(Status code, const char* text, int32_t column, int32_t argument) noexcept {
  context_->column = column;
  if (argument >= 0) context_->argument = argument;
  if (context_->error_bytes > 0) {
    const size_t room = static_cast<size_t>(context_->error_bytes) - 1;
    const size_t size = strlen(text);
    const size_t copied = size < room ? size : room;
    memcpy(context_->error, text, copied);
    context_->error[copied] = '\0';
  }
  return code;
}

Status Context::fill(void* memory, int32_t byte, int64_t size_bytes) noexcept {
  for (int64_t done = 0; done < size_bytes; done += kPollBytes) {
    if (cancelled()) return fail_cancelled();
    const int64_t left = size_bytes - done;
    memset(static_cast<char*>(memory) + done, byte,
           static_cast<size_t>(left < kPollBytes ? left : kPollBytes));
  }
  return TOMBOLO_OK;
}

Status Context::copy(void* to, const void* from, int64_t size_bytes) noexcept {
  for (int64_t done = 0; done < size_bytes; done += kPollBytes) {
    if (cancelled()) return fail_cancelled();
    const int64_t left = size_bytes - done;
    memcpy(static_cast<char*>(to) + done, static_cast<const char*>(from) + done,
           static_cast<size_t>(left < kPollBytes ? left : kPollBytes));
  }
  return TOMBOLO_OK;
}

void* Context::allocate(int64_t size_bytes, Status* status) noexcept {
  if (size_bytes < 0 || size_bytes > (int64_t{1} << 47)) {
    *status = fail(TOMBOLO_MEMORY, "an allocation of an impossible size");
    return nullptr;
  }
  if (context_->bytes_max > 0) {
    if (size_bytes > context_->bytes_max - context_->bytes_used) {
      *status = fail(TOMBOLO_BUDGET, "the byte budget of the call");
      return nullptr;
    }
    context_->bytes_used += size_bytes;
  }
  void* memory = context_->allocator->allocate(context_->allocator, size_bytes);
  if (memory == nullptr) {
    *status = Allocator::over_budget(context_->allocator, size_bytes)
                  ? fail(TOMBOLO_BUDGET, "the byte budget of the allocator")
                  : fail(TOMBOLO_MEMORY, "the allocator returned nothing");
    return nullptr;
  }
  return memory;
}

Status Buffer::allocate(Context& context, int64_t size_bytes) noexcept {
  reset();
  Status status = TOMBOLO_OK;
  data_ = context.allocate(size_bytes, &status);
  if (data_ == nullptr) return status;
  allocator_ = context.allocator();
  size_bytes_ = size_bytes;
  return TOMBOLO_OK;
}

Status Buffer::allocate_zeroed(Context& context, int64_t size_bytes) noexcept {
  const Status status = allocate(context, size_bytes);
  if (status != TOMBOLO_OK) return status;
  return context.fill(data_, 0, size_bytes);
}

Status Buffer::grow(Context& context, int64_t size_bytes, int64_t kept_bytes) noexcept {
  if (size_bytes <= size_bytes_) return TOMBOLO_OK;
  int64_t capacity = size_bytes_ * 2;
  if (capacity < size_bytes) capacity = size_bytes;
  Buffer larger;
  Status status = larger.allocate(context, capacity);
  if (status == TOMBOLO_OK) status = context.copy(larger.data_, data_, kept_bytes);
  if (status != TOMBOLO_OK) return status;
  *this = static_cast<Buffer&&>(larger);
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
