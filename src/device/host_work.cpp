#include "device/host_work.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/config.hpp"
#include "base/sanitizers.hpp"
#include "device/address_span.hpp"
#include "device/native_code.hpp"
#include "device/shadow_memory.hpp"

namespace stretto::device {

namespace {

bool ids_are_ints(const kernel_work& work, bool in_groups) noexcept {
  constexpr std::int64_t none[3] = {1, 1, 1};
  return ids_fit_ints(work.min, work.max, in_groups ? work.group : none);
}

/// Whether rows have no gaps and no element is written through one argument and used through another.
bool are_dense_and_apart(const kernel_code& code, const kernel_argument* arguments) {
  const std::span<const kernel_parameter> all = code.parameters;
  bool is_first = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_array(all[i])) continue;
    if (arguments[i].stride[all[i].dimensions - 1] != 1) return false;
    if (std::exchange(is_first, false)) continue;
    const address_span mine(arguments[i], all[i]);
    for (std::size_t j = 0; j < i; ++j)
      if (is_array(all[j]) && (all[i].mode != access::in || all[j].mode != access::in) &&
          mine.meets(address_span(arguments[j], all[j])))
        return false;
  }
  return true;
}

}  // namespace

kernel_code::host_function function_for(const kernel_code& code, const kernel_work& work,
                                        const kernel_argument* arguments, index_checks check) noexcept {
  if (check == index_checks::on) return code.run_checked;
  if (!code.run_dense || !ids_are_ints(work, code.in_groups) || !are_dense_and_apart(code, arguments)) return code.run;
  static const bool wide = base::has_wide_vectors();
  return wide && code.run_wide ? code.run_wide : code.run_dense;
}

void run_on_host(const kernel_code& code, const kernel_work& work, const kernel_argument* arguments,
                 index_checks check) {
  const auto run = function_for(code, work, arguments, check);
  if (!code.denormals_are_zero) return run(code, work, arguments);
  const base::denormals_are_zero while_computing;
  run(code, work, arguments);
}

host_arguments::host_arguments(const kernel_code& code, std::span<const launch_argument> given,
                               const distance_of_address& moved)
    : code_(code) {
  arguments_.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    kernel_argument a = given[i].is;
    const kernel_parameter& p = code.parameters[i];
    if (is_array(p) && p.mode != access::local && moved) {
      // The origin may lie outside of the array; addresses are numbers here.
      a.origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(a.origin) +
                                              static_cast<std::uintptr_t>(moved(given[i].first)));
    }
    arguments_.push_back(a);
  }
}

copied_arguments::copied_arguments(const kernel_code& code, std::span<const launch_argument> given,
                                   const distance_of_address& moved)
    : host_arguments(code, given, moved), values_(code, [&](std::size_t i, std::byte* at) {
        if (code.parameters[i].mode != access::value) return;
        std::memcpy(at, arguments_[i].origin, code.parameters[i].element_bytes);
        arguments_[i].origin = at;
      }) {}

void host_arguments::run(const launch_range& whole, const std::int64_t* min, const std::int64_t* max,
                         index_checks check, group_memory& memory) const {
  run_part(code_, arguments_, whole, min, max, check, memory);
  base::announce_release(this);
}

// For the race detectors: the kernel has read the values.
copied_arguments::~copied_arguments() { base::announce_acquire(this); }

void run_part(const kernel_code& code, std::span<const kernel_argument> arguments, const launch_range& whole,
              const std::int64_t* min, const std::int64_t* max, index_checks check, group_memory& memory,
              shadow_memory* shadow) {
  kernel_work work = work_of(whole);
  std::copy_n(min, 3, work.min);
  std::copy_n(max, 3, work.max);
  work.shadow = shadow;
  if (!code.in_groups) return run_on_host(code, work, arguments.data(), check);

  std::vector<kernel_argument> mine(arguments.begin(), arguments.end());
  const auto is_local = [&](std::size_t i) { return code.parameters[i].mode == access::local; };
  const auto bytes_of = [&](std::size_t i) {
    return line_memory::to_line(static_cast<std::size_t>(mine[i].max[0]) * code.parameters[i].element_bytes);
  };
  work.scratch_bytes = group_scratch_bytes +
                       item_scratch_bytes * static_cast<std::size_t>(whole.group[0] * whole.group[1] * whole.group[2]);
  std::size_t bytes = work.scratch_bytes;
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (is_local(i)) bytes += bytes_of(i);
  std::byte* at = memory.of(bytes);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (!is_local(i)) continue;
    mine[i].origin = at;
    mine[i].stride[0] = 1;
    at += bytes_of(i);
    const kernel_parameter& p = code.parameters[i];
    if (shadow)
      mine[i].shadow = &shadow->declare({.number = static_cast<unsigned>(i),
                                         .kind = p.kind,
                                         .element_bytes = p.element_bytes,
                                         .component_bytes = p.component_bytes,
                                         .count = static_cast<std::size_t>(mine[i].max[0])},
                                        static_cast<unsigned>(i), mine[i].origin);
  }
  work.scratch = at;
  run_on_host(code, work, mine.data(), check);
}

void copy_rows(std::byte* to, std::size_t to_row, std::size_t to_plane, const std::byte* from, std::size_t from_row,
               std::size_t from_plane, places::copy_shape shape) noexcept {
  for (std::size_t p = 0; p < shape.planes; ++p)
    for (std::size_t r = 0; r < shape.rows; ++r)
      std::memmove(to + p * to_plane + r * to_row, from + p * from_plane + r * from_row, shape.row_bytes);
}

void fill_rows(std::byte* to, std::size_t row, std::size_t plane, places::copy_shape shape,
               std::span<const std::byte> pattern) noexcept {
  for (std::size_t p = 0; p < shape.planes; ++p)
    for (std::size_t r = 0; r < shape.rows; ++r) {
      std::byte* const first = to + p * plane + r * row;
      std::size_t done = std::min(pattern.size(), shape.row_bytes);
      std::memcpy(first, pattern.data(), done);
      for (; done < shape.row_bytes; done += std::min(done, shape.row_bytes - done))
        std::memcpy(first + done, first, std::min(done, shape.row_bytes - done));
    }
}

}  // namespace stretto::device
