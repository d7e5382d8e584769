#include "sched/stack_overflow.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

#include "base/config.hpp"
#include "base/fork_reset.hpp"
#include "sched/worker.hpp"

namespace stretto::sched {
namespace {

constexpr bool is_on = !base::address_sanitizer && !base::thread_sanitizer;
constexpr int signals[] = {SIGSEGV, SIGBUS};

// Handlers belong to the process, so runtimes share this state. It is written while our handlers are not installed, or
// while they are below another handler, which is never removed from above them.
std::mutex watching;
const base::fork_reset watching_in_child([]() noexcept { std::construct_at(&watching); });
int watches = 0;
bool is_below_another = false;
struct sigaction before[std::size(signals)];

// The handler reads these: they must need no initialisation that could take a lock.
constinit thread_local unsigned watched_depth = 0;
constinit thread_local bool is_reporting = false;
constinit thread_local bool reports_json = false;
// This must need no destructor, either: a runtime may outlive the main thread's thread-local objects.
constinit thread_local std::byte* signal_stack = nullptr;

/// An error message built without the heap, in the format of stretto::error, which needs the heap, or of its to_json().
class message {
 public:
  message(std::string_view code, bool as_json) noexcept : json_(as_json) {
    raw(json_ ? "{\"code\":\"" : "error ");
    raw(code);
    raw(json_ ? "\",\"sentence\":\"" : ": ");
  }
  /// The next output is the value of the fact `name`.
  void fact(std::string_view name) noexcept {
    if (!json_) return line(name);
    raw(std::exchange(facts_, true) ? "\"},{\"name\":\"" : "\",\"facts\":[{\"name\":\"");
    raw(name);
    raw("\",\"value\":\"");
  }
  /// After all facts: "because", then "try".
  void reason(std::string_view name) noexcept {
    if (!json_) return line(name);
    raw(std::exchange(facts_, false) ? "\"}],\"" : "\",\"");
    raw(name);
    raw("\":\"");
  }
  message& operator<<(std::string_view text) noexcept {
    if (!json_) return raw(text);
    for (const char c : text) {
      if (c == '"' || c == '\\') raw("\\");
      // A dying process does not check whether bytes beyond ASCII form whole characters.
      raw(static_cast<unsigned char>(c) - 0x20u < 0x5fu ? std::string_view(&c, 1) : "?");
    }
    return *this;
  }
  message& operator<<(std::size_t n) noexcept {
    char digits[24];
    return *this << std::string_view(digits, std::to_chars(digits, std::end(digits), n).ptr);
  }
  void write() noexcept {
    raw(json_ ? "\"}\n" : "\n");
    for (std::size_t done = 0; done < used_;) {
      const auto n = ::write(STDERR_FILENO, text_ + done, used_ - done);
      if (n <= 0) return;
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  message& raw(std::string_view text) noexcept {
    const auto n = std::min(text.size(), sizeof text_ - used_);
    std::memcpy(text_ + used_, text.data(), n);
    used_ += n;
    return *this;
  }
  void line(std::string_view name) noexcept {
    raw("\n  ");
    raw(name);
    raw(std::string_view("            ").substr(name.size()));
  }

  const bool json_;
  bool facts_ = false;  // the list of facts has begun
  char text_[1536];     // a name of 200 bytes, each escaped, and the rest
  std::size_t used_ = 0;
};

message& operator<<(message& m, const std::source_location& where) noexcept {
  std::string_view file = where.file_name();
  if (const auto slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  return m << file << ":" << std::size_t{where.line()};
}

/// A task's stack has a guard of known size below it. Below a thread's own stack the system leaves up to a megabyte,
/// and its reported lowest byte is exact only to the page.
bool is_below(const worker& w, const std::byte* fault) noexcept {
  if (const stack* s = w.running_on) return s->base - stack_guard_bytes <= fault && fault < s->base;
  constexpr std::ptrdiff_t gap = 1 << 20, page = 4096;
  const auto* bottom = static_cast<const std::byte*>(w.own_stack_bottom);
  return bottom && bottom - gap <= fault && fault < bottom + page;
}

void report_overflow(const worker& w) noexcept {
  message m("S12", reports_json);
  const task_record* task = w.current;
  if (!task) m << "the body of run";
  else if (task->name) m << "task \"" << std::string_view(task->name).substr(0, 200) << "\"";
  else m << "task at " << task->where;
  m << " ran out of stack";
  if (task) m.fact("spawned"), m << task->where;
  m.fact("stack");
  m << (w.running_on ? w.running_on->bytes + sizeof(stack) : w.own_stack_bytes) / 1024 << " KiB"
    << (w.running_on ? "" : ", that of the thread that called run");
  m.reason("because");
  m << "it recursed too deeply, or has local arrays that are too large";
  m.reason("try");
  m << (w.running_on ? "put large arrays on the heap, or raise STRETTO_STACK_SIZE or runtime_options::stack_bytes"
                     : "put large arrays on the heap, or raise that thread's limit (ulimit -s for the main thread)");
  m.write();
}

/// Does what would have happened without our handler.
void pass_on(int number, siginfo_t* about, void* context) noexcept {
  const auto which = std::find(std::begin(signals), std::end(signals), number) - std::begin(signals);
  const struct sigaction& next = before[which];
  if (next.sa_flags & SA_SIGINFO) return next.sa_sigaction(number, about, context);
  if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) return next.sa_handler(number);
  const bool was_sent = about->si_code <= 0;  // by a process, not by a fault: it would not repeat by itself
  if (was_sent && next.sa_handler == SIG_IGN) return;
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;  // even an ignored fault ends the process
  sigaction(number, &usual, nullptr);
  if (was_sent) raise(number);
  // Otherwise the instruction at fault runs again, and the core shows it.
}

void on_fault(int number, siginfo_t* about, void* context) {
  if (watched_depth && !std::exchange(is_reporting, true)) {
    const base::thread_context* here = base::current();
    const worker* w = here ? static_cast<const thread_state*>(here)->as_worker : nullptr;
    if (about->si_code > 0 && w && is_below(*w, static_cast<const std::byte*>(about->si_addr))) report_overflow(*w);
    is_reporting = false;
  }
  pass_on(number, about, context);
}

bool is_our_handler(const struct sigaction& s) noexcept {
  return s.sa_flags & SA_SIGINFO && s.sa_sigaction == on_fault;
}

void install() noexcept {
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], nullptr, &before[i]);
  for (const int s : signals) sigaction(s, &ours, nullptr);
}

/// Uninstalls all handlers or none: a handler of ours to which another one passes on must stay.
bool uninstall() noexcept {
  for (const int s : signals) {
    struct sigaction now;
    sigaction(s, nullptr, &now);
    if (!is_our_handler(now)) return false;
  }
  for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &before[i], nullptr);
  return true;
}

}  // namespace

overflow_watch::overflow_watch() {
  if (!is_on) return;
  std::scoped_lock lock(watching);
  if (watches++ == 0 && !is_below_another) install();
}

overflow_watch::~overflow_watch() {
  if (!is_on) return;
  std::scoped_lock lock(watching);
  if (--watches == 0) is_below_another = !uninstall();
}

void watch_thread(report_format how) noexcept {
  reports_json = how == report_format::json;
  if (!is_on || watched_depth++) return;
  stack_t now;
  if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
  stack_t ours{};
  ours.ss_size = 64 << 10;
  ours.ss_sp = signal_stack = new (std::nothrow) std::byte[ours.ss_size];
  if (signal_stack) sigaltstack(&ours, nullptr);
}

void unwatch_thread() noexcept {
  if (!is_on || --watched_depth || !signal_stack) return;
  stack_t now;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == signal_stack) sigaltstack(&none, nullptr);
  delete[] std::exchange(signal_stack, nullptr);
}

}  // namespace stretto::sched
