// node_numbers.hpp - the node numbers of the runtimes of this process. Handles contain them, so they must differ.
//
// A runtime without a job takes the lowest free number. The nodes of a job have consecutive numbers; those of a job of
// several processes begin at the same number in each process. Error messages show the number within the job.
//
// Threads     any.
// Invariants  no two runtimes of a process have the same number at a time.
#pragma once

#include <stretto/error.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace stretto::base {

inline constexpr std::uint32_t node_numbers = 0x8000;
/// First number of a job of several processes. Runtimes without a job have lower numbers; simulated jobs have the
/// highest ones.
inline constexpr std::uint16_t first_process_node_number = 0x4000;

std::optional<std::uint16_t> allocate_node_number();
/// `count` consecutive numbers; returns the first.
std::optional<std::uint16_t> allocate_node_numbers(std::uint32_t count);
/// The same, from `first` on; false if one of them is in use.
bool claim_node_numbers(std::uint16_t first, std::uint32_t count);
void release_node_numbers(std::uint16_t first, std::uint32_t count) noexcept;

/// N02: the program names a node that the job of `nodes` nodes does not have.
error no_such_node(std::uint32_t node, std::uint32_t nodes, const std::source_location& where);

/// "N2": the number within its job; without a job the number itself.
std::string node_name(std::uint16_t number);

}  // namespace stretto::base
