// unwritten.hpp - the host reads elements that a checked launch has left without a value (device/unwritten.hpp).
//
// Threads     any, of who may read the elements.
// Cost        a comparison per element, once a launch has left any; else a load.
#pragma once

#include <stretto/instance.hpp>

#include <cstddef>
#include <source_location>
#include <string>

namespace stretto::data {

/// Throws K07 for the first element of `part` that has no value. `first` is where `shape` begins; `of` names the array, as 'object "u"'.
void refuse_unwritten(const std::byte* first, const layout& shape, const box& part, int dimensions, const std::string& of,
                      const std::source_location& where);

}  // namespace stretto::data
