#include "ranks/program/elf_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stretto/error.hpp>

#include "ranks/program/processor.hpp"

namespace stretto::ranks {
namespace {

int opened(const std::filesystem::path& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number >= 0) return number;
  throw error("R80", fmt::format("the program \"{}\" cannot be opened", path.string())).because(std::strerror(errno));
}

std::span<const std::byte> mapped(int descriptor) {
  struct stat facts;
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size <= 0) return {};
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (at == MAP_FAILED) return {};
  return {static_cast<const std::byte*>(at), size};
}

}  // namespace

elf_file::elf_file(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(opened(path_)), bytes_(mapped(descriptor_.number())) {
  try {
    read_headers();
    read_dynamic();
    read_symbols();
  } catch (...) {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    throw;
  }
}

elf_file::~elf_file() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

void elf_file::fail(const char* what) const {
  throw error("R81", fmt::format("\"{}\" is no program that stretto cc or stretto c++ made", path_.string()))
      .because(what)
      .remedy("link it with stretto cc, or run it without stretto");
}

template <class T>
std::span<const T> elf_file::part(std::uint64_t offset, std::uint64_t count) const {
  if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T) || offset % alignof(T) != 0)
    fail("a part of it lies outside of the file");
  return {reinterpret_cast<const T*>(bytes_.data() + offset), static_cast<std::size_t>(count)};
}

void elf_file::read_headers() {
  if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) fail("it is no ELF file");
  const auto& header = part<Elf64_Ehdr>(0, 1)[0];
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != elf_machine)
    fail("it was made for another kind of processor");
  if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) fail("it is no shared object");
  segments_ = part<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  for (const auto& one : segments_)
    if (one.p_type == PT_LOAD) part<std::byte>(one.p_offset, one.p_filesz);
}

void elf_file::read_dynamic() {
  const auto found = std::ranges::find(segments_, PT_DYNAMIC, [](const auto& one) { return int(one.p_type); });
  if (found == segments_.end()) fail("it has no dynamic section");
  dynamic_offset_ = found->p_offset;
  dynamic_ = part<Elf64_Dyn>(found->p_offset, found->p_filesz / sizeof(Elf64_Dyn));
  const auto end = std::ranges::find(dynamic_, DT_NULL, &Elf64_Dyn::d_tag);
  dynamic_ = dynamic_.first(static_cast<std::size_t>(end - dynamic_.begin()));
}

void elf_file::read_symbols() {
  if (const auto size = value_of(DT_STRSZ); size > 0) {
    const auto text = part<char>(offset_of(value_of(DT_STRTAB)), size);
    strings_ = {text.data(), text.size()};
  }
  if (const auto at = value_of(DT_SYMTAB); at != 0) symbols_ = part<Elf64_Sym>(offset_of(at), symbol_count());
}

std::uint64_t elf_file::value_of(std::int64_t tag) const noexcept {
  const auto found = std::ranges::find(dynamic_, tag, &Elf64_Dyn::d_tag);
  return found == dynamic_.end() ? 0 : found->d_un.d_val;
}

std::vector<std::string> elf_file::strings_of(std::int64_t tag) const {
  std::vector<std::string> all;
  for (const auto& one : dynamic_)
    if (one.d_tag == tag) all.emplace_back(string_at(one.d_un.d_val));
  return all;
}

std::string_view elf_file::string_at(std::uint64_t offset) const {
  const auto rest = offset < strings_.size() ? strings_.substr(offset) : std::string_view();
  const auto size = rest.find('\0');
  if (size == rest.npos) fail("a name lies outside of its string table");
  return rest.substr(0, size);
}

std::uint64_t elf_file::offset_of(std::uint64_t address) const {
  for (const auto& one : segments_)
    if (one.p_type == PT_LOAD && address >= one.p_vaddr && address - one.p_vaddr < one.p_filesz)
      return address - one.p_vaddr + one.p_offset;
  fail("an address lies outside of its segments");
}

// The number of dynamic symbols is written down in the old table of hashes alone.
std::uint64_t elf_file::symbol_count() const {
  if (const auto at = value_of(DT_HASH); at != 0) return part<std::uint32_t>(offset_of(at), 2)[1];
  if (const auto at = value_of(DT_GNU_HASH); at != 0) return count_by_gnu_hash(at);
  fail("it has no table of symbols");
}

std::uint64_t elf_file::count_by_gnu_hash(std::uint64_t address) const {
  const auto at = offset_of(address);
  const auto header = part<std::uint32_t>(at, 4);  // buckets, first symbol, size of the filter, shift
  const auto buckets_at = at + 16 + std::uint64_t{header[2]} * 8;
  const auto buckets = part<std::uint32_t>(buckets_at, header[0]);
  std::uint64_t last = 0;
  for (const auto one : buckets) last = std::max<std::uint64_t>(last, one);
  if (last < header[1]) return header[1];
  const auto chains_at = buckets_at + std::uint64_t{header[0]} * 4;
  while ((part<std::uint32_t>(chains_at + (last - header[1]) * 4, 1)[0] & 1) == 0) ++last;
  return last + 1;
}

const Elf64_Sym* elf_file::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      symbols_, [&](const auto& one) { return one.st_shndx != SHN_UNDEF && name_of(one) == name; });
  return found == symbols_.end() ? nullptr : &*found;
}

void elf_file::for_each_relocation(const std::function<void(const Elf64_Rela&)>& visit) const {
  const std::pair<std::int64_t, std::int64_t> tables[] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
  for (const auto& [at, size] : tables)
    if (value_of(size) > 0)
      for (const auto& one : part<Elf64_Rela>(offset_of(value_of(at)), value_of(size) / sizeof(Elf64_Rela))) visit(one);
}

}  // namespace stretto::ranks
