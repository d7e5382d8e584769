// open_files.hpp - the open files of a module, by the addresses of their bytes: 22 bits for the file, 40 for the
// offset.
//
// Threads     any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include <stretto_storage/storage.hpp>

namespace stretto {

class open_files;

/// An open file and its place in addresses.
struct file::opened {
  ~opened();
  std::shared_ptr<open_files> of;
  std::filesystem::path path;
  place where;
  int descriptor = -1;
  int direct = -1;  // the same file, past the page cache; -1: it was not opened so
  std::uint64_t number = 0;
};

class open_files {
 public:
  static constexpr unsigned offset_bits = 40, number_bits = 22;

  void add(const std::shared_ptr<file::opened>& f);
  void remove(std::uint64_t number) noexcept;
  /// The file of an address. Throws std::runtime_error if none has it.
  std::shared_ptr<file::opened> file_at(const std::byte* address);

  static std::uint64_t offset_of(std::uintptr_t address) noexcept {
    return address & ((std::uint64_t{1} << offset_bits) - 1);
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<file::opened>> files_;
};

}  // namespace stretto
