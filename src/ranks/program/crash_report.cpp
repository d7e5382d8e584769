#include "ranks/program/crash_report.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "base/code_location.hpp"
#include "net/mpi/job_mark.hpp"
#include "ranks/process/call_record.hpp"
#include "ranks/program/processor.hpp"
#include "ranks/program/program_copy.hpp"

namespace stretto::ranks {
namespace {

std::terminate_handler default_terminate = nullptr;

void print(const char* text, std::size_t size) { [[maybe_unused]] const auto n = ::write(STDERR_FILENO, text, size); }

// The line of an address, by a process that needs no memory of this one.
void print_line(const void* address) {
  const base::code_place place(address);
  if (!place.file()) return print("  line        unknown\n", 22);
  print("  line        ", 14);
  const pid_t child = ::vfork();
  if (child == 0) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execlp("addr2line", "addr2line", "-fCpse", place.file(), place.offset(), nullptr);
    ::_exit(127);
  }
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  if (status != 0) print("unknown\n", 8);
}

// The function of MPI that the rank has called.
void print_call() {
  const call_record* const call = innermost_call;
  if (!call) return;
  char text[256];
  const auto* const place = static_cast<const char*>(return_address_of(*call));
  const auto end = fmt::format_to_n(text, sizeof text, "  call        {}\n", call->name);
  print(text, std::min(end.size, sizeof text));
  if (place) print_line(place - 1);
}

// No memory is asked for: the crash may be the heap's.
void report(int signal, const void* address, std::uintptr_t place) {
  const auto* const copy = program_copy::current();
  if (!copy) return;
  char text[1024];
  Dl_info facts{};
  ::dladdr(reinterpret_cast<void*>(place), &facts);
  const auto offset = place - reinterpret_cast<std::uintptr_t>(facts.dli_fbase);
  const char *const file = facts.dli_fname ? facts.dli_fname : "?", *const slash = std::strrchr(file, '/');
  const auto end =
      fmt::format_to_n(text, sizeof text, "error R86: {} crashed: {}\n  address     {}\n  where       {} ({}+{:#x})\n",
                       copy->start().name, ::sigabbrev_np(signal) ? ::sigdescr_np(signal) : "signal", address,
                       facts.dli_sname ? facts.dli_sname : "?", slash ? slash + 1 : file, offset);
  copy->write_last_lines();
  print(text, std::min(end.size, sizeof text));
  if (innermost_call) print_call();
  else print_line(reinterpret_cast<const void*>(place));
  net::mpi::mark_job(net::mpi::job_mark::reported);
}

void handle(int signal, siginfo_t* facts, void* context) {
  report(signal, facts->si_addr, instruction_of(*static_cast<const ucontext_t*>(context)));
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::string exception_text() {
  const auto* const type = abi::__cxa_current_exception_type();
  if (!type) return "terminate called without an exception";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status),
                                                    std::free);
  std::string text = fmt::format("nothing catches an exception of type {}", status == 0 ? name.get() : type->name());
  try {
    throw;
  } catch (const std::exception& e) {
    text += fmt::format("\n  what        {}", e.what());
  } catch (...) {
  }
  return text;
}

void terminate() {
  auto* const copy = program_copy::current();
  if (!copy) default_terminate();
  copy->write_last_lines();
  const auto text = fmt::format("error R87: {}: {}\n", copy->start().name, exception_text());
  print(text.data(), text.size());
  copy->end_reported(stretto_called_abort, 128 + SIGABRT);
}

/// Of the thread that made it. When that ends, it has the stack again that it had before: AddressSanitizer frees the
/// one that it finds.
class alternate_stack {
 public:
  alternate_stack() {
    const stack_t stack{memory_.data(), 0, memory_.size()};
    ::sigaltstack(&stack, &before_);
  }
  alternate_stack(const alternate_stack&) = delete;
  ~alternate_stack() { ::sigaltstack(&before_, nullptr); }

 private:
  std::vector<char> memory_ = std::vector<char>(1 << 16);
  stack_t before_{};
};

}  // namespace

void install_crash_reports() {
  program_copy::set_crash_handler(reinterpret_cast<void*>(&handle));
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigaction(signal, &action, nullptr);
  }
  if (!default_terminate) default_terminate = std::set_terminate(terminate);
}

void use_alternate_stack() { thread_local const alternate_stack of_thread; }

}  // namespace stretto::ranks
