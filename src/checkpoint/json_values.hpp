// json_values.hpp - checked values of JSON files in a checkpoint, which may be malformed although their checksum is
// valid.
//
// Threads     pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace stretto::checkpoints {

/// Throws std::domain_error, which readers convert to C02 with the file's name.
inline void require(bool is_so, const char* what) {
  if (!is_so) throw std::domain_error(what);
}

/// An integer from `least` to `most`; throws as require().
template <class T>
T number_in(const nlohmann::ordered_json& j, std::uint64_t least, std::uint64_t most) {
  require(j.is_number_integer() && (j.is_number_unsigned() || j.get<std::int64_t>() >= 0),
          "a value that is not an integer of at least 0");
  const auto n = j.get<std::uint64_t>();
  require(n >= least && n <= most, "a number out of range");
  return static_cast<T>(n);
}

}  // namespace stretto::checkpoints
