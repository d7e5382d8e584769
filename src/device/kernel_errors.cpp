// kernel_errors.cpp - what goes wrong in a kernel that the host runs.
#include <stretto/error.hpp>
#include <stretto/kernel.hpp>

#include <fmt/format.h>

#include "device/allowed_elements.hpp"
#include "device/kernel_signature.hpp"

namespace stretto {

namespace {

std::string point_text(const std::int64_t* at, int axes) {
  std::string text;
  for (int a = 0; a < axes; ++a) text += fmt::format("{}{}", a ? ", " : "", at[a]);
  return fmt::format("({})", text);
}

}  // namespace

void detail::tell_out_of_range(const kernel_code& code, const index_out_of_range& what, const kernel_work& work,
                               const kernel_argument* arguments, const std::int64_t* id, const item_in_group& item) {
  const kernel_parameter& p = code.parameters[what.parameter];
  const kernel_argument& a = arguments[what.parameter];
  const std::string name = device::parameters_of(device::tokens_of(code.parameter_text))[what.parameter].name;
  std::string extent;
  for (int i = 0; i < p.dimensions; ++i)
    extent += fmt::format("{}[{}, {})", i ? " x " : "", a.min[i], a.max[i]);
  error e("K01", fmt::format("kernel \"{}\" names an element outside of array \"{}\"", code.name, name));
  e.fact("kernel", fmt::format("{}:{}", code.file, code.line));
  e.fact(code.in_groups ? "group" : "item", point_text(id, work.dimensions));
  if (item.is_in_region)
    e.fact("item", fmt::format("{} of the group, {} of all", point_text(item.local, work.dimensions), point_text(item.global, work.dimensions)));
  throw std::move(e)
      .fact("index", point_text(what.index, p.dimensions))
      .fact("array", a.allowed ? a.allowed->text(p.dimensions) : extent)
      .because("the range of the launch, or a distance in the kernel, goes beyond the array")
      .remedy("launch on the part of the array whose neighbours exist");
}

void kernels::scratch_exhausted(std::size_t wanted, std::size_t left) {
  throw error("K02", "a group of a kernel declares more memory than a group has")
      .fact("wanted", fmt::format("{} bytes more", wanted))
      .fact("left", fmt::format("{} bytes", left))
      .because("per_item takes one value for every item of a group, local_array what it says")
      .remedy("declare shorter arrays, or launch smaller groups");
}


std::int64_t kernels::visited(std::uint64_t order, std::int64_t step, std::int64_t count) noexcept {
  if (order == 0) return step;
  if (order == 1) return count - 1 - step;
  // Multiplying by a number without common factor permutes 0 to count - 1.
  const auto gcd = [](std::int64_t a, std::int64_t b) {
    while (b) a = std::exchange(b, a % b);
    return a;
  };
  auto factor = static_cast<std::int64_t>(order % static_cast<std::uint64_t>(count)) | 1;
  while (gcd(factor, count) != 1) factor += 2;
  const auto shift = static_cast<std::int64_t>((order >> 32) % static_cast<std::uint64_t>(count));
  return static_cast<std::int64_t>((static_cast<__int128>(step) * factor + shift) % count);
}

}  // namespace stretto
