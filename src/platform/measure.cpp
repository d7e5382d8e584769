#include "platform/measure.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stretto/error.hpp>
#include <thread>

#include "platform/default_paths.hpp"
#include "platform/routes.hpp"

namespace stretto::places {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto time_budget = milliseconds(170);  // of 200 ms, the rest is for starting and joining threads
// More than a core's share of most last-level caches. Two buffers of this size exist at a time.
constexpr std::size_t large_bytes = 32u << 20;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// Binds the calling thread to the CPUs of a core.
void bind_to(const place_description& core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const auto cpu : core.cpus)
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  if (const int failed = pthread_setaffinity_np(pthread_self(), sizeof set, &set))
    throw error("P17", "\"" + core.name + "\" cannot be measured")
        .because(std::string("this process may not run there: ") + std::strerror(failed))
        .remedy("measure a platform that was discovered on this machine");
}

/// Runs `body` on a new thread that is bound to a core; the binding of the calling thread does not change.
template <typename Body>
void run_on_core(const place_description& core, Body body) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      bind_to(core);
      body();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

/// Fresh pages, placed on the NUMA node of the thread that first writes to them.
class pages {
 public:
  explicit pages(std::size_t bytes)
      : bytes_(bytes), at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (at_ == MAP_FAILED)
      throw error("P17", "there is no memory to measure with").fact("wanted", std::to_string(bytes >> 20) + " MiB");
    madvise(at_, bytes, MADV_HUGEPAGE);  // translation misses are not what is measured
    std::memset(at_, 0, bytes);
  }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;
  ~pages() { munmap(at_, bytes_); }

  std::byte* data() const { return static_cast<std::byte*>(at_); }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* at_;
};

/// Bytes per second of copying `bytes` from one buffer to the other: the best of as many tries as `limit` allows.
double copy_bandwidth(std::byte* to, const std::byte* from, std::size_t bytes, milliseconds limit) {
  const auto begin = clock::now();
  const std::size_t rounds = std::max<std::size_t>(1, (std::size_t{1} << 20) / bytes);  // long enough for the clock
  double best = std::numeric_limits<double>::infinity();
  do {
    const auto start = clock::now();
    for (std::size_t i = 0; i < rounds; ++i) {
      std::memcpy(to, from, bytes);
      asm volatile("" : : "r"(to) : "memory");  // keeps the compiler from removing copies
    }
    best = std::min(best, seconds_since(start));
  } while (clock::now() - begin < limit);
  return static_cast<double>(bytes * rounds) / best;
}

/// Seconds per load from a buffer of zeros, each address depending on the load before, in scattered order.
double load_latency(const std::byte* at, std::size_t bytes, milliseconds limit) {
  const auto begin = clock::now();
  const std::uint64_t lines = std::bit_floor(bytes / 64);
  std::uint64_t line = 0;
  double best = std::numeric_limits<double>::infinity();
  constexpr int loads = 20000;
  do {
    const auto start = clock::now();
    for (int i = 0; i < loads; ++i) {
      std::uint64_t zero;
      std::memcpy(&zero, at + line * 64, sizeof zero);
      asm volatile("" : "+r"(zero));  // the compiler must not know that it is 0
      line = (line * 6364136223846793005u + 1442695040888963407u + zero) & (lines - 1);  // visits every line
    }
    best = std::min(best, seconds_since(start) / loads);
  } while (clock::now() - begin < limit);
  asm volatile("" : : "r"(line));
  return best;
}

/// Seconds until a cache line that one core has written is visible to the other; nothing if the two threads did not run
/// at the same time. The threads take turns: each waits for the other's number and stores the next.
std::optional<double> ping_pong_seconds(const place_description& here, const place_description& there,
                                        milliseconds limit) {
  struct alignas(128) {
    std::atomic<std::uint64_t> counter{0};
  } shared_line;
  constexpr std::uint64_t stop = ~std::uint64_t{0};
  std::exception_ptr failure, failure_there;
  std::thread other([&] {
    try {
      bind_to(there);
    } catch (...) {
      failure_there = std::current_exception();
    }
    for (std::uint64_t expected = 1;; expected += 2) {
      std::uint64_t seen;
      while ((seen = shared_line.counter.load(std::memory_order_acquire)) != expected)
        if (seen == stop) return;
      if (!shared_line.counter.compare_exchange_strong(seen, expected + 1, std::memory_order_acq_rel)) return;
    }
  });
  double best = std::numeric_limits<double>::infinity();
  const auto end = clock::now() + limit;
  try {
    run_on_core(here, [&] {
      constexpr int rounds = 200;
      for (std::uint64_t counter = 1; clock::now() < end;) {
        const auto start = clock::now();
        for (int i = 0; i < rounds; ++i, counter += 2) {
          shared_line.counter.store(counter, std::memory_order_release);
          for (int spins = 0; shared_line.counter.load(std::memory_order_acquire) != counter + 1; ++spins)
            if ((spins & 1023) == 1023 && clock::now() > end) return;
        }
        best = std::min(best, seconds_since(start) / (2 * rounds));
      }
    });
  } catch (...) {
    failure = std::current_exception();
  }
  shared_line.counter.store(stop, std::memory_order_release);
  other.join();
  if (failure_there) failure = failure_there;
  if (failure) std::rethrow_exception(failure);
  if (best == std::numeric_limits<double>::infinity()) return std::nullopt;
  return best;
}

class measurement {
 public:
  explicit measurement(const graph& g) : g_(g), result_(g.is), deadline_(clock::now() + time_budget) {
    for (std::uint32_t i = 0; i < result_.places.size(); ++i)
      if (result_.places[i].kind == place_kind::core && !result_.places[i].cpus.empty()) cores_.push_back({i});
    if (cores_.empty())
      throw error("P17", "the platform has no core that can be measured")
          .because("none of its places is a core with \"cpus\", the numbers of its CPUs")
          .remedy("measure a platform that was discovered on this machine");
  }

  platform_description run() {
    measure_core_pairs();
    measure_hierarchy();
    measure_memories();
    return std::move(result_);
  }

 private:
  place_description& at(place p) { return result_.places[p.index]; }
  bool is_out_of_time() const { return clock::now() >= deadline_; }

  /// Measures the caches and the memory of the first core, from the innermost outwards.
  void measure_hierarchy() {
    const auto path = climb(g_.is, g_.adjacent, cores_.front());
    run_on_core(at(cores_.front()), [&] {
      double inner = 0;
      for (std::size_t i = 1; i < path.size() && (i == 1 || !is_out_of_time()); ++i) {
        const auto capacity = at(path[i]).capacity_bytes.value_or(large_bytes * 2);
        const bool cache = at(path[i]).kind <= place_kind::l5;
        // Source and target of a copy together take three quarters of a cache; the rest is for other programs.
        const auto bytes = cache
                               ? std::clamp<std::size_t>(static_cast<std::size_t>(capacity) * 3 / 8, 4096, large_bytes)
                               : large_bytes;
        const pages from(bytes), to(bytes);
        const double latency = std::max(inner, load_latency(from.data(), bytes, milliseconds(3)));
        const double bandwidth = copy_bandwidth(to.data(), from.data(), cache ? bytes / 2 : bytes, milliseconds(3));
        if (!cache && i + 1 == path.size()) at(path[i]).bandwidth_bytes_per_second = bandwidth;
        set_links_between(at(path[i - 1]).kind, at(path[i]).kind, bandwidth, latency - inner);
        inner = latency;
      }
    });
  }

  /// Sets the figures of all links between two kinds of places: machines are regular.
  void set_links_between(place_kind inner, place_kind outer, double bandwidth, double latency) {
    for (auto& l : result_.links) {
      const auto a = at(l.a).kind, b = at(l.b).kind;
      if (std::minmax(a, b) == std::minmax(inner, outer))
        l.bandwidth_bytes_per_second = bandwidth, l.latency_seconds = latency;
    }
  }

  void measure_memories() {
    std::vector<std::pair<place, place>> nodes;  // a memory and the core closest to it
    for (std::uint32_t i = 0; i < result_.places.size(); ++i) {
      if (at({i}).kind != place_kind::numa && at({i}).kind != place_kind::system_memory) continue;
      const auto core = nearest(g_, {i}, place_kind::core);
      if (core && !at(*core).cpus.empty()) nodes.emplace_back(place{i}, *core);
    }
    for (const auto& [memory, core] : nodes) {
      if (is_out_of_time()) return;
      if (at(memory).bandwidth_bytes_per_second && memory == climb(g_.is, g_.adjacent, cores_.front()).back())
        continue;  // just measured
      run_on_core(at(core), [&] {
        const pages from(large_bytes), to(large_bytes);
        at(memory).bandwidth_bytes_per_second = copy_bandwidth(to.data(), from.data(), large_bytes, milliseconds(5));
      });
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = i + 1; j < nodes.size() && !is_out_of_time(); ++j)
        if (at(nodes[i].first).kind == place_kind::numa && at(nodes[j].first).kind == place_kind::numa)
          measure_between(nodes[i], nodes[j]);
  }

  /// Core b.second copies from memory a.first to memory b.first. Adds their link if there is none.
  void measure_between(const std::pair<place, place>& a, const std::pair<place, place>& b) {
    constexpr std::size_t bytes = large_bytes / 4;
    std::unique_ptr<pages> from;
    run_on_core(at(a.second), [&] { from = std::make_unique<pages>(bytes); });
    run_on_core(at(b.second), [&] {
      const pages to(bytes);
      const double latency = load_latency(from->data(), bytes, milliseconds(1));
      const double bandwidth = copy_bandwidth(to.data(), from->data(), bytes, milliseconds(2));
      const auto joins = [&](const place_link& l) { return std::minmax(l.a, l.b) == std::minmax(a.first, b.first); };
      auto link = std::find_if(result_.links.begin(), result_.links.end(), joins);
      if (link == result_.links.end()) link = result_.links.insert(link, place_link{a.first, b.first, {}, {}});
      link->bandwidth_bytes_per_second = bandwidth;
      link->latency_seconds = latency;
    });
  }

  /// For each cache and memory that the first core shares with others: measures the first core with one other core that
  /// shares this place with it, but no inner one. All places of the same kind get the result.
  void measure_core_pairs() {
    const auto outwards = climb(g_.is, g_.adjacent, cores_.front());
    std::set<place> below{cores_.front()};
    for (const place p : outwards) {
      if (p == cores_.front() || is_out_of_time()) continue;
      for (const place core : cores_) {
        if (below.contains(core)) continue;
        const auto path = climb(g_.is, g_.adjacent, core);
        if (std::find(path.begin(), path.end(), p) == path.end()) continue;
        if (const auto time = ping_pong_seconds(at(cores_.front()), at(core), milliseconds(5)))
          for (auto& other : result_.places)
            if (other.kind == at(p).kind) other.latency_seconds = *time;
        break;
      }
      for (const place core : cores_)
        if (const auto path = climb(g_.is, g_.adjacent, core); std::find(path.begin(), path.end(), p) != path.end())
          below.insert(core);
    }
  }

  const graph& g_;
  platform_description result_;
  std::vector<place> cores_;
  clock::time_point deadline_;
};

}  // namespace

platform_description measure(const graph& g) { return measurement(g).run(); }

}  // namespace stretto::places
