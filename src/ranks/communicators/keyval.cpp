// keyval.cpp - keys by number.
#include "ranks/communicators/keyval.hpp"

#include <string>
#include <utility>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

copy_function value_copy() {
  return [](void*, int, void* value, void** copy, int* is_copied) {
    *copy = value;
    *is_copied = 1;
    return 0;
  };
}

int keyval_table::create(attribute_owner owner, keyval_functions functions) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const auto& numbered) { return numbered.second.used.expired(); });
  auto key = std::make_shared<const keyval>(keyval{next_number_, owner, std::move(functions)});
  entries_[next_number_] = {key, key};
  return next_number_++;
}

std::shared_ptr<const keyval> keyval_table::find(int number, attribute_owner owner) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(number);
  const auto key = found == entries_.end() ? nullptr : found->second.used.lock();
  if (!key) {
    throw call_error(error_class::keyval, "there is no attribute key " + std::to_string(number) + ", or it was freed");
  }
  if (key->owner != owner) {
    throw call_error(error_class::keyval,
                     "attribute key " + std::to_string(number) + " is for objects of another kind");
  }
  return key;
}

void keyval_table::free(int number, attribute_owner owner) {
  const auto key = find(number, owner);  // its functions are destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  entries_[number].created.reset();
}

}  // namespace stretto::ranks
