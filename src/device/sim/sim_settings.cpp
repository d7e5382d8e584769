#include "device/sim/sim_settings.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace stretto::device::sim {

namespace {

/// "12G": k (or K), M, G and T are powers of `step`.
std::optional<double> number(std::string_view text, double step) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || !std::isfinite(value)) return {};
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty()) return value;
  const std::size_t power = std::string_view("kMGT").find(unit == "K" ? "k" : unit);
  if (unit.size() != 1 || power == std::string_view::npos) return {};
  return value * std::pow(step, static_cast<double>(power + 1));
}

/// One row per setting: its possible values and its effect.
struct row {
  const char *name, *allowed;
  double least, most, step;
  void (*set)(sim_request&, double);
};

std::uint64_t whole(double v) noexcept { return static_cast<std::uint64_t>(v); }

constexpr std::array rows{
    row{"shared_bus", "no value: all of them share the wires to the host", 1, 1, 1,
        [](sim_request& a, double) { a.shares_bus = true; }},
    row{"engines", "1 or 2 copies at a time", 1, 2, 1,
        [](sim_request& a, double v) { a.of_each.copy_engines = static_cast<unsigned>(v); }},
    row{"memory", "64k to 1T bytes", 65536, 1099511627776.0, 1024,
        [](sim_request& a, double v) { a.of_each.memory_bytes = whole(v); }},
    row{"bandwidth", "1k to 10T bytes per second, each way", 1e3, 1e13, 1000,
        [](sim_request& a, double v) {
          a.of_each.to_device_bytes_per_second = a.of_each.to_host_bytes_per_second = v;
        }},
    row{"to_device", "1k to 10T bytes per second, from the host to its memory", 1e3, 1e13, 1000,
        [](sim_request& a, double v) { a.of_each.to_device_bytes_per_second = v; }},
    row{"to_host", "1k to 10T bytes per second, from its memory to the host", 1e3, 1e13, 1000,
        [](sim_request& a, double v) { a.of_each.to_host_bytes_per_second = v; }},
    row{"within", "1k to 100T bytes per second, within its memory", 1e3, 1e14, 1000,
        [](sim_request& a, double v) { a.of_each.within_bytes_per_second = v; }},
    row{"pageable", "1k to 10T bytes per second, where the host's memory is not page-locked", 1e3, 1e13, 1000,
        [](sim_request& a, double v) { a.of_each.pageable_bytes_per_second = v; }},
    row{"copy_us", "0 to 1000000 microseconds before a copy begins", 0, 1e6, 1000,
        [](sim_request& a, double v) { a.of_each.copy_latency_seconds = 1e-6 * v; }},
    row{"launch_us", "0 to 1000000 microseconds before a kernel begins", 0, 1e6, 1000,
        [](sim_request& a, double v) { a.of_each.launch_seconds = 1e-6 * v; }},
    row{"compile_us", "0 to 10000000 microseconds more before the first launch of a kernel in groups of a shape", 0,
        1e7, 1000, [](sim_request& a, double v) { a.of_each.compile_seconds = 1e-6 * v; }},
    row{"rate", "1 to 1000T items per second", 1, 1e15, 1000,
        [](sim_request& a, double v) { a.of_each.items_per_second = v; }},
    row{"messages", "no value: messages to other nodes go from and to its memory in place", 1, 1, 1,
        [](sim_request& a, double) { a.of_each.supports_direct_messages = true; }},
    row{"in_place", "no value: the host reads and writes its memory, as that of a processor", 1, 1, 1,
        [](sim_request& a, double) { a.of_each.is_host_accessible = true; }},
    row{"exports", "no value: such devices of other nodes copy from its memory themselves, and it from theirs", 1, 1, 1,
        [](sim_request& a, double) { a.of_each.exports = true; }},
    row{"near", "0 to 65535: the processor of the system that it is near to", 0, 65535, 1,
        [](sim_request& a, double v) { a.of_each.near_processors = {static_cast<unsigned>(v)}; }},
    row{"far", "1k to 10T bytes per second, where another processor than the near one asks for a copy", 1e3, 1e13, 1000,
        [](sim_request& a, double v) { a.of_each.far_bytes_per_second = v; }},
    row{"no_double", "no value: it has no double precision", 1, 1, 1,
        [](sim_request& a, double) { a.of_each.has_double = false; }},
    row{"device", "0 to 63: whom the faults befall", 0, 63, 1,
        [](sim_request& a, double v) { a.faulty_device = static_cast<unsigned>(v); }},
    row{"fail_launch", "1 or more: that launch fails", 1, 1e15, 1000,
        [](sim_request& a, double v) { a.fails_at_launch = whole(v); }},
    row{"fail_allocation", "1 or more: that part of its memory cannot be had", 1, 1e15, 1000,
        [](sim_request& a, double v) { a.fails_at_allocation = whole(v); }},
    row{"others", "0 to 1T bytes of its memory that others use: they cannot be had", 0, 1e12, 1024,
        [](sim_request& a, double v) { a.bytes_of_others = whole(v); }},
    row{"lose", "1 or more: the device is lost at that launch", 1, 1e15, 1000,
        [](sim_request& a, double v) { a.lost_at_launch = whole(v); }},
};

}  // namespace

std::vector<std::string> names_of_settings() {
  std::vector<std::string> all;
  for (const row& r : rows) all.emplace_back(r.name);
  return all;
}

sim_request read(std::span<const setting> all, const options& usual) {
  sim_request a{.of_each = usual};
  for (const setting& s : all) {
    const row& r = *std::ranges::find(rows, s.name, [](const row& one) { return std::string_view(one.name); });
    const bool is_flag = std::string_view(r.allowed).starts_with("no value");
    const std::optional<double> value =
        is_flag ? s.value.empty() ? std::optional(1.0) : std::nullopt : number(s.value, r.step);
    if (!value || *value < r.least || *value > r.most)
      throw wrong_setting("sim", fmt::format("setting {} of simulated devices cannot be \"{}\"", s.name, s.value))
          .fact("allowed", r.allowed);
    r.set(a, *value);
  }
  return a;
}

}  // namespace stretto::device::sim
