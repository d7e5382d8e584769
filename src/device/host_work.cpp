#include "device/host_work.hpp"

#include <algorithm>
#include <cstring>

namespace stretto::device {

host_arguments::host_arguments(const kernel_code& code, std::span<const launch_argument> given, elsewhere moved)
    : code_(code) {
  arguments_.reserve(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    kernel_argument a = given[i].is;
    const kernel_parameter& p = code.parameters[i];
    if (p.mode == access::local) {
      local_bytes_ += line_memory::to_line(static_cast<std::size_t>(a.max[0]) * p.element_bytes);
    } else if (p.mode != access::value) {
      // The origin may lie outside of the array; addresses are numbers here.
      a.origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(a.origin) +
                                              static_cast<std::uintptr_t>(moved.distance_of(given[i].first)));
    }
    arguments_.push_back(a);
  }
}

kept_arguments::kept_arguments(const kernel_code& code, std::span<const launch_argument> given, elsewhere moved)
    : host_arguments(code, given, moved), values_(code, [&](std::size_t i, std::byte* at) {
        std::memcpy(at, arguments_[i].origin, code.parameters[i].element_bytes);
        arguments_[i].origin = at;
      }) {}

void host_arguments::run(const launch_range& whole, const std::int64_t* min, const std::int64_t* max, checking check,
                         group_memory& memory, std::uint64_t order) const {
  kernel_work work;
  std::copy_n(min, 3, work.min);
  std::copy_n(max, 3, work.max);
  std::copy_n(whole.min, 3, work.all_min);
  std::copy_n(whole.max, 3, work.all_max);
  std::copy_n(whole.group, 3, work.group);
  work.dimensions = whole.dimensions;
  work.order = order;
  const auto run = check == checking::on ? code_.run_checked : code_.run;
  if (!code_.in_groups) return run(code_, work, arguments_.data());

  std::vector<kernel_argument> mine = arguments_;
  std::byte* at = memory.of(local_bytes_ + group_scratch_bytes);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (code_.parameters[i].mode != access::local) continue;
    mine[i].origin = at;
    mine[i].stride[0] = 1;
    at += line_memory::to_line(static_cast<std::size_t>(mine[i].max[0]) * code_.parameters[i].element_bytes);
  }
  work.scratch = at;
  work.scratch_bytes = group_scratch_bytes;
  run(code_, work, mine.data());
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
