// SPDX-License-Identifier: Apache-2.0
//
// Prepared objects: counted, immutable, shared by bound kernels.
#pragma once

#include "arrow/view.h"

namespace tombolo {
inline namespace v0 {

// Base of every object kind. A kind derives from it, is made by make_object, and is destroyed by
// the release that gives up the last hold, on whatever thread that is.
struct Object : tombolo_object {
  std::atomic<int64_t> holds;
  tombolo_allocator* allocator;
  void (*destroy)(Object*) noexcept;
};

// Allocates and constructs a T, held once; NULL with *status set on failure.
template <class T>
T* make_object(Context& context, const char* kind, Status* status) noexcept {
  void* memory = context.allocate(static_cast<int64_t>(sizeof(T)), status);
  if (memory == nullptr) return nullptr;
  T* object = new (memory) T();
  object->kind = kind;
  object->retain = [](tombolo_object* self) noexcept {
    static_cast<T*>(self)->holds.fetch_add(1, std::memory_order_relaxed);
  };
  object->release = [](tombolo_object* self) noexcept {
    auto* held = static_cast<T*>(self);
    if (held->holds.fetch_sub(1, std::memory_order_acq_rel) == 1) held->destroy(held);
  };
  object->holds.store(1, std::memory_order_relaxed);
  object->allocator = context.allocator();
  object->destroy = [](Object* self) noexcept {
    auto* dying = static_cast<T*>(self);
    tombolo_allocator* allocator = dying->allocator;
    dying->~T();
    allocator->free(allocator, dying);
  };
  return object;
}

// One hold on an object, given up at the end of its scope. Move only.
template <class T>
class ObjectRef {
 public:
  ObjectRef() noexcept = default;
  explicit ObjectRef(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->retain(object_);
  }
  ObjectRef(const ObjectRef&) = delete;
  ObjectRef& operator=(const ObjectRef&) = delete;
  ObjectRef(ObjectRef&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  ObjectRef& operator=(ObjectRef&& other) noexcept {
    T* object = other.object_;
    other.object_ = object_;
    object_ = object;
    return *this;
  }
  ~ObjectRef() noexcept {
    if (object_ != nullptr) object_->release(object_);
  }
  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

inline constexpr char kBatchKind[] = "batch";

// Kind "batch": a whole record batch, kept as it came.
struct BatchObject : Object {
  Schema schema;
  ArrowArray array;
  BatchView view;

  BatchObject() noexcept { array.release = nullptr; }
  ~BatchObject() noexcept {
    if (array.release != nullptr) array.release(&array);
  }
};

}  // namespace v0
}  // namespace tombolo
