#include "dist/back_pressure.hpp"

#include <chrono>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/context.hpp"
#include "net/transport.hpp"
#include "sched/scheduler.hpp"
#include "sched/waiting.hpp"

namespace stretto::dist {
namespace {

/// A sender that waits for memory sends anyway after this time without progress; after a shorter time once a sender has
/// timed out. In the same way, polls are skipped for at most poll_patience_ns without progress.
constexpr std::uint64_t sender_patience_ns = 100'000'000, stuck_patience_ns = 5'000'000, poll_patience_ns = 50'000'000;
/// The same as a number of steps for stepped runtimes, in which time does not pass.
constexpr std::uint64_t patience_steps = 200;

bool is_stepped(const base::thread_context& context) noexcept {
  return static_cast<const sched::thread_state&>(context).owner->settings.stepped;
}

/// The memory that the system can provide without swapping.
std::uint64_t free_bytes_of_machine() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word)
    if (std::uint64_t kibibytes = 0; word == "MemAvailable:" && file >> kibibytes) return kibibytes << 10;
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

back_pressure::share& back_pressure::share::operator=(share&& other) noexcept {
  end();
  of_ = std::exchange(other.of_, nullptr);
  is_ = other.is_;
  bytes_ = other.bytes_;
  return *this;
}

back_pressure::share::share(back_pressure& of, kind is, std::uint64_t bytes) noexcept
    : of_(&of), is_(is), bytes_(bytes) {
  (is == kind::received ? of.received_bytes_ : of.unanswered_bytes_).fetch_add(bytes, std::memory_order_relaxed);
}

void back_pressure::share::end() noexcept {
  back_pressure* const of = std::exchange(of_, nullptr);
  if (!of) return;
  if (is_ == kind::received) of->started_messages_.fetch_add(1, std::memory_order_relaxed);
  (is_ == kind::received ? of->received_bytes_ : of->unanswered_bytes_).fetch_sub(bytes_, std::memory_order_relaxed);
}

std::uint64_t back_pressure::outstanding_bytes(const net::transport& net) const noexcept {
  return net.outstanding_bytes() + unanswered_bytes_.load(std::memory_order_relaxed);
}

void back_pressure::wait_for_memory(const net::transport& net, const std::source_location& where) {
  const auto& context = static_cast<const sched::thread_state&>(base::require_current("send"));
  const bool stepped = is_stepped(context), is_worker = context.as_worker;
  for (std::uint64_t seen = outstanding_bytes(net), rounds = 0, since = base::nanoseconds_now();;) {
    if (!is_worker) std::this_thread::sleep_for(std::chrono::microseconds(50));
    else if (!sched::let_others_run(where)) return;
    const std::uint64_t left = outstanding_bytes(net), now = base::nanoseconds_now();
    if (left < seen) is_stuck_.store(false, std::memory_order_relaxed), rounds = 0, since = now;
    if (left <= limits_.memory_bytes) return;
    const std::uint64_t patience = is_stuck_.load(std::memory_order_relaxed) ? stuck_patience_ns : sender_patience_ns;
    if (stepped ? ++rounds > patience_steps : now - since > patience)
      return is_stuck_.store(true, std::memory_order_relaxed);
    seen = left;
  }
}

bool back_pressure::should_skip_poll() noexcept {
  const std::uint64_t started = started_messages_.load(std::memory_order_relaxed);
  const bool stepped = is_stepped(base::require_current("job::poll"));
  if (started != started_seen_) {
    started_seen_ = started;
    skipped_polls_ = 0;
    if (!stepped) waiting_since_ns_ = base::nanoseconds_now();
    return true;
  }
  if (stepped ? ++skipped_polls_ <= patience_steps : base::nanoseconds_now() - waiting_since_ns_ < poll_patience_ns)
    return true;
  skipped_polls_ = 0;
  if (!stepped) waiting_since_ns_ = base::nanoseconds_now();
  return false;
}

std::uint64_t back_pressure::max_message_bytes() const {
  return limits_.max_message_bytes ? limits_.max_message_bytes : free_bytes_of_machine();
}

}  // namespace stretto::dist
