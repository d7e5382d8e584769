// recorded_run.hpp - a recorded run as plain values: what every analysis reads.
//
// Threads     values.
// Invariants  (1) records are sorted by start, longer ones first. (2) an edge goes from an earlier record to a later
//             one in that order, so the order is topological. (3) times count from the first record. (4) spans of one
//             lane nest, except suspensions and messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::report {

using nanoseconds = std::int64_t;

enum class kind : std::uint8_t {
  task,
  suspended,
  copy,
  fill,
  reduce,
  kernel,
  message,
  wait,
  user,
  message_wait,  // of ranks of an MPI program: rank_wait_kinds.hpp
  receive_wait,
  collective_wait,
  other
};
inline constexpr unsigned kind_count = 13;

/// "task", "suspended", ...: the category in the file.
const char* name(kind k) noexcept;

/// Kinds that occupy their lane with work.
constexpr bool is_work(kind k) noexcept {
  return k == kind::task || k == kind::copy || k == kind::fill || k == kind::reduce || k == kind::kernel ||
         k == kind::other;
}

/// Kinds that occupy their lane without work.
constexpr bool is_wait(kind k) noexcept {
  return k == kind::wait || k == kind::message_wait || k == kind::receive_wait || k == kind::collective_wait;
}

/// What records of one origin have in common.
struct label {
  std::string name;  // any bytes
  std::string at;    // "wave.cpp:41" or empty
  report::kind kind = kind::other;
};

inline constexpr std::uint16_t no_place = 0xffff;
inline constexpr std::uint32_t no_record = 0xffffffff;

struct record {
  nanoseconds start = 0;
  nanoseconds end = 0;
  nanoseconds self = 0;      // without the work nested in it
  std::uint64_t id = 0;      // of the operation; several records may be parts of one
  std::uint64_t cause = 0;   // the id that made it ready, 0 if none was recorded
  std::uint64_t amount = 0;  // bytes of what moves data
  std::uint32_t label = 0;
  std::uint32_t lane = 0;
  std::uint16_t place = no_place;  // where it ran, or the memory written
  std::uint16_t from = no_place;   // the memory read
  std::uint16_t module = 0;        // index into run::modules; 0: the core
  report::kind kind = kind::other;

  nanoseconds length() const noexcept { return end - start; }
};

/// A row of the timeline; spans that do not nest on a track continue in a further lane of the same track.
struct lane {
  std::string name;
  std::uint32_t track = 0;
  std::uint32_t node = 0;
};

/// A receive of a rank has taken a message.
struct delivery {
  nanoseconds at = 0;
  std::uint64_t sent = 0;      // the id of the record that the call of the send ended
  std::uint64_t received = 0;  // of the one that the call of the receive ended
  std::uint64_t bytes = 0;
  std::uint32_t label = 0;  // the call of the receive
  std::uint32_t lane = 0;   // of the receiver
};

struct edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  friend bool operator==(const edge&, const edge&) = default;
  friend auto operator<=>(const edge&, const edge&) = default;
};

struct run {
  std::string title;            // the file's name
  std::uint32_t node = 0;       // whose it is
  std::uint32_t job_nodes = 1;  // and of how many in its job; of a joined run, too
  std::uint32_t nodes = 1;      // whose records are in the file
  nanoseconds begin_ns = 0;     // when its times count from, on the job's clock
  std::vector<label> labels;
  std::vector<std::string> places;
  std::vector<std::string> modules{""};  // those outside the core that operations belong to, behind the core itself
  std::vector<std::string> tracks;       // workers, streams, threads of the program
  std::vector<lane> lanes;
  std::vector<record> records;
  std::vector<delivery> deliveries;       // in any order
  std::vector<edge> edges;                // sorted by `to`, then `from`
  std::vector<std::uint32_t> first_edge;  // records.size() + 1 offsets into `edges`
  nanoseconds length = 0;                 // the end of the last record
  std::uint64_t dropped = 0;              // older records that the recorder had no room for
  std::string level;                      // "full", "sampled"
  std::string damage;                     // empty, or what is missing of the file and why

  std::span<const edge> into(std::uint32_t record) const noexcept {
    return {edges.data() + first_edge[record], edges.data() + first_edge[record + 1]};
  }
  const label& label_of(std::uint32_t i) const noexcept { return labels[records[i].label]; }
  std::uint32_t track_of(std::uint32_t i) const noexcept { return lanes[records[i].lane].track; }
};

/// Whether a track is that of a rank of an MPI program.
bool is_rank_track(std::string_view name);

/// Which tracks are workers: those of that name, or ranks if there are any, which run on them; and where there are
/// none, those that ran tasks or kernels.
std::vector<bool> worker_tracks(const run& r);

/// Brings hand-made or read parts into the order that the invariants ask for: sorts the records,
/// renumbers the edges, drops edges that go back in time and doubled ones, joins the parts of one
/// operation, and computes `self` and `length`. Cost: O(n log n), O(n) where
/// records come in order.
void put_in_order(run& r);

}  // namespace stretto::report
