// SPDX-License-Identifier: Apache-2.0
#include "kernels/options.h"

namespace tombolo {
inline namespace v0 {

Status Options::check_names(Context& context, const char* const* names) const noexcept {
  for (int64_t i = 0; i < count_; i++) {
    if (items_[i].name == nullptr) {
      return context.fail(TOMBOLO_INVALID, "an option without a name");
    }
    bool known = false;
    for (const char* const* name = names; *name != nullptr; name++) {
      known = known || strcmp(*name, items_[i].name) == 0;
    }
    if (!known) return context.fail(TOMBOLO_INVALID, "an option that the kernel does not have");
  }
  return TOMBOLO_OK;
}

Status Options::find(Context& context, const char* name, int32_t kind,
                     const tombolo_option** option, bool* found) const noexcept {
  *option = nullptr;
  if (found != nullptr) *found = false;
  for (int64_t i = 0; i < count_; i++) {
    if (strcmp(items_[i].name, name) != 0) continue;
    if (items_[i].kind != kind) {
      return context.fail(TOMBOLO_INVALID, "an option of the wrong kind");
    }
    *option = &items_[i];
    if (found != nullptr) *found = true;
    return TOMBOLO_OK;
  }
  return TOMBOLO_OK;
}

Status Options::integer(Context& context, const char* name, int64_t* value,
                        bool* found) const noexcept {
  const tombolo_option* option = nullptr;
  const Status status = find(context, name, TOMBOLO_OPTION_INTEGER, &option, found);
  if (option != nullptr) *value = option->value.integer;
  return status;
}

Status Options::real(Context& context, const char* name, double* value,
                     bool* found) const noexcept {
  const tombolo_option* option = nullptr;
  const Status status = find(context, name, TOMBOLO_OPTION_REAL, &option, found);
  if (option != nullptr) *value = option->value.real;
  return status;
}

Status Options::boolean(Context& context, const char* name, bool* value,
                        bool* found) const noexcept {
  const tombolo_option* option = nullptr;
  const Status status = find(context, name, TOMBOLO_OPTION_BOOLEAN, &option, found);
  if (option != nullptr) *value = option->value.integer != 0;
  return status;
}

Status Options::text(Context& context, const char* name, const char** value,
                     bool* found) const noexcept {
  const tombolo_option* option = nullptr;
  const Status status = find(context, name, TOMBOLO_OPTION_TEXT, &option, found);
  if (option != nullptr) *value = option->value.text;
  return status;
}

Status Options::type(Context& context, const char* name, const ArrowSchema** value,
                     bool* found) const noexcept {
  const tombolo_option* option = nullptr;
  const Status status = find(context, name, TOMBOLO_OPTION_TYPE, &option, found);
  if (option != nullptr) *value = option->value.type;
  return status;
}

Status Options::object(Context& context, const char* name, const char* kind,
                       tombolo_object** value, bool* found) const noexcept {
  const tombolo_option* option = nullptr;
  const Status status = find(context, name, TOMBOLO_OPTION_OBJECT, &option, found);
  if (option == nullptr) return status;
  tombolo_object* object = option->value.object;
  // Kinds are compared by address: an object of another library may use the same word.
  if (object == nullptr || object->kind != kind) {
    return context.fail(TOMBOLO_INVALID, "an object of another kind or library");
  }
  *value = object;
  return TOMBOLO_OK;
}

}  // namespace v0
}  // namespace tombolo
