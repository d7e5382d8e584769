// node_numbers.hpp - which node numbers runtimes of this process have: the one thing that they share, so that handles
// tell them apart.
//
// A runtime that is alone takes the lowest number that is free. The nodes of a job have numbers that follow one
// another; those of a job of processes begin at the same one in each of them. People are told the number within the
// job.
//
// Threads     any.
// Invariants  (1) no two runtimes of a process have the same number at a time.
#pragma once

#include <stretto/error.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace stretto::base {

inline constexpr std::uint32_t node_numbers = 0x8000;
/// Of jobs of processes; below are those of runtimes that are alone, jobs within the process have the highest ones.
inline constexpr std::uint16_t first_process_node_number = 0x4000;

std::optional<std::uint16_t> allocate_node_number();
/// The first of so many.
std::optional<std::uint16_t> allocate_node_numbers(std::uint32_t count);
/// False if one of them is taken.
bool claim_node_numbers(std::uint16_t first, std::uint32_t count);
void release_node_numbers(std::uint16_t first, std::uint32_t count) noexcept;

/// N02, for a node that the program names and the job of `nodes` has not.
error no_such_node(std::uint32_t node, std::uint32_t nodes, const std::source_location& where);

/// "N2": within the job that has the number now, else of all.
std::string node_name(std::uint16_t number);

}  // namespace stretto::base
