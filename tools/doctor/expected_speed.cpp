#include "doctor/expected_speed.hpp"

#include <fmt/format.h>

namespace stretto::doctor {
namespace {

std::string nanoseconds(double seconds) {
  return fmt::format("{:.{}f} ns", seconds * 1e9, seconds < 1e-9 ? 2 : seconds < 1e-8 ? 1 : 0);
}

std::string counted(double n, std::string_view what) { return fmt::format("{:.0f} {}{}", n, what, n == 1 ? "" : "s"); }

}  // namespace

std::optional<expectation> expected_time(const counted_work& work, const yardsticks_found& here) {
  if (!here.cycle || !here.locked || (work.transfers > 0 && !here.transfer)) return std::nullopt;
  expectation e;
  e.value = work.instructions / instructions_per_cycle * *here.cycle + work.locked * *here.locked;
  e.because = fmt::format("{} at {:.0f} per cycle of {}, {} of {}", counted(work.instructions, "instruction"),
                          instructions_per_cycle, nanoseconds(*here.cycle), counted(work.locked, "locked operation"),
                          nanoseconds(*here.locked));
  if (work.transfers > 0) {
    e.value += work.transfers * *here.transfer;
    e.because +=
        fmt::format(", {} between cores of {}", counted(work.transfers, "transfer"), nanoseconds(*here.transfer));
  }
  return e;
}

std::optional<expectation> expected_copy(const yardsticks_found& here) {
  if (!here.memcpy) return std::nullopt;
  return expectation{*here.memcpy, fmt::format("memcpy moves {:.1f} GB/s here", *here.memcpy * 1e-9)};
}

}  // namespace stretto::doctor
