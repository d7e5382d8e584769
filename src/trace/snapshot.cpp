#include "trace/snapshot.hpp"

namespace stretto::trace {

// A copy belongs to the module that performs it, if there is one; else to the module of one of its ends.
std::string_view module_owners::of(const record& r) const noexcept {
  const auto owner = [&](std::uint16_t place) {
    return place < of_place.size() ? std::string_view(of_place[place]) : std::string_view();
  };
  if (!moves_data(r.kind)) return owner(r.place);
  const std::uint16_t from = moved_from(r.amount);
  for (const route& one : of_copies)
    if (one.from == from && one.to == r.place) return one.module;
  return owner(r.place).empty() ? owner(from) : owner(r.place);
}

}  // namespace stretto::trace
