// narrow_ids.hpp - finds where a kernel stores an id in a type that is narrower than ids are, as in int i =
// global_id(0). This is correct only for ranges whose ids fit, and is checked at each launch.
//
// Detected are variables, casts and array elements of 16 or 32 bits that receive an id, or an id with numbers added,
// subtracted or multiplied. Ids passed to functions, and ids that a variable or a division may reduce, are not.
//
// Threads     any.
// Cost        the text is read once per kernel and process; a launch then compares a few numbers.
#pragma once

#include <stretto/kernel_code.hpp>

#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/kernel_signature.hpp"
#include "device/kernel_tokens.hpp"

namespace stretto::device {

struct narrow_id {
  enum class what : std::uint8_t { item, group, items_of_range };  // global_id, group_id, global_size
  what is = what::item;
  int axis = -1;                     // -1: any axis
  std::int64_t least = 0, most = 0;  // range of the type
  std::string text;                  // "i = global_id(0)"
};

std::vector<narrow_id> narrow_ids_in(const tokens& body, const std::vector<written_parameter>& parameters,
                                     std::span<const kernel_parameter> kinds);

/// Throws K19 if the kernel stores ids of this launch in a type that cannot hold them.
void refuse_wide_ids(const kernel_code& code, const launch_range& range, const std::source_location& where);

}  // namespace stretto::device
