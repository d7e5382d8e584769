// narrow_ids.hpp - where a kernel keeps an id in a type that is narrower than ids are: int i = global_id(0). That is right for ranges whose
// ids fit, and is looked at once per launch.
//
// Found is what the text shows: variables, casts and elements of arrays of 16 or 32 bits that take an id, or an id with numbers added,
// subtracted or multiplied. An id that a function is given, or that a variable or a division may make smaller, is not.
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
  int axis = -1;  // -1: any
  std::int64_t least = 0, most = 0;  // that the type holds
  std::string text;                  // "i = global_id(0)"
};

std::vector<narrow_id> narrow_ids_in(const tokens& body, const std::vector<written_parameter>& parameters, std::span<const kernel_parameter> kinds);

/// Throws K19 where the kernel keeps ids of such a launch in a type that cannot hold them.
void refuse_wide_ids(const kernel_code& code, const launch_range& range, const std::source_location& where);

}  // namespace stretto::device
