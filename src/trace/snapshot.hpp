// snapshot.hpp - the trace data of one node at one moment, as values that the file writer and reports read.
//
// Threads     a value. The names are shared with the recorder and may be read concurrently.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/clock.hpp"
#include "trace/name_table.hpp"
#include "trace/record.hpp"

namespace stretto::trace {

enum class level : std::uint8_t {
  off,      // nothing is recorded
  sampled,  // the newest records of each thread; short tasks are counted and sampled
  full,     // every record, up to the memory limit
};

/// "off", "sampled", "full".
const char* name(level l) noexcept;

/// The records of one thread or device queue.
struct track {
  std::string name;             // any bytes
  std::vector<record> records;  // in the order of writing: by `end`
  std::uint64_t dropped = 0;    // older records that were overwritten
};

/// The module outside the core that performs the operations at a place, or the copies between two places.
struct module_owners {
  struct route {
    std::uint16_t from = no_place, to = no_place;
    std::string module;
  };
  std::vector<std::string> of_place;  // by record::place; empty: the core
  std::vector<route> of_copies;

  /// The module that owns a record; empty: the core.
  std::string_view of(const record& r) const noexcept;
};

struct snapshot {
  std::uint32_t node = 0;
  std::uint32_t job_nodes = 1;  // number of nodes of the job
  std::string node_name;
  trace::level level = level::off;
  std::size_t memory_limit = 0;  // bytes of records that the node may keep
  trace::calibration calibration;
  const char* clock_source = "";
  std::int64_t clock_offset_ns = 0;  // offset from this node's steady clock to the job's
  std::vector<track> tracks;
  std::vector<std::string> places;  // by record::place
  module_owners modules;
  std::shared_ptr<const name_table> names;
};

}  // namespace stretto::trace
