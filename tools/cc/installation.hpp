// installation.hpp - where the files are that programs of ranks are compiled and linked with.
//
// Threads     any.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::cc {

struct installation {
  std::filesystem::path prefix;

  std::filesystem::path include_folder() const;  // of Stretto
  std::filesystem::path mpi_folder() const;      // of mpi.h
  std::filesystem::path acc_folder() const;      // of openacc.h
  std::filesystem::path library_folder() const;
  std::filesystem::path program_object() const;  // part of every program
  std::filesystem::path start_file() const;      // what the kernel starts in a program's place
};

/// The installed tree that this program is part of, or the build tree. Throws W62 if neither has the files.
installation find_installation();

std::vector<std::string> compile_options(const installation& tree);
/// For programs of ranks that call Stretto, in C++.
std::vector<std::string> options_for_tasks(const installation& tree);
/// Options ahead of the caller's arguments, and behind them, where a program or a library is linked.
std::vector<std::string> program_options(const installation& tree);
std::vector<std::string> library_options(const installation& tree);

}  // namespace stretto::cc
