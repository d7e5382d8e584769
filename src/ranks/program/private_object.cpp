#include "ranks/program/private_object.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "ranks/program/processor.hpp"

namespace stretto::ranks {
namespace {

constexpr std::int64_t ignored_tag = 0x6000000d;  // of the range for systems; no loader knows it

}  // namespace

void private_object::prepare(const std::vector<std::string>& private_names) {
  change_dynamic(private_names);
  change_unique_symbols();
  find_shared_segments();
}

void private_object::change_dynamic(const std::vector<std::string>& private_names) {
  for (std::size_t i = 0; i < file_.dynamic().size(); ++i) {
    const auto& entry = file_.dynamic()[i];
    switch (entry.d_tag) {
      case DT_NEEDED:
        if (!std::ranges::count(private_names, file_.string_at(entry.d_un.d_val))) continue;
        break;
      case DT_INIT:
      case DT_FINI:
      case DT_INIT_ARRAY:
      case DT_FINI_ARRAY:
      case DT_SONAME: break;
      default: continue;
    }
    patches_.push_back({file_.dynamic_offset() + i * sizeof entry, bytes_of(ignored_tag)});
  }
}

void private_object::change_unique_symbols() {
  for (const auto& one : file_.symbols()) {
    if (ELF64_ST_BIND(one.st_info) != STB_GNU_UNIQUE) continue;
    const auto* const at = reinterpret_cast<const std::byte*>(&one) + offsetof(Elf64_Sym, st_info);
    patches_.push_back({static_cast<std::uint64_t>(at - file_.bytes().data()),
                        bytes_of<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(one.st_info)))});
  }
}

bool private_object::is_changed(const Elf64_Phdr& segment) const {
  return std::ranges::any_of(patches_, [&](const patch& one) {
    return one.offset + one.bytes.size() > segment.p_offset && one.offset < segment.p_offset + segment.p_filesz;
  });
}

// Functions of the object that choose among others run before loading ends, and thus before its code is shared.
bool private_object::runs_while_loading() const {
  bool is_found = std::ranges::any_of(file_.symbols(),
                                      [](const Elf64_Sym& one) { return ELF64_ST_TYPE(one.st_info) == STT_GNU_IFUNC; });
  file_.for_each_relocation(
      [&](const Elf64_Rela& one) { is_found |= ELF64_R_TYPE(one.r_info) == indirect_relocation; });
  return is_found;
}

bool private_object::is_read_by_loader(const Elf64_Phdr& segment) const {
  if (segment.p_offset == 0) return true;
  constexpr std::int64_t tables[] = {DT_STRTAB, DT_SYMTAB, DT_HASH,   DT_GNU_HASH, DT_RELA,
                                     DT_JMPREL, DT_VERSYM, DT_VERDEF, DT_VERNEED,  DT_RELR};
  return std::ranges::any_of(tables, [&](std::int64_t tag) {
    const auto at = file_.value_of(tag);
    return at >= segment.p_vaddr && at - segment.p_vaddr < segment.p_memsz;
  });
}

void private_object::find_shared_segments() {
  if (runs_while_loading() || file_.value_of(DT_TEXTREL) || (file_.value_of(DT_FLAGS) & DF_TEXTREL)) return;
  for (const auto& one : file_.segments()) {
    if (one.p_type != PT_LOAD || (one.p_flags & PF_W) || one.p_filesz == 0) continue;
    if (!is_changed(one)) shared_segments_.push_back({one, is_read_by_loader(one)});
  }
}

}  // namespace stretto::ranks
