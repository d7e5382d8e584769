// program_constants.hpp - encodes source lines and other constants of the program as 64 bits that are valid on every
// node.
//
// A std::source_location is a pointer to constants of the program. It is encoded as the module (executable or library)
// that holds the constants, by a hash of its content, and the offset into it. Another process of the same program has
// the same constants there, at whatever address. A line that cannot be decoded reads "somewhere on node N".
//
// A module may be loaded several times, as a program of ranks is for each rank. A constant of any copy is decoded to
// that of the copy which was loaded first.
//
// Threads     any.
// Cost        a lookup in the list of modules, which is rebuilt only after a module was loaded or unloaded.
// Invariants  (1) decoding arbitrary bits only touches readable memory of a module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

namespace stretto::dist {

/// `node` is this node's number; it is encoded if no module holds the line.
std::uint64_t encode(const std::source_location& where, std::uint16_t node);
/// `node` is the number of the node that encoded it.
std::source_location decode(std::uint64_t bits, std::uint16_t node);

/// Encodes a constant of the program; returns 0 if no module holds it.
std::uint64_t encode_constant(const void* first, std::size_t bytes);
/// Returns null if there is no such module or if it has fewer bytes there. The caller must check that the bytes are the
/// expected constant.
const void* decode_constant(std::uint64_t bits, std::size_t bytes, std::size_t alignment);

}  // namespace stretto::dist
