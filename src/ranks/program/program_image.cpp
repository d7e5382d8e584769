#include "ranks/program/program_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stretto/error.hpp>

#include "ranks/program/library_search.hpp"
#include "ranks/program/linked/program.h"

namespace stretto::ranks {
namespace {

[[noreturn]] void refuse_other_mpi(const elf_file& file, std::string_view fact, std::string_view value) {
  throw error("R82", fmt::format("\"{}\" was built for another MPI", file.path().string()))
      .fact(std::string(fact), std::string(value))
      .because("handles of one MPI mean nothing to another")
      .remedy("compile it again with stretto cc or stretto c++");
}

void check_mpi(const elf_file& file) {
  for (const auto& library : file.strings_of(DT_NEEDED))
    if (belongs_to_other_mpi(library)) refuse_other_mpi(file, "needs", library);
  for (const auto& one : file.symbols())
    if (one.st_shndx == SHN_UNDEF)
      if (const auto mpi = mpi_with_symbol(file.name_of(one)); !mpi.empty())
        refuse_other_mpi(file, "uses", fmt::format("{} of {}", file.name_of(one), mpi));
}

/// By pthread_create, by std::thread, by C's threads, or by the OpenMP libraries of GCC and Clang.
bool uses_threads(const elf_file& file) {
  return std::ranges::any_of(file.symbols(), [&](const Elf64_Sym& one) {
    const auto name = file.name_of(one);
    return one.st_shndx == SHN_UNDEF &&
           (name == "pthread_create" || name == "thrd_create" || name.starts_with("_ZNSt6thread15_M_start_thread") ||
            name.starts_with("GOMP_parallel") || name.starts_with("__kmpc_fork_call"));
  });
}

bool uses_stretto(const elf_file& file) {
  return std::ranges::any_of(file.symbols(), [&](const Elf64_Sym& one) {
    const auto name = file.name_of(one);
    return one.st_shndx == SHN_UNDEF && (name.starts_with("_ZN7stretto") || name.starts_with("_ZNK7stretto"));
  });
}

bool uses_openacc(const elf_file& file) {
  return std::ranges::any_of(file.symbols(), [&](const Elf64_Sym& one) {
    const auto name = file.name_of(one);
    return one.st_shndx == SHN_UNDEF && (name == "stretto_acc_end" || name.starts_with("acc_"));
  });
}

bool has_readonly_messages(const elf_file& file) {
  return std::ranges::any_of(file.symbols(), [&](const Elf64_Sym& one) {
    return one.st_shndx == SHN_UNDEF && file.name_of(one) == "stretto_acc_readonly_buffer";
  });
}

bool has_thread_variables(const elf_file& file) {
  return std::ranges::any_of(file.segments(), [](const Elf64_Phdr& one) { return one.p_type == PT_TLS; });
}

/// Gives MPI functions that it calls while the rank runs, on the rank's worker.
bool registers_functions(const elf_file& file) {
  return std::ranges::any_of(file.symbols(), [&](const Elf64_Sym& one) {
    const auto name = file.name_of(one);
    return one.st_shndx == SHN_UNDEF && (name.find("MPI_Op_create") != name.npos || name == "MPI_Comm_create_keyval" ||
                                         name == "PMPI_Comm_create_keyval");
  });
}

std::string reason_to_stay(const elf_file& file) {
  const auto name = file.path().filename().string();
  if (uses_threads(file)) return name + " starts threads, which belong to a rank's worker";
  if (has_thread_variables(file)) return name + " has thread-local variables, which stay with a thread";
  if (registers_functions(file)) return name + " gives MPI functions of its own, which run on a rank's worker";
  return {};
}

error not_ours(const elf_file& file, const char* why) {
  return error("R81", fmt::format("\"{}\" is no program that stretto cc or stretto c++ made", file.path().string()))
      .because(why)
      .remedy("link it with stretto cc, or run it without stretto");
}

}  // namespace

program_image::program_image(const std::filesystem::path& path) : program_(std::make_unique<private_object>(path)) {
  const auto& file = program_->file();
  const auto* const table = file.find("stretto_program");
  area_ = file.find("stretto_program_area");
  check_mpi(file);
  if (!table || !area_) throw not_ours(file, "it has no table stretto_program");
  for (const auto& one : file.symbols())
    if (one.st_shndx == SHN_UNDEF && file.name_of(one) == "main") throw not_ours(file, "it has no function main");
  table_address_ = table->st_value;
  file.offset_of(area_->st_value + area_->st_size - 1);
  find_libraries();
}

void program_image::find_libraries() {
  find_needed(*program_);
  program_->prepare(private_names_);
  for (const auto& one : libraries_) one->prepare(private_names_);
  const auto is_true_of_any = [this](bool (*is_true_of)(const elf_file&)) {
    return is_true_of(program_->file()) ||
           std::ranges::any_of(libraries_, [&](const auto& one) { return is_true_of(one->file()); });
  };
  starts_threads_ = is_true_of_any(uses_threads);
  calls_stretto_ = is_true_of_any(uses_stretto);
  has_regions_ = is_true_of_any(uses_openacc);
  shares_blocks_ = is_true_of_any(has_readonly_messages);
}

std::string program_image::reason_to_stay() const {
  std::string reason = ranks::reason_to_stay(program_->file());
  for (const auto& one : libraries_)
    if (reason.empty()) reason = ranks::reason_to_stay(one->file());
  return reason;
}

// Depth first: a library is put into the list ahead of those that it needs.
void program_image::find_needed(const private_object& by) {
  for (const auto& name : by.file().strings_of(DT_NEEDED)) {
    const auto path = find_own_library(name, by.file());
    if (path.empty()) continue;
    if (!std::ranges::count(private_names_, name)) private_names_.push_back(name);
    if (!seen_.insert(path).second) continue;
    auto library = std::make_unique<private_object>(path);
    check_mpi(library->file());
    find_needed(*library);
    libraries_.insert(libraries_.begin(), std::move(library));
  }
}

}  // namespace stretto::ranks
