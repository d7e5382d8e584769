// snapshot.hpp - what one node remembers at one moment, as values: what the file writer and reports read.
//
// Threads     a value; the names are shared with the recorder that made it and safe to read beside it.
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
  std::uint64_t dropped = 0;    // older records that had to make room
};

/// Which module outside the core answers for what is done at a place, or copied from one place to another.
struct module_owners {
  struct route {
    std::uint16_t from = no_place, to = no_place;
    std::string module;
  };
  std::vector<std::string> of_place;  // by record::place; empty: the core
  std::vector<route> of_copies;

  /// Whose operation a record is; empty: the core's.
  std::string_view of(const record& r) const noexcept;
};

struct snapshot {
  std::uint32_t node = 0;
  std::uint32_t job_nodes = 1;  // of which that is one
  std::string node_name;
  trace::level level = level::off;
  std::size_t memory_limit = 0;  // bytes of records that the node may keep
  trace::calibration calibration;
  const char* clock_source = "";
  std::int64_t clock_offset_ns = 0;  // to add to this node's steady clock to get the job's
  std::vector<track> tracks;
  std::vector<std::string> places;  // by record::place
  module_owners modules;
  std::shared_ptr<const name_table> names;
};

}  // namespace stretto::trace
