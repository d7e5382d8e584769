// program_constants.hpp - a source line, or another constant of the program, as 64 bits that mean the same on every node of a job.
//
// A std::source_location is a pointer to constants of the program. On the wire it is the module (executable or library) that holds
// them, by a hash of what it is, and the offset into it: another process of the same program has the same constants there, at
// whatever address. What cannot be found there reads "somewhere on node N".
//
// Threads     any.
// Cost        a look at the list of modules, which is made anew only after one was loaded or unloaded.
// Invariants  (1) whatever bits come, decoding touches only memory of a module's own that can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace stretto::dist {

/// `node` is this node's number, for what no module holds.
std::uint64_t encode(const std::source_location& where, std::uint16_t node);
/// `node` is the number of the node that encoded it.
std::source_location decode(std::uint64_t bits, std::uint16_t node);

/// A constant of the program; 0 where no module holds it.
std::uint64_t encode_constant(const void* first, std::size_t bytes);
/// The bytes that lie there; null where there is no such module, or it has less there. Whether they are what was meant is the
/// caller's to find.
const void* decode_constant(std::uint64_t bits, std::size_t bytes, std::size_t alignment);

}  // namespace stretto::dist
