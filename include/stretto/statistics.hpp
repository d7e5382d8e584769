// statistics.hpp - counters of a runtime: operations, time and bytes per module, place and device.
//
//     class counted_reads {
//      public:
//       explicit counted_reads(module_host& host) : reads_(host.add_statistic("reads")) {}
//       std::size_t read(std::FILE* file, void* to, std::size_t bytes) {
//         const auto timing = reads_.measure(bytes);  // counts one operation with its time
//         return std::fread(to, 1, bytes, file);
//       }
//
//      private:
//       statistic reads_;
//     };
//
// Threads     statistic::add: any thread. The rest are values.
// Cost        add: three plain stores on a worker, three atomic additions on other threads.
// Invariants  counts are exact once their writers have stopped. Meanwhile a reader may miss the newest updates.
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

/// A counter of a module, made by module_host::add_statistic. A value type; a default-made one counts nothing.
class statistic {
 public:
  constexpr statistic() noexcept = default;

  /// Adds `count` operations that took `time` in all and moved `bytes` bytes. Never throws.
  void add(std::uint64_t count = 1, std::chrono::nanoseconds time = {}, std::uint64_t bytes = 0) const;

  /// A scope that counts as one operation with its duration: auto timing = reads_.measure(bytes).
  class measurement {
   public:
    /// Starts the time.
    measurement(const statistic& s, std::uint64_t bytes) noexcept
        : counted_(s), bytes_(bytes), since_(std::chrono::steady_clock::now()) {}
    measurement(const measurement&) = delete;
    ~measurement() { counted_.add(1, std::chrono::steady_clock::now() - since_, bytes_); }

   private:
    const statistic& counted_;
    std::uint64_t bytes_;
    std::chrono::steady_clock::time_point since_;
  };
  /// Starts an operation of `bytes` bytes that ends with the returned object.
  [[nodiscard]] measurement measure(std::uint64_t bytes = 0) const noexcept { return {*this, bytes}; }

 private:
  friend class module_host;
  constexpr statistic(trace::counters& in, std::uint32_t id) noexcept : in_(&in), id_(id) {}
  trace::counters* in_ = nullptr;
  std::uint32_t id_ = 0;
};

/// The launches on objects that the host or a device has computed.
struct device_statistics {
  std::string name;                 // "host", "opencl_0"
  std::uint64_t launches = 0;       // that succeeded
  double busy_seconds = 0;          // their time, if the runtime has several devices; on the host summed over workers
  std::uint64_t brought_bytes = 0;  // copied into its memory

  friend bool operator==(const device_statistics&, const device_statistics&) = default;
};

/// One counter of a module.
struct module_statistics {
  std::string module;       // "storage"
  std::string what;         // "reads"
  std::string place;        // "disk"; empty: no single place
  std::uint64_t count = 0;  // operations
  double seconds = 0;       // of all of them
  std::uint64_t bytes = 0;  // that they moved

  friend bool operator==(const module_statistics&, const module_statistics&) = default;
};

/// The tasks at one place that workers serve or where tasks were queued.
struct place_statistics {
  std::string place;         // the name of the place
  std::uint64_t tasks = 0;   // run to their end by the workers whose home it is
  double busy_seconds = 0;   // their time, estimated from samples: about one short task in a thousand is timed
  std::uint64_t queued = 0;  // ready now; tasks with a priority or a worker count at the home of that worker

  friend bool operator==(const place_statistics&, const place_statistics&) = default;
};

}  // namespace stretto

STRETTO_API_END
