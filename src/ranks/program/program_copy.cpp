#include "ranks/program/program_copy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <ranges>
#include <stretto/error.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_output.hpp"
#include "ranks/heap/heap_functions.hpp"
#include "ranks/heap/readonly_buffers.hpp"

namespace stretto::ranks {
namespace {

std::atomic<void*> crash_handler = nullptr;

[[noreturn]] void refuse(const program_image& image, std::string why,
                         const char* remedy = "ldd lists the libraries that the program needs") {
  throw error("R88", fmt::format("a copy of \"{}\" cannot be loaded", image.path().string()))
      .because(std::move(why))
      .remedy(remedy);
}

/// The loader names a copy by a path that means nothing to users.
[[noreturn]] void refuse_loading(const program_image& image, const char* given) {
  std::string_view reason = given ? given : "the system's loader gives no reason";
  if (reason.starts_with("/proc/self/fd/")) reason.remove_prefix(std::min(reason.size(), reason.find(": ") + 2));
  const auto says = [reason](std::string_view text) { return reason.find(text) != reason.npos; };
  if (says("map segment") || says("Cannot allocate memory"))
    refuse(image, fmt::format("the process has no memory for it: {}", reason),
           "start fewer ranks on each node, or raise vm.max_map_count or ulimit -v");
  refuse(image, std::string(reason));
}

int is_rank(void* copy) { return identity_of_thread() == &static_cast<program_copy*>(copy)->main_identity(); }

// Another thread of the program has called exit: its rank's stack cannot be left from here.
void end_process(void* copy, stretto_end how, int code) {
  const auto& start = static_cast<program_copy*>(copy)->start();
  const auto text = fmt::format("error R85: {} ended the program from a thread of its own ({} {})\n", start.name,
                                how == stretto_called_abort ? "abort" : "exit code", code);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  std::_Exit(code);
}

void report_chdir(void* copy) {
  static std::once_flag once;  // for all ranks
  std::call_once(once, [copy] {
    const auto e = error("R83", static_cast<program_copy*>(copy)->start().name + " cannot change the working directory")
                       .because("the ranks of a node are threads of one process, which has one working directory")
                       .remedy("name files by absolute paths, or start the program in that directory");
    base::print_error(e, base::error_form_of(base::stretto_environment(), {}));
  });
}

}  // namespace

program_copy* program_copy::current() noexcept {
  const auto* const identity = identity_of_thread();
  return identity ? identity->copy : nullptr;
}

program_copy::program_copy(std::shared_ptr<const program_image> image, rank_start start)
    : image_(std::move(image)), start_(std::move(start)) {
  for (const auto& one : image_->libraries()) copies_.push_back(std::make_unique<object_copy>(*one));
  copies_.push_back(std::make_unique<object_copy>(image_->program()));
  if (copies_.size() > 1) name_libraries(*copies_.back());
  try {
    load();
  } catch (...) {
    for (const auto& one : copies_) one->restore_path();
    if (handle_) ::dlclose(handle_);
    throw;
  }
}

program_copy::~program_copy() {
  for (const auto& one : copies_) one->restore_path();
  ::dlclose(handle_);
}

// Writes another dynamic section into the program's copy, which needs this rank's copies of the libraries.
void program_copy::name_libraries(object_copy& program) {
  const auto& file = image_->program().file();
  const auto at = image_->area().st_value;
  const auto count = copies_.size() - 1 + file.dynamic().size() + 1;
  std::string section, names;
  for (std::size_t i = 0; i + 1 < copies_.size(); ++i) {
    const auto name = at + count * sizeof(Elf64_Dyn) + names.size();
    section += bytes_of(Elf64_Dyn{DT_NEEDED, {name - file.value_of(DT_STRTAB)}});
    names += copies_[i]->path() + '\0';
  }
  std::string changed(reinterpret_cast<const char*>(file.bytes().data()) + file.dynamic_offset(),
                      file.dynamic().size_bytes());
  for (const auto& one : image_->program().patches())
    if (one.offset - file.dynamic_offset() < changed.size())
      changed.replace(one.offset - file.dynamic_offset(), one.bytes.size(), one.bytes);
  section += changed + bytes_of(Elf64_Dyn{DT_NULL, {0}}) + names;
  if (section.size() > image_->area().st_size) refuse(*image_, "it has too many libraries of its own");
  program.write({file.offset_of(at), section});
  for (const auto& one : file.segments()) {
    if (one.p_type != PT_DYNAMIC) continue;
    auto header = one;
    header.p_offset = file.offset_of(at);
    header.p_vaddr = header.p_paddr = at;
    header.p_filesz = header.p_memsz = count * sizeof(Elf64_Dyn);
    const auto place = reinterpret_cast<const std::byte*>(&one) - file.bytes().data();
    program.write({static_cast<std::uint64_t>(place), bytes_of(header)});
  }
}

// The MPI that connects nodes is visible to all libraries. The copy must find Stretto's functions of the same names:
// those of its own libraries come first. But pthread_create must be that of the process (launcher.c), for the libraries
// of the system, too: they are loaded before, the usual way.
void program_copy::load() {
  void* const process = ::dlopen(nullptr, RTLD_LAZY);
  const bool has_other_mpi = ::dlsym(process, "MPI_Init") != nullptr;
  if (has_other_mpi)
    for (const auto& one : copies_) one->load_system_libraries();
  handle_ = ::dlopen(copies_.back()->path().c_str(), RTLD_NOW | RTLD_LOCAL | (has_other_mpi ? RTLD_DEEPBIND : 0));
  if (!handle_) refuse_loading(*image_, ::dlerror());
  const auto all = maps();
  for (std::size_t i = 0; i < copies_.size(); ++i) copies_[i]->finish_loading(all[i]);
  program_ = reinterpret_cast<const stretto_program*>(copies_.back()->at(image_->table_address()));
  if (program_->version != stretto_program_version) refuse(*image_, "another version of stretto cc linked it");
  for (std::size_t i = 0; i + 1 < copies_.size(); ++i) copies_[i]->replace(program_->replacements);
  if (image_->shares_blocks() && may_share_blocks())
    for (const auto& one : copies_) one->replace(heap_replacements());
  const stretto_replacement of_process[] = {{"pthread_create", ::dlsym(process, "pthread_create")}, {nullptr, nullptr}};
  if (has_other_mpi)
    for (const auto& one : copies_) one->replace(of_process);
}

// The loader lists objects in the order in which it loads them: the program, then its libraries, in the order in which
// its copy names them. Nothing changes that part of the list while the copy is loaded.
std::vector<link_map*> program_copy::maps() const {
  link_map* map = nullptr;
  if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) refuse_loading(*image_, ::dlerror());
  std::vector<link_map*> all{map};
  for (std::size_t i = 0; i + 1 < copies_.size(); ++i) {
    map = map->l_next;
    if (!map || copies_[i]->path() != map->l_name)
      refuse(*image_, "the system's loader loads libraries in another order");
    all.push_back(map);
  }
  std::ranges::rotate(all, all.begin() + 1);
  return all;
}

void program_copy::set_crash_handler(void* handler) noexcept {
  crash_handler.store(handler, std::memory_order_relaxed);
}

void* program_copy::symbol(const char* name) const noexcept { return ::dlsym(handle_, name); }

stretto_run program_copy::prepared_run() {
  arguments_ = start_.arguments;
  for (auto& one : arguments_) argv_.push_back(one.data());
  for (const auto& one : start_.environment) environment_.push_back(const_cast<char*>(one.c_str()));
  argv_.push_back(nullptr), environment_.push_back(nullptr);
  // A library stands ahead of those that it needs, which are constructed first and destroyed last.
  for (std::size_t i = copies_.size() - 1; i-- > 0;) copies_[i]->add_constructors(constructors_);
  for (const auto& one : copies_ | std::views::take(copies_.size() - 1)) one->add_destructors(destructors_);
  copies_.back()->add_constructors(constructors_);
  std::vector<stretto_destructor> first;
  copies_.back()->add_destructors(first);
  destructors_.insert(destructors_.begin(), first.begin(), first.end());
  return {static_cast<int>(arguments_.size()),
          argv_.data(),
          environment_.data(),
          start_.label.c_str(),
          start_.has_input,
          constructors_.data(),
          constructors_.size(),
          destructors_.data(),
          destructors_.size(),
          is_rank,
          end_process,
          report_chdir,
          this,
          crash_handler.load(std::memory_order_relaxed),
          stretto_not_ended,
          0};
}

program_end program_copy::run() {
  auto run = prepared_run();
  locale_ = LC_GLOBAL_LOCALE;
  errno_ = 0;
  enter_thread();
  program_->run(&run);
  leave_thread();
  return {run.how, run.code, is_end_reported_};
}

void program_copy::end(stretto_end how, int code) {
  program_->end(how, code);
  std::abort();  // not reached
}

void program_copy::end_reported(stretto_end how, int code) {
  is_end_reported_ = true;
  end(how, code);
}

void program_copy::leave_thread() noexcept {
  errno_ = errno;
  locale_ = ::uselocale(LC_GLOBAL_LOCALE);
  set_identity(nullptr);
}

void program_copy::enter_thread() noexcept {
  set_identity(&main_identity_);
  ::uselocale(locale_);
  errno = errno_;
}

}  // namespace stretto::ranks
