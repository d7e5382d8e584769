#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <thread>

#include <stretto/stretto.hpp>

#include "doctor/inspection.hpp"

namespace stretto::doctor {
namespace {

/// Seconds of one of `count` calls of `turn`, in the best of `tries`.
template <class Turn>
double best_of(int tries, int count, Turn&& turn) {
  double best = std::numeric_limits<double>::infinity();
  for (int t = 0; t < tries; ++t) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) turn();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count);
  }
  return best;
}

double seconds_of_cycle() {
  // Of shifts and exclusive-ors that wait for one another: additions of constants would take no time on some
  // processors.
  std::uint64_t x = 0x9e3779b97f4a7c15;
  constexpr int in_a_row = 100;
  return best_of(9, 1000,
                 [&] {
                   for (int i = 0; i < in_a_row; ++i) {
                     x ^= x >> 1;
                     asm volatile("" : "+r"(x));
                   }
                 }) /
         (2 * in_a_row);
}

double seconds_of_locked_operation() {
  alignas(128) std::atomic<std::uint64_t> own{0};
  return best_of(9, 10000, [&] { own.fetch_add(1, std::memory_order_seq_cst); });
}

/// Half of the round trip of a number to another thread; nothing if the two never ran at once.
std::optional<double> seconds_of_transfer() {
  struct alignas(128) {
    std::atomic<std::uint64_t> ball{0};
  } line;
  constexpr std::uint64_t stop = ~std::uint64_t{0};
  std::thread other([&] {  // gives back each odd number, plus one
    for (std::uint64_t seen; (seen = line.ball.load(std::memory_order_acquire)) != stop;)
      if (seen % 2 == 1) line.ball.compare_exchange_strong(seen, seen + 1, std::memory_order_acq_rel);
  });
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::milliseconds(300);  // where both have a core, a millisecond is enough
  double best = std::numeric_limits<double>::infinity();
  constexpr int rounds = 100;
  std::uint64_t ball = 1;
  for (int tries = 0; tries < 50; ++tries) {
    const auto start = clock::now();
    bool is_late = false;
    for (int i = 0; i < rounds && !is_late; ++i, ball += 2) {
      line.ball.store(ball, std::memory_order_release);
      for (unsigned spins = 1; line.ball.load(std::memory_order_acquire) != ball + 1 && !is_late; ++spins)
        is_late = spins % 1024 == 0 && clock::now() > end;
    }
    if (is_late) break;
    best = std::min(best, std::chrono::duration<double>(clock::now() - start).count() / (2 * rounds));
  }
  line.ball.store(stop, std::memory_order_release);
  other.join();
  if (best == std::numeric_limits<double>::infinity()) return std::nullopt;
  return best;
}

/// Copies between two instances, alternately by the runtime and by memcpy.
void measure_copies(runtime& rt, measured_speeds& found) {
  constexpr std::size_t bytes = std::size_t{32} << 20;  // beyond a core's share of most caches
  rt.run([&] {
    const place ram = rt.machine().memories().front();
    const box all{0, static_cast<std::int64_t>(bytes)};
    auto from = instance<unsigned char>::create(at(ram), all).made,
         to = instance<unsigned char>::create(at(ram), all).made;
    fill(from, static_cast<unsigned char>(1));
    wait(fill(to, static_cast<unsigned char>(0)));
    const void* const source = &from.view()(0);
    void* const target = &to.view()(0);
    double ours = std::numeric_limits<double>::infinity(), plain = ours;
    for (int round = 0; round < 5; ++round) {
      ours = std::min(ours, best_of(1, 1, [&] { wait(copy(from, to)); }));
      plain = std::min(plain, best_of(1, 1, [&] {
                         std::memcpy(target, source, bytes);
                         asm volatile("" : : "r"(target) : "memory");  // no copy may be optimised away
                       }));
    }
    from.destroy();
    to.destroy();
    found.speeds.copy = static_cast<double>(bytes) / ours;
    found.yardsticks.memcpy = static_cast<double>(bytes) / plain;
  });
}

}  // namespace

measured_speeds measure_speeds() {
  measured_speeds found;
  speeds_found& s = found.speeds;
  found.yardsticks.cycle = seconds_of_cycle();
  found.yardsticks.locked = seconds_of_locked_operation();
  found.yardsticks.transfer = seconds_of_transfer();  // before a runtime binds this thread, and with it what it starts
  {
    runtime rt({.workers = 1});
    rt.run([&] {
      s.spawn_and_wait = best_of(9, 10000, [] { async([] {}).get(); });
      s.trigger = best_of(9, 10000, [] { user_event::create().trigger(); });
    });
    try {
      measure_copies(rt, found);
    } catch (const std::exception&) {
      // Where there is no memory for it, there is no figure.
    }
  }
  runtime rt;
  if (rt.workers() >= 2)
    s.hand_off = rt.run([] { return best_of(9, 200, [] { async(on(worker(1)), [] {}).get(); }) / 2; });
  return found;
}

}  // namespace stretto::doctor
