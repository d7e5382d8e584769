#include "data/unwritten_check.hpp"

#include <stretto/error.hpp>

#include "base/index_text.hpp"
#include "device/unwritten_elements.hpp"

namespace stretto::data {
namespace {

[[noreturn]] void refuse(const point& at, int dimensions, const std::string& of, const std::source_location& where) {
  const std::int64_t index[3] = {at[0], at[1], at[2]};
  error e("K07", "the program reads an element of " + of + " that has no value");
  e.fact("read", where).fact("element", base::index_text(index, dimensions));
  if (std::string who = device::launch_that_left(index); !who.empty()) e.fact("left by", std::move(who));
  throw std::move(e).because(device::why_unwritten).remedy(device::remedy_for_unwritten);
}

}  // namespace

void refuse_unwritten(const std::byte* first, const layout& shape, const box& part, int dimensions,
                      const std::string& of, const std::source_location& where) {
  if (!device::has_recorded_launches() || !device::can_be_unwritten(shape.element_bytes)) return;
  point at;
  for (at[0] = part.min()[0]; at[0] < part.max()[0]; ++at[0])
    for (at[1] = part.min()[1]; at[1] < part.max()[1]; ++at[1])
      for (at[2] = part.min()[2]; at[2] < part.max()[2]; ++at[2])
        if (device::is_unwritten(first + shape.offset_of(at), shape.element_bytes)) refuse(at, dimensions, of, where);
}

}  // namespace stretto::data
