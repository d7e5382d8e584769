// recorder.hpp - all trace data of one runtime.
//
// Threads     every member, any thread; each returned ring has one writer.
// Cost        level: one relaxed load. add_ring: a lock and 48 KiB. take_snapshot: a copy of all records.
// Invariants  rings and the name table live as long as the recorder (names as long as any snapshot).
//
//     trace::ring& mine = recorder.add_ring("worker 0");       // once, on the worker
//     const auto start = trace::clock::now();
//     ...
//     mine.push({.start = start, .end = trace::clock::now(), .id = id, .name = name, .kind = trace::kind::task});
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "trace/ring.hpp"
#include "trace/snapshot.hpp"

namespace stretto::trace {

struct recorder_options {
  std::uint32_t node = 0;
  std::uint32_t job_nodes = 1;
  std::string node_name = {};  // empty: "node 0"
  trace::level level = level::sampled;
  std::size_t ring_records = 8192;                  // kept per thread when sampled
  std::size_t memory_limit = std::size_t{1} << 30;  // bytes for all threads together
};

class recorder {
 public:
  explicit recorder(const recorder_options& options = {});

  trace::level level() const noexcept { return level_.load(std::memory_order_relaxed); }
  bool is_on() const noexcept { return level() != level::off; }
  /// Writers notice the change at their next record. Existing rings keep their size.
  void set_level(trace::level l) noexcept { level_.store(l, std::memory_order_relaxed); }

  /// A ring for a thread or device queue; its track in the timeline gets this name (any bytes).
  ring& add_ring(std::string track_name);

  name_table& names() noexcept { return *names_; }

  /// Sets the names of the numbers in record::place.
  void name_places(std::vector<std::string> places);
  /// Sets the modules that own the operations at places.
  void name_modules(module_owners owners);
  /// The offset from this node's steady clock to the job's; 0 until measured.
  void set_clock_offset(std::int64_t ns) noexcept { clock_offset_ns_.store(ns, std::memory_order_relaxed); }

  snapshot take_snapshot() const;

  /// Bytes of records held now.
  std::size_t memory_used() const noexcept { return budget_.used(); }

 private:
  const recorder_options options_;
  std::atomic<trace::level> level_;
  std::atomic<std::int64_t> clock_offset_ns_{0};
  memory_budget budget_;
  const std::shared_ptr<name_table> names_;

  mutable std::mutex lock_;  // guards the members below, not the contents of rings
  struct named_ring {
    named_ring(std::string n, std::size_t records, memory_budget& budget)
        : name(std::move(n)), records(records, budget) {}
    std::string name;
    ring records;
  };
  std::deque<named_ring> rings_;
  std::vector<std::string> places_;
  module_owners modules_;
};

}  // namespace stretto::trace
