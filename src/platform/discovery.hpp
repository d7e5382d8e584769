// discovery.hpp - discovers a machine with hwloc, as places and links.
//
// Threads     may be called from any thread; the result depends on the CPU binding of the process.
// Cost        about 2 ms for this machine.
// Source      hwloc: topologies by cpusets, memory attached to them, synthetic descriptions.
#pragma once

#include <stretto/place.hpp>

#include <cstdint>
#include <string>

namespace stretto::places {

/// This machine within the CPU binding, cpuset and control groups of this process. Throws P15, P06.
platform_description discover(std::uint32_t workers);

/// The machine of an hwloc synthetic description. Throws P13, P06.
platform_description synthesize(const std::string& synthetic, std::uint32_t workers);

}  // namespace stretto::places
