// attribute_list.cpp - searches again after each call of a function, which may have changed the list.
#include "ranks/communicators/attribute_list.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

namespace {

void check_result(int code, const char* function, int number) {
  if (code == 0) return;
  throw call_error(static_cast<error_class>(code), std::string("the ") + function + " function of attribute key " +
                                                       std::to_string(number) + " returned " + std::to_string(code));
}

auto place_of(auto& attributes, int number) {
  return std::ranges::find_if(attributes, [&](const auto& each) { return each.key->number == number; });
}

}  // namespace

void attribute_list::set(std::shared_ptr<const keyval> key, void* value, void* object) {
  remove(key->number, object);
  attributes_.push_back({std::move(key), value});
}

std::optional<void*> attribute_list::find(int number) const {
  const auto found = place_of(attributes_, number);
  if (found == attributes_.end()) return std::nullopt;
  return found->value;
}

void attribute_list::remove(int number, void* object) {
  const auto found = place_of(attributes_, number);
  if (found == attributes_.end()) return;
  const attribute removed = *found;  // keeps the key until its function has returned
  if (removed.key->functions.remove) {
    check_result(removed.key->functions.remove(object, number, removed.value), "delete", number);
  }
  const auto again = place_of(attributes_, number);
  if (again != attributes_.end()) attributes_.erase(again);
}

void attribute_list::remove_all(void* object) {
  while (!attributes_.empty()) remove(attributes_.back().key->number, object);
}

void attribute_list::copy_to(attribute_list& copy, void* object) const {
  const std::vector<attribute> all = attributes_;
  for (const attribute& each : all) {
    const int number = each.key->number;
    if (!each.key->functions.copy) continue;
    void* value = nullptr;
    int is_copied = 0;
    check_result(each.key->functions.copy(object, number, each.value, &value, &is_copied), "copy", number);
    if (is_copied) copy.attributes_.push_back({each.key, value});
  }
}

}  // namespace stretto::ranks
