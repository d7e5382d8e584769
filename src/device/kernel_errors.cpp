// kernel_errors.cpp - the errors of kernels that run on the host.
#include <stretto/error.hpp>
#include <stretto/kernel.hpp>

#include <fmt/format.h>

#include "base/index_text.hpp"
#include "device/allowed_elements.hpp"
#include "device/array_names.hpp"

namespace stretto {

namespace {

std::string extent_text(const std::int64_t* min, const std::int64_t* max, int axes) {
  std::string text;
  for (int a = 0; a < axes; ++a) text += fmt::format("{}[{}, {})", a ? " x " : "", min[a], max[a]);
  return text;
}

}  // namespace

void detail::tell_out_of_range(const kernel_code& code, const index_out_of_range& what, const kernel_work& work,
                               const kernel_argument* arguments, const std::int64_t* id, const item_in_group& item) {
  const device::array_name array = device::name_of_array(code, what.parameter);
  error e("K01", fmt::format("kernel \"{}\" accesses an element outside of array \"{}\"", code.name, array.name));
  e.fact("kernel", fmt::format("{}:{}", code.file, code.line));
  e.fact(code.in_groups ? "group" : "item", base::index_text(id, work.dimensions));
  if (item.is_in_region)
    e.fact("item", fmt::format("{} of the group, {} of all", base::index_text(item.local, work.dimensions),
                               base::index_text(item.global, work.dimensions)));
  e.fact("index", base::index_text(what.index, array.dimensions));
  if (what.parameter & index_out_of_range::is_local_array) {
    constexpr std::int64_t first[3] = {0, 0, 0};
    throw std::move(e)
        .fact("array", extent_text(first, what.length, array.dimensions))
        .because("the kernel declares it with local_array of this extent")
        .remedy("declare it longer, or keep its indices within it");
  }
  const kernel_argument& a = arguments[what.parameter];
  throw std::move(e)
      .fact("array", a.allowed ? a.allowed->text(array.dimensions) : extent_text(a.min, a.max, array.dimensions))
      .because("the range of the launch, or an offset in the kernel, exceeds the array")
      .remedy("launch on the part of the array whose neighbours exist");
}

void kernels::scratch_exhausted(std::size_t wanted, std::size_t left) {
  throw error("K02", "a group of a kernel declares more memory than it can have")
      .fact("wanted", fmt::format("{} bytes more", wanted))
      .fact("left", fmt::format("{} bytes", left))
      .because("per_item allocates one value per item of a group, and local_array allocates its declared length")
      .remedy("declare shorter arrays, or launch smaller groups");
}

}  // namespace stretto
