#include "device/host_work.hpp"

#include <algorithm>
#include <cstring>

namespace stretto::device {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t to_line(std::size_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

kept_arguments::kept_arguments(const kernel_code& code, std::span<const launch_argument> given, std::ptrdiff_t distance)
    : code_(code) {
  arguments_.reserve(given.size());
  std::size_t bytes = 0;
  for (const kernel_parameter& p : code.parameters) bytes += p.mode == access::value ? to_line(p.element_bytes) : 0;
  values_.resize(bytes + line);
  std::byte* at = values_.data() + (to_line(reinterpret_cast<std::uintptr_t>(values_.data())) -
                                    reinterpret_cast<std::uintptr_t>(values_.data()));
  for (std::size_t i = 0; i < given.size(); ++i) {
    kernel_argument a = given[i].is;
    const kernel_parameter& p = code.parameters[i];
    if (p.mode == access::value) {
      std::memcpy(at, a.origin, p.element_bytes);
      a.origin = at;
      at += to_line(p.element_bytes);
    } else if (p.mode == access::local) {
      local_bytes_ += to_line(static_cast<std::size_t>(a.max[0]) * p.element_bytes);
    } else {
      // The origin may lie outside of the array; addresses are numbers here.
      a.origin = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(a.origin) +
                                              static_cast<std::uintptr_t>(distance));
    }
    arguments_.push_back(a);
  }
}

void kept_arguments::run(const launch_range& whole, const std::int64_t* min, const std::int64_t* max, checking check,
                         std::uint64_t order) const {
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

  const std::size_t bytes = local_bytes_ + group_scratch_bytes;
  struct release {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(line)); }
  };
  const std::unique_ptr<std::byte[], release> memory(new (std::align_val_t(line)) std::byte[bytes]);
  std::vector<kernel_argument> mine = arguments_;
  std::byte* at = memory.get();
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (code_.parameters[i].mode != access::local) continue;
    mine[i].origin = at;
    mine[i].stride[0] = 1;
    at += to_line(static_cast<std::size_t>(mine[i].max[0]) * code_.parameters[i].element_bytes);
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
