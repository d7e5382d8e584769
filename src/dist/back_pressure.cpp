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

/// Where nothing is taken for as long, a sender goes on, and those behind it after the shorter time; and there is a poll.
constexpr std::uint64_t sender_patience_ns = 100'000'000, stuck_patience_ns = 5'000'000, poll_patience_ns = 50'000'000;
/// The same where time does not pass by itself, since somebody steps the runtime.
constexpr std::uint64_t patience_in_steps = 200;

bool is_stepped(const base::thread_context& context) noexcept {
  return static_cast<const sched::thread_state&>(context).owner->settings.stepped;
}

/// Of what the system could give without taking from others.
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

back_pressure::share::share(back_pressure& of, what is, std::uint64_t bytes) noexcept : of_(&of), is_(is), bytes_(bytes) {
  (is == what::came ? of.came_ : of.kept_).fetch_add(bytes, std::memory_order_relaxed);
}

void back_pressure::share::end() noexcept {
  back_pressure* const of = std::exchange(of_, nullptr);
  if (!of) return;
  if (is_ == what::came) of->begun_.fetch_add(1, std::memory_order_relaxed);
  (is_ == what::came ? of->came_ : of->kept_).fetch_sub(bytes_, std::memory_order_relaxed);
}

std::uint64_t back_pressure::held(const net::transport& net) const noexcept {
  return net.outstanding_bytes() + kept_.load(std::memory_order_relaxed);
}

void back_pressure::wait_for_room(const net::transport& net, const std::source_location& where) {
  const auto& context = static_cast<const sched::thread_state&>(base::require_current("send"));
  const bool stepped = is_stepped(context), is_worker = context.as_worker;
  for (std::uint64_t seen = held(net), rounds = 0, since = base::nanoseconds_now();;) {
    if (!is_worker) std::this_thread::sleep_for(std::chrono::microseconds(50));
    else if (!sched::let_others_run(where)) return;
    const std::uint64_t left = held(net), now = base::nanoseconds_now();
    if (left < seen) is_stuck_.store(false, std::memory_order_relaxed), rounds = 0, since = now;
    if (left <= limits_.memory) return;
    const std::uint64_t patience = is_stuck_.load(std::memory_order_relaxed) ? stuck_patience_ns : sender_patience_ns;
    if (stepped ? ++rounds > patience_in_steps : now - since > patience) return is_stuck_.store(true, std::memory_order_relaxed);
    seen = left;
  }
}

bool back_pressure::shall_wait() noexcept {
  const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
  const bool stepped = is_stepped(base::require_current("job::poll"));
  if (begun != begun_seen_) {
    begun_seen_ = begun;
    polls_left_out_ = 0;
    if (!stepped) waits_since_ = base::nanoseconds_now();
    return true;
  }
  if (stepped ? ++polls_left_out_ <= patience_in_steps : base::nanoseconds_now() - waits_since_ < poll_patience_ns) return true;
  polls_left_out_ = 0;
  if (!stepped) waits_since_ = base::nanoseconds_now();
  return false;
}

std::uint64_t back_pressure::most_taken() const { return limits_.largest ? limits_.largest : free_bytes_of_machine(); }

}  // namespace stretto::dist
