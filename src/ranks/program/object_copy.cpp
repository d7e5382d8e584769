#include "ranks/program/object_copy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <stretto/error.hpp>
#include <string_view>
#include <unordered_map>

#include "ranks/program/library_search.hpp"
#include "ranks/program/processor.hpp"

namespace stretto::ranks {
namespace {

error no_memory(const char* what, const elf_file& file) {
  return error("R84", fmt::format("no memory for another copy of \"{}\"", file.path().string()))
      .fact(what, std::strerror(errno))
      .because("each rank has a copy of the program's data")
      .remedy("run fewer ranks on this node");
}

int memory_file(const elf_file& file) {
  const int number = ::memfd_create(file.path().filename().c_str(), MFD_CLOEXEC);
  if (number < 0) throw no_memory("memfd_create", file);
  return number;
}

// Numbers of files come again; the slashes and dots spell a number that does not.
std::string unused_path(int number) {
  static std::atomic<std::uint32_t> copies{0};
  std::string path = "/proc/self/fd";
  for (auto rest = copies.fetch_add(1, std::memory_order_relaxed); rest != 0; rest /= 2)
    path += rest % 2 != 0 ? "/." : "/";
  return fmt::format("{}/{}", path, number);
}

std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

bool is_hole(const private_object& object, const Elf64_Phdr& segment) {
  return std::ranges::any_of(object.shared_segments(), [&](const shared_segment& one) {
    return one.header.p_offset == segment.p_offset && !one.is_read_by_loader;
  });
}

void write_at(int number, const char* bytes, std::uint64_t size, std::uint64_t offset, const elf_file& file) {
  while (size > 0) {
    const auto written = ::pwrite(number, bytes, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw no_memory("pwrite", file);
    bytes += written, size -= static_cast<std::uint64_t>(written), offset += static_cast<std::uint64_t>(written);
  }
}

bool is_zero(const char* bytes, std::uint64_t size) {
  return std::all_of(bytes, bytes + size, [](char c) { return c == 0; });
}

// Pages of zeros need no memory.
void write_pages(int number, const elf_file& file, std::uint64_t offset, std::uint64_t size) {
  const auto* const bytes = reinterpret_cast<const char*>(file.bytes().data());
  std::uint64_t from = offset;  // of the bytes that are not yet written
  for (auto at = offset; at < offset + size;) {
    const auto end = std::min((at / page_size() + 1) * page_size(), offset + size);
    if (is_zero(bytes + at, end - at)) {
      write_at(number, bytes + from, at - from, from, file);
      from = end;
    }
    at = end;
  }
  write_at(number, bytes + from, offset + size - from, from, file);
}

bool is_reference(std::uint32_t type) { return std::ranges::count(reference_relocations, type) != 0; }

}  // namespace

object_copy::object_copy(const private_object& object)
    : object_(object),
      file_name_(object.file().path().string()),
      memory_(memory_file(object.file())),
      path_(unused_path(memory_.number())) {
  const auto& file = object.file();
  if (::ftruncate(memory_.number(), static_cast<off_t>(file.bytes().size())) != 0) throw no_memory("ftruncate", file);
  for (const auto& one : file.segments())
    if (one.p_type == PT_LOAD && !is_hole(object, one)) write_pages(memory_.number(), file, one.p_offset, one.p_filesz);
  write_at(memory_.number(), reinterpret_cast<const char*>(file.bytes().data()), sizeof(Elf64_Ehdr), 0, file);
  for (const auto& one : object.patches()) write(one);
}

void object_copy::write(const patch& change) {
  write_at(memory_.number(), change.bytes.data(), change.bytes.size(), change.offset, object_.file());
}

char* object_copy::at(std::uint64_t address) const noexcept {
  return reinterpret_cast<char*>(map_->l_addr) + address;  // NOLINT: where the loader has put it
}

void object_copy::load_system_libraries() const {
  for (const auto& name : object_.file().strings_of(DT_NEEDED))
    if (find_own_library(name, object_.file()).empty()) ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

void object_copy::finish_loading(link_map* map) {
  map_ = map;
  loader_path_ = map->l_name;
  map->l_name = const_cast<char*>(file_name_.c_str());  // for debuggers and reports of crashes
  for (const auto& one : object_.shared_segments()) share(one.header);
  ::close(memory_.release());
}

void object_copy::restore_path() noexcept {
  if (map_) map_->l_name = loader_path_;
}

void object_copy::share(const Elf64_Phdr& segment) const {
  const auto offset_in_page = segment.p_vaddr % page_size();
  const int protection = PROT_READ | ((segment.p_flags & PF_X) ? PROT_EXEC : 0);
  void* const from = at(segment.p_vaddr - offset_in_page);
  if (::mmap(from, segment.p_filesz + offset_in_page, protection, MAP_PRIVATE | MAP_FIXED, object_.file().descriptor(),
             static_cast<off_t>(segment.p_offset - offset_in_page)) == MAP_FAILED)
    throw no_memory("mmap", object_.file());
}

void object_copy::add_constructors(std::vector<stretto_constructor>& all) const {
  const auto& file = object_.file();
  if (const auto one = file.value_of(DT_INIT)) all.push_back(reinterpret_cast<stretto_constructor>(at(one)));
  auto* const list = reinterpret_cast<stretto_constructor*>(at(file.value_of(DT_INIT_ARRAY)));
  for (std::uint64_t i = 0; i < file.value_of(DT_INIT_ARRAYSZ) / sizeof *list; ++i)
    if (list[i]) all.push_back(list[i]);
}

void object_copy::add_destructors(std::vector<stretto_destructor>& all) const {
  const auto& file = object_.file();
  auto* const list = reinterpret_cast<stretto_destructor*>(at(file.value_of(DT_FINI_ARRAY)));
  for (auto i = file.value_of(DT_FINI_ARRAYSZ) / sizeof *list; i > 0; --i)
    if (list[i - 1]) all.push_back(list[i - 1]);
  if (const auto one = file.value_of(DT_FINI)) all.push_back(reinterpret_cast<stretto_destructor>(at(one)));
}

void object_copy::replace(const stretto_replacement* replacements) const {
  std::unordered_map<std::string_view, void*> by_name;
  for (; replacements->name; ++replacements) by_name.emplace(replacements->name, replacements->address);
  const auto symbols = object_.file().symbols();
  object_.file().for_each_relocation([&](const Elf64_Rela& one) {
    const auto number = ELF64_R_SYM(one.r_info);
    if (!is_reference(ELF64_R_TYPE(one.r_info)) || number >= symbols.size()) return;
    if (number == 0 || symbols[number].st_shndx != SHN_UNDEF) return;
    const auto found = by_name.find(object_.file().name_of(symbols[number]));
    if (found != by_name.end()) set_reference(one, static_cast<char*>(found->second) + one.r_addend);
  });
}

void object_copy::set_reference(const Elf64_Rela& relocation, void* address) const {
  char* const place = at(relocation.r_offset);
  const auto page = reinterpret_cast<std::uintptr_t>(place) / page_size() * page_size();
  const auto is_protected = std::ranges::any_of(object_.file().segments(), [&](const Elf64_Phdr& one) {
    return one.p_type == PT_GNU_RELRO && relocation.r_offset - one.p_vaddr < one.p_memsz;
  });
  if (is_protected && ::mprotect(reinterpret_cast<void*>(page), page_size(), PROT_READ | PROT_WRITE) != 0)
    throw no_memory("mprotect", object_.file());
  std::memcpy(place, &address, sizeof address);
  if (is_protected) ::mprotect(reinterpret_cast<void*>(page), page_size(), PROT_READ);
}

}  // namespace stretto::ranks
