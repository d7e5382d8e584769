#include "device/device.hpp"

#include <stretto/error.hpp>
#include <stretto/native_kernel.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/kernel_signature.hpp"

namespace stretto::device {

namespace {

std::string parameter_name(const kernel_code& code, std::size_t n) {
  if (code.native) return fmt::format("{}", n);
  return parameters_of(tokens_of(code.parameter_text))[n].name;
}

error refused(const char* code, const device& on, const kernel_code& kernel, std::string sentence) {
  return error(code, std::move(sentence))
      .fact("kernel", fmt::format("\"{}\" ({}:{})", kernel.name, kernel.file, kernel.line))
      .fact("device", fmt::format("\"{}\" ({})", on.about().name, on.about().backend));
}

}  // namespace

native_call device::native() const noexcept { return {}; }

error missing_capability(const kernel_code& code, std::string_view what, std::string_view device) {
  return error("K13", fmt::format("kernel \"{}\" needs {}, which the device does not support", code.name, what))
      .fact("kernel", fmt::format("{}:{}", code.file, code.line))
      .fact("device", std::string(device))
      .remedy("run it on another device, or write it with float");
}

error foreign_memory(const device& on, std::string why, std::string remedy) {
  return error("N19", "native memory does not belong to the named device")
      .fact("device", fmt::format("\"{}\" ({})", on.about().name, on.about().backend))
      .because(std::move(why))
      .remedy(std::move(remedy));
}

std::byte* device::borrow(const native_memory& from, std::uint64_t bytes) {
  require(from, bytes);
  std::byte* const first = borrowed_.reserve(bytes, reinterpret_cast<std::uintptr_t>(from.data) + from.offset_bytes);
  try {
    map_borrowed(first, from, bytes);
  } catch (...) {
    borrowed_.release(first);
    throw;
  }
  return first;
}

void device::give_back(std::byte* first) noexcept {
  unmap_borrowed(first);
  borrowed_.release(first);
}

std::byte* device::import_memory(std::span<const std::byte> token, std::uint64_t bytes) noexcept {
  std::byte* first = nullptr;
  try {
    first = borrowed_.reserve(bytes, 0);
    if (map_exported(first, token, bytes)) return first;
  } catch (const std::exception&) {  // no address space, or the driver refuses the token
  }
  if (first) borrowed_.release(first);
  return nullptr;
}

std::byte* device::borrow_host(std::byte* host, std::uint64_t bytes) noexcept {
  std::byte* first = nullptr;
  try {
    first = borrowed_.reserve(bytes, reinterpret_cast<std::uintptr_t>(host));
    if (map_host(first, host, bytes)) return first;
  } catch (const std::exception&) {  // no address space, or no memory
  }
  if (first) borrowed_.release(first);
  return nullptr;
}

void device::require(const native_memory&, std::uint64_t) const {
  throw foreign_memory(*this, "this kind of device can only use its own memory",
                       "copy the elements to an instance on the device");
}

error unsupported_range(const device& on, const kernel_code& code, std::string sentence, std::string_view at_most) {
  return refused("K44", on, code, std::move(sentence))
      .fact("at most", std::string(at_most))
      .remedy("launch groups of another shape, or the range in several launches");
}

std::int64_t launch_range::items() const noexcept {
  std::int64_t n = 1;
  for (int a = 0; a < 3; ++a) n *= max[a] > min[a] ? (max[a] - min[a]) * group[a] : 0;
  return n;
}

std::int64_t launch_range::items_in_line() const noexcept {
  constexpr std::int64_t usual = 64, longest = 256, step = 8;
  constexpr std::int64_t of_a_line = 13;  // cost of another line, in items, measured with PoCL on a stencil
  constexpr std::int64_t many = 1 << 20;  // smaller launches do not justify compiling for another shape
  const int last = dimensions - 1;
  const std::int64_t count = max[last] - min[last];
  const auto lines = [count](std::int64_t length) { return (count + length - 1) / length; };
  if (count < 1 || 16 * (lines(usual) * usual - count) <= count || items() < many) return usual;
  std::int64_t best = usual;
  for (std::int64_t length = step; length <= longest; length += step)
    if (lines(length) * (length + of_a_line) < lines(best) * (best + of_a_line)) best = length;
  return best;
}

bool ids_fit_ints(const std::int64_t (&min)[3], const std::int64_t (&max)[3], const std::int64_t (&group)[3]) noexcept {
  // leaves room for neighbours of an item, and for items beyond the range, which return at once
  constexpr std::int64_t most = 2'000'000'000;
  bool fit = true;
  for (int a = 0; a < 3; ++a) {
    const std::int64_t limit = most / std::max<std::int64_t>(1, group[a]);
    fit = fit && min[a] >= -limit && max[a] <= limit && max[a] - min[a] <= limit;
  }
  return fit;
}

bool launch_range::ids_are_ints() const noexcept { return ids_fit_ints(min, max, group); }

void check_group(const device& on, const kernel_code& code, const group_needs& own, std::int64_t items,
                 std::uint64_t local_bytes) {
  const properties& is = on.about();
  if (items < 1 || items > std::min(is.most_items_per_group, own.most_items)) {
    const bool is_own = own.most_items < is.most_items_per_group;
    error e = refused("K22", on, code, fmt::format("groups of {} items are too large for the device", items));
    e.fact("at most", is_own ? fmt::format("{} items per group of this kernel", own.most_items)
                             : fmt::format("{} items per group", is.most_items_per_group));
    if (is_own) e.because("each item uses registers");
    throw std::move(e).remedy("launch more and smaller groups");
  }
  if (local_bytes + own.local_bytes > is.local_memory_bytes)
    throw refused(
        "K23", on, code,
        fmt::format("{} bytes of local memory are too much for a group on the device", local_bytes + own.local_bytes))
        .fact("at most", own.local_bytes ? fmt::format("{} bytes, of which the kernel itself declares {}",
                                                       is.local_memory_bytes, own.local_bytes)
                                         : fmt::format("{} bytes", is.local_memory_bytes))
        .remedy("launch with less local memory");
}

void check_groups(const device& on, const compiled_kernel& kernel, const launch_range& range,
                  std::uint64_t local_bytes) {
  check_group(on, kernel.code, kernel.needs(), range.group[0] * range.group[1] * range.group[2], local_bytes);
  kernel.check_range(on, range);
}

void check_launch(const device& on, const compiled_kernel& kernel, const launch_range& range,
                  std::span<const launch_argument> arguments) {
  const kernel_code& code = kernel.code;
  if (arguments.size() != code.parameters.size())
    throw refused("K20", on, code,
                  fmt::format("a launch passes {} arguments, but the kernel has {} parameters", arguments.size(),
                              code.parameters.size()));
  std::uint64_t local_bytes = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    if (p.mode == access::value) continue;
    if (p.mode == access::local) {
      local_bytes += static_cast<std::uint64_t>(arguments[i].is.max[0]) * p.element_bytes;
    } else if (arguments[i].bytes && !on.owns(arguments[i].first, arguments[i].bytes) &&
               !on.shares(arguments[i].first, arguments[i].bytes)) {
      throw refused("K21", on, code,
                    fmt::format("array \"{}\" of a launch is not in the memory of the device", parameter_name(code, i)))
          .because("a kernel reads and writes the memory of its own device only")
          .remedy("copy the array there first");
    }
  }
  check_groups(on, kernel, range, local_bytes);
}

}  // namespace stretto::device
