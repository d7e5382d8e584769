// program_image.hpp - a program that `stretto cc` made, with its own shared libraries: found and checked once, then
// loaded once per rank (program_copy.hpp).
//
// Threads     does not change after construction.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ranks/program/private_object.hpp"

namespace stretto::ranks {

class program_image {
 public:
  /// Reads the file and finds its libraries. Throws R80 if a file cannot be read, R81 if it is no program of ours, R82
  /// if it or a library belongs to another MPI.
  explicit program_image(const std::filesystem::path& file);

  const private_object& program() const noexcept { return *program_; }
  std::filesystem::path path() const { return program_->file().path(); }
  /// The program's own libraries, each behind those that need it.
  const std::vector<std::unique_ptr<private_object>>& libraries() const noexcept { return libraries_; }
  /// Whether the program, or a library of its own, uses functions that start threads.
  bool starts_threads() const noexcept { return starts_threads_; }
  /// Whether the program, or a library of its own, calls Stretto beside MPI.
  bool calls_stretto() const noexcept { return calls_stretto_; }
  /// Whether it has regions of OpenACC, which run on all cores.
  bool has_regions() const noexcept { return has_regions_; }
  /// Whether it has messages whose blocks of the heap ranks may share (heap/readonly_buffers).
  bool shares_blocks() const noexcept { return shares_blocks_; }
  /// Why each rank must stay on one thread, as "it starts threads"; empty if it need not.
  std::string reason_to_stay() const;
  /// The address of `stretto_program` within the program.
  std::uint64_t table_address() const noexcept { return table_address_; }
  /// Where the program has capacity for another dynamic section.
  const Elf64_Sym& area() const noexcept { return *area_; }

 private:
  void find_libraries();
  void find_needed(const private_object& by);

  std::unique_ptr<private_object> program_;
  std::vector<std::unique_ptr<private_object>> libraries_;
  std::vector<std::string> private_names_;
  std::set<std::filesystem::path> seen_;  // of libraries
  bool starts_threads_ = false;
  bool calls_stretto_ = false;
  bool has_regions_ = false;
  bool shares_blocks_ = false;
  std::uint64_t table_address_ = 0;
  const Elf64_Sym* area_ = nullptr;
};

}  // namespace stretto::ranks
