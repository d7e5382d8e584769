// library_search.hpp - finds the shared libraries that are a program's own, as the system's loader would.
//
// A library is the program's own if the program's run path or LD_LIBRARY_PATH leads to it and it lies in no folder of
// the system. Libraries of compilers, of Stretto and of other MPIs are never the program's own.
// Threads     any.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ranks/program/elf_file.hpp"

namespace stretto::ranks {

/// The file of the library that `by` needs under this name; empty if it is none of the program's own.
std::filesystem::path find_own_library(const std::string& name, const elf_file& by);

/// Whether a library of this name is part of another MPI.
bool belongs_to_other_mpi(std::string_view library) noexcept;

/// The name of the MPI whose header declares this symbol, if programs compiled with that header need it; else empty.
std::string_view mpi_with_symbol(std::string_view symbol) noexcept;

}  // namespace stretto::ranks
