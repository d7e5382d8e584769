#include "device/group_orders.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "device/device_texts.hpp"
#include "device/kernel_signature.hpp"

namespace stretto::device {

namespace {

constexpr std::uint64_t backward = 1, shuffled = 0x9e3779b97f4a7c15u;

bool is_written(const kernel_parameter& p) noexcept { return p.mode == access::out || p.mode == access::inout; }

/// Calls f(coordinates, address) for each element of an array that a launch may use.
template <class F>
void each_element(const kernel_argument& a, const kernel_parameter& p, F&& f) {
  std::int64_t min[3] = {0, 0, 0}, max[3] = {1, 1, 1};
  std::copy_n(a.min, p.dimensions, min);
  std::copy_n(a.max, p.dimensions, max);
  std::int64_t at[3];
  for (at[0] = min[0]; at[0] < max[0]; ++at[0])
    for (at[1] = min[1]; at[1] < max[1]; ++at[1])
      for (at[2] = min[2]; at[2] < max[2]; ++at[2]) {
        std::int64_t elements = 0;
        for (int axis = 0; axis < p.dimensions; ++axis) elements += at[axis] * a.stride[axis];
        // The origin may lie outside of the array; addresses are numbers here.
        f(at, reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(a.origin) +
                                           static_cast<std::uintptr_t>(elements * static_cast<std::int64_t>(p.element_bytes))));
      }
}

/// All that a launch writes, one array after the other.
class written {
 public:
  written(const kernel_code& code, std::span<const launch_argument> given) : code_(code), given_(given) {}

  std::vector<std::byte> read() const {
    std::vector<std::byte> all;
    each([&](std::size_t, const std::int64_t*, std::byte* at, std::size_t bytes) { all.insert(all.end(), at, at + bytes); });
    return all;
  }
  void write(const std::vector<std::byte>& all) const {
    const std::byte* from = all.data();
    each([&](std::size_t, const std::int64_t*, std::byte* at, std::size_t bytes) {
      std::memcpy(at, from, bytes);
      from += bytes;
    });
  }
  /// "c(3, 4)": where it is not what it was.
  std::string first_difference(const std::vector<std::byte>& all) const {
    const std::byte* from = all.data();
    std::string first;
    each([&](std::size_t n, const std::int64_t* index, std::byte* at, std::size_t bytes) {
      if (first.empty() && std::memcmp(at, from, bytes) != 0) first = name_of(n, index);
      from += bytes;
    });
    return first;
  }

 private:
  template <class F>
  void each(F&& f) const {
    for (std::size_t n = 0; n < given_.size(); ++n) {
      const kernel_parameter& p = code_.parameters[n];
      if (is_written(p))
        each_element(given_[n].is, p, [&](const std::int64_t* index, std::byte* at) { f(n, index, at, p.element_bytes); });
    }
  }
  std::string name_of(std::size_t n, const std::int64_t* index) const {
    std::string text = parameters_of(tokens_of(code_.parameter_text))[n].name + "(";
    for (int axis = 0; axis < code_.parameters[n].dimensions; ++axis) text += fmt::format("{}{}", axis ? ", " : "", index[axis]);
    return text + ")";
  }

  const kernel_code& code_;
  const std::span<const launch_argument> given_;
};

/// In a body, or in the functions that it uses.
bool has_atomics(const kernel_code& code, std::string_view body, std::set<const device_text*>& seen) {
  return std::ranges::any_of(tokens_of(body), [&](const token& t) {
    if (t.is != token::what::name) return false;
    if (t.spelling.starts_with("atomic_")) return true;
    const device_text* const used = text_named(t.spelling, code);
    return used && used->is == device_text::what::function && seen.insert(used).second && has_atomics(code, used->body, seen);
  });
}

}  // namespace

bool may_depend_on_order(const kernel_code& code) {
  std::set<const device_text*> seen;
  return code.native || std::ranges::any_of(code.parameters, [](const kernel_parameter& p) { return p.mode == access::reduce; }) ||
         has_atomics(code, code.body_text, seen);
}

void run_in_orders(const kernel_code& code, std::span<const launch_argument> given, const launch_range& whole, group_memory& memory,
                   const std::source_location& where) {
  const host_arguments arguments(code, given);
  const auto run = [&](std::uint64_t order) { arguments.run(whole, whole.min, whole.max, checking::on, memory, order); };
  const written results(code, given);
  const std::vector<std::byte> before = results.read();
  run(backward);
  const std::vector<std::byte> first = results.read();
  results.write(before);
  run(shuffled);
  std::string differs = results.first_difference(first);
  results.write(before);
  run(0);
  if (differs.empty()) differs = results.first_difference(first);
  if (differs.empty()) return;
  throw error("K03", fmt::format("items of a group of kernel \"{}\" get in one another's way", code.name))
      .fact("kernel", fmt::format("{}:{}", code.file, code.line))
      .fact("launched", where)
      .fact("element", differs)
      .because("it is another where the items of a region run in another order: one reads or writes what another writes there")
      .remedy("end the region between writing and reading: two calls of each_item in place of one");
}

}  // namespace stretto::device
