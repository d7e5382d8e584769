// statistics.hpp - what a runtime counts: per module and per place, how often, how long, how much; readable at any
// time.
//
// Threads     statistic::add: any thread. The rest are values.
// Cost        add: three plain stores on a worker, three atomic additions on other threads.
// Invariants  counts are exact once their writers have stopped; while they run, a reader may miss the newest.
#pragma once

#include <stretto/compiler.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace trace {
class counters;
}

/// A counter of a module, made by module_host::add_statistic. A value; a default one counts nothing.
class statistic {
 public:
  constexpr statistic() noexcept = default;

  /// Something happened `count` times, took so long in all and moved so many bytes.
  void add(std::uint64_t count = 1, std::chrono::nanoseconds time = {}, std::uint64_t bytes = 0) const;

  /// Counts one from here to the end of the block, with its time.
  ///
  ///     auto timing = reads_.measure(length);
  class measurement {
   public:
    measurement(const statistic& s, std::uint64_t bytes) noexcept
        : counted_(s), bytes_(bytes), since_(std::chrono::steady_clock::now()) {}
    measurement(const measurement&) = delete;
    ~measurement() { counted_.add(1, std::chrono::steady_clock::now() - since_, bytes_); }

   private:
    const statistic& counted_;
    std::uint64_t bytes_;
    std::chrono::steady_clock::time_point since_;
  };
  [[nodiscard]] measurement measure(std::uint64_t bytes = 0) const noexcept { return {*this, bytes}; }

 private:
  friend class module_host;
  constexpr statistic(trace::counters& in, std::uint32_t id) noexcept : in_(&in), id_(id) {}
  trace::counters* in_ = nullptr;
  std::uint32_t id_ = 0;
};

/// What the host, or a device, has computed of launches on objects.
struct device_statistics {
  std::string name;                 // "host", "opencl_0"
  std::uint64_t launches = 0;       // that ended well
  double busy_seconds = 0;          // of them, where there is a choice of devices; of the host: summed over workers
  std::uint64_t brought_bytes = 0;  // copied into its memory

  friend bool operator==(const device_statistics&, const device_statistics&) = default;
};

/// One line of a module's statistics.
struct module_statistics {
  std::string module;  // "storage"
  std::string what;    // "reads"
  std::string place;   // "disk"; empty: not at one place
  std::uint64_t count = 0;
  double seconds = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const module_statistics&, const module_statistics&) = default;
};

/// One place that workers serve or that tasks were put at.
struct place_statistics {
  std::string place;
  std::uint64_t tasks = 0;   // run to their end by the workers whose home it is
  double busy_seconds = 0;   // of those, as far as the timed ones tell: one in about a thousand short ones is
  std::uint64_t queued = 0;  // ready here now; what has a priority or is bound: at the home of its worker

  friend bool operator==(const place_statistics&, const place_statistics&) = default;
};

}  // namespace stretto

STRETTO_API_END
