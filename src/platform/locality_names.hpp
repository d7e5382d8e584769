// locality_names.hpp - the small languages inside a locality graph: kinds implied by names, and lists of CPUs.
//
// Threads     pure.
// Source      kinds by prefix: HiPER/hclib, whose modules register labels ("L2", "GPU", "Interconnect"). CPU lists:
//             the format of Linux's cpuset files.
#pragma once

#include <stretto/place.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::places {

/// The kind of a place whose file says no more than its name: "L2_0" is an l2; other for names of no known prefix.
place_kind kind_implied_by(std::string_view name) noexcept;

/// "0-3,8" -> 0 1 2 3 8, in the order written; nothing if malformed, beyond 1,048,575 or more than 65,536 numbers.
std::optional<std::vector<std::uint32_t>> read_cpu_list(std::string_view text);

/// 0 1 2 3 8 -> "0-3,8"; read_cpu_list gives the same numbers back.
std::string write_cpu_list(const std::vector<std::uint32_t>& cpus);

}  // namespace stretto::places
