// elf_file.hpp - reads a program or shared library: segments, dynamic section, symbols, relocations.
//
// Threads     an elf_file does not change; any thread may read it.
// Invariants  no read goes beyond the file, whatever the file holds: a part that lies outside throws R81.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"

namespace stretto::ranks {

class elf_file {
 public:
  /// Opens and maps a shared object for this processor. Throws R80 if it cannot be opened, R81 if it is none.
  explicit elf_file(std::filesystem::path path);
  elf_file(const elf_file&) = delete;
  ~elf_file();

  const std::filesystem::path& path() const noexcept { return path_; }
  int descriptor() const noexcept { return descriptor_.number(); }
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  std::span<const Elf64_Phdr> segments() const noexcept { return segments_; }
  std::span<const Elf64_Dyn> dynamic() const noexcept { return dynamic_; }  // without the null at its end
  std::uint64_t dynamic_offset() const noexcept { return dynamic_offset_; }

  /// The value of the first entry with the tag; 0 if there is none.
  std::uint64_t value_of(std::int64_t tag) const noexcept;
  /// The strings of all entries with the tag.
  std::vector<std::string> strings_of(std::int64_t tag) const;
  /// A string of the dynamic string table.
  std::string_view string_at(std::uint64_t offset) const;
  /// Where in the file the bytes for an address are. Throws R81 if there are none.
  std::uint64_t offset_of(std::uint64_t address) const;

  /// The dynamic symbols, the empty first one included.
  std::span<const Elf64_Sym> symbols() const noexcept { return symbols_; }
  std::string_view name_of(const Elf64_Sym& symbol) const { return string_at(symbol.st_name); }
  /// The defined dynamic symbol of that name; null if there is none.
  const Elf64_Sym* find(std::string_view name) const;
  /// Calls `visit` for each relocation, with its symbol number and type.
  void for_each_relocation(const std::function<void(const Elf64_Rela&)>& visit) const;

 private:
  template <class T>
  std::span<const T> part(std::uint64_t offset, std::uint64_t count) const;
  [[noreturn]] void fail(const char* what) const;
  void read_headers();
  void read_dynamic();
  void read_symbols();
  std::uint64_t symbol_count() const;
  std::uint64_t count_by_gnu_hash(std::uint64_t address) const;

  const std::filesystem::path path_;
  const base::file_descriptor descriptor_;
  std::span<const std::byte> bytes_;
  std::span<const Elf64_Phdr> segments_;
  std::span<const Elf64_Dyn> dynamic_;
  std::uint64_t dynamic_offset_ = 0;
  std::string_view strings_;
  std::span<const Elf64_Sym> symbols_;
};

}  // namespace stretto::ranks
