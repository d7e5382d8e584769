#include "dist/build_ids.hpp"

#include <elf.h>
#include <errno.h>
#include <fmt/format.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/config.hpp"
#include "base/hash.hpp"

namespace stretto::dist {

std::string build_id(std::span<const std::byte> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) h;
    std::memcpy(&h, notes.data(), sizeof h);
    const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t{3}; };
    const std::size_t content = sizeof h + padded(h.n_namesz), all = content + padded(h.n_descsz);
    if (all > notes.size()) break;
    if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && std::memcmp(&notes[sizeof h], "GNU", 4) == 0) {
      std::string text;
      for (const std::byte b : notes.subspan(content, h.n_descsz))
        text += fmt::format("{:02x}", std::to_integer<unsigned>(b));
      return text;
    }
    notes = notes.subspan(all);
  }
  return {};
}

namespace {

/// A search in the list of modules: the program, which is first, and its shared libraries.
struct module_query {
  std::uintptr_t inside = 0;  // an address in the wanted module; 0: the program
  bool is_first = true;       // the next module of the list is the first
  bool is_program = false;    // result: the wanted module is the program
  std::string build;          // result
};

/// For dl_iterate_phdr: not 0 ends the iteration.
int inspect_module(dl_phdr_info* info, std::size_t, void* to) {
  auto& query = *static_cast<module_query*>(to);
  const bool is_first = std::exchange(query.is_first, false);
  const std::span headers(info->dlpi_phdr, info->dlpi_phnum);
  bool is_wanted = query.inside == 0;
  for (const ElfW(Phdr) & p : headers) {
    const std::uintptr_t first = info->dlpi_addr + p.p_vaddr;
    if (p.p_type == PT_LOAD && query.inside >= first && query.inside - first < p.p_memsz) is_wanted = true;
  }
  if (!is_wanted) return 0;
  query.is_program = is_first;
  for (const ElfW(Phdr) & p : headers)
    if (p.p_type == PT_NOTE && query.build.empty())
      query.build = build_id(std::span(reinterpret_cast<const std::byte*>(info->dlpi_addr + p.p_vaddr), p.p_memsz));
  if (!query.build.empty()) return 1;
  std::uint64_t checksum = base::fnv1a("");
  for (const ElfW(Phdr) & p : headers)
    if (p.p_type == PT_LOAD && (p.p_flags & (PF_R | PF_W | PF_X)) == (PF_R | PF_X))
      checksum = base::fnv1a({reinterpret_cast<const char*>(info->dlpi_addr + p.p_vaddr), p.p_filesz}, checksum);
  query.build = fmt::format("{:016x}", checksum);
  return 1;
}

module_query find_build(const void* inside) {
  module_query query;
  query.inside = reinterpret_cast<std::uintptr_t>(inside);
  ::dl_iterate_phdr(inspect_module, &query);
  return query;
}

}  // namespace

std::string program_build() {
  return fmt::format("{}, build {}", program_invocation_short_name, find_build(nullptr).build);
}

std::string library_build() {
  static const char in_library = 0;
  const module_query found = find_build(&in_library);
  return found.is_program ? std::string(base::version()) : fmt::format("{}, build {}", base::version(), found.build);
}

}  // namespace stretto::dist
