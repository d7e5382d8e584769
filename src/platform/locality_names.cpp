#include "platform/locality_names.hpp"

#include <charconv>
#include <utility>

namespace stretto::places {

place_kind kind_implied_by(std::string_view name) noexcept {
  using enum place_kind;
  constexpr std::pair<std::string_view, place_kind> prefixes[] = {{"core", core},
                                                                  {"L1", l1},
                                                                  {"L2", l2},
                                                                  {"L3", l3},
                                                                  {"L4", l4},
                                                                  {"L5", l5},
                                                                  {"package", package},
                                                                  {"numa", numa},
                                                                  {"sysmem", system_memory},
                                                                  {"pinned", pinned_memory},
                                                                  {"GPU", gpu},
                                                                  {"gpumem", gpu_memory},
                                                                  {"Interconnect", interconnect},
                                                                  {"storage", storage}};
  for (const auto& [prefix, kind] : prefixes)
    if (name.starts_with(prefix)) return kind;
  return other;
}

std::optional<std::vector<std::uint32_t>> read_cpu_list(std::string_view text) {
  constexpr std::uint32_t highest = (1u << 20) - 1;
  constexpr std::size_t most = 1u << 16;
  std::vector<std::uint32_t> cpus;
  const char *at = text.data(), *const end = at + text.size();
  const auto number = [&](std::uint32_t& n) {
    const auto [next, fault] = std::from_chars(at, end, n);
    at = next;
    return fault == std::errc() && n <= highest;
  };
  for (;;) {
    std::uint32_t low = 0, high = 0;
    if (!number(low)) return std::nullopt;
    high = low;
    if (at != end && *at == '-' && (++at, !number(high))) return std::nullopt;
    if (high < low || cpus.size() + (high - low) >= most) return std::nullopt;
    for (auto n = low; n <= high; ++n) cpus.push_back(n);
    if (at == end) return cpus;
    if (*at++ != ',') return std::nullopt;
  }
}

std::string write_cpu_list(const std::vector<std::uint32_t>& cpus) {
  std::string out;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(cpus[i]);
    if (last > i) out += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return out;
}

}  // namespace stretto::places
