// sha1.hpp - SHA-1 of one 24-byte or 20-byte message, the step of the splittable random stream of UTS.
//
// Cost        one compression (80 rounds, about 90 ns), no allocation, no table.
// Source      FIPS 180-4, sections 5.1.1, 6.1.2; both messages fit one 64-byte block.
#pragma once

#include <array>
#include <cstdint>

namespace uts {

using digest = std::array<std::uint32_t, 5>;  ///< big-endian words, most significant first

/// SHA-1 of the 24 bytes made of `words` and then `index`, each big-endian.
digest sha1(const digest& words, std::uint32_t index);

/// SHA-1 of the 20 bytes of `words`.
digest sha1(const digest& words);

}  // namespace uts
