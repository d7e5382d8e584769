// two_phase_access.hpp - a collective write of ranks of several nodes to one file: messages take the data of each
// window of the file to one rank, which writes it for all.
//
// The first ranks of the nodes own windows of 4 MiB, cyclically. In each round every owner writes one window. Reads
// need none of this: a node reads what lies between its runs, too.
//
// Threads     each rank its own.
// Cost        two collectives of all ranks for each round; a system call for each run of adjacent bytes of all ranks
//             together; two windows of memory for each owner.
// Source      two-phase access: Thakur, Gropp, Lusk, "Data sieving and collective I/O in ROMIO", 1999.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ranks/files/data_exchange.hpp"
#include "ranks/files/file_transfer.hpp"

namespace stretto::ranks {

/// The ranks exchange these.
struct access_extent {
  std::int64_t first = 0;  // offset in the file; `last` is behind the access
  std::int64_t last = 0;
  std::int64_t bytes = 0;
  std::int64_t run_bytes = 0;  // on average, up to short_run
  std::int64_t offsets_grow = 0;

  /// Runs up to this length, on average, are written faster by another node than one by one.
  static constexpr std::int64_t short_run = 1 << 10;
};

access_extent extent_of(const file_access& access);

/// Whether a write over nodes is faster than one node by node, alike on all ranks: data of several nodes interleaves,
/// most of it in short runs, and fills a good part of the range that it is in.
bool has_interleaved_nodes(std::span<const access_extent> extents, std::span<const int> nodes);

/// The file as an owner of windows sees it.
struct window_file {
  int descriptor = -1;
  /// Calls the function where it may block, and returns afterwards. Throws what it throws.
  std::function<void(const std::function<void()>&)> run_blocking;
};

class two_phase_access {
 public:
  static constexpr std::int64_t window_bytes = 4 << 20;

  /// `nodes` has the node of each rank. All arguments live as long as this.
  two_phase_access(const file_access& own, std::span<const access_extent> extents, std::span<const int> nodes,
                   data_exchange& ranks);

  /// All ranks call it.
  ///
  ///   throws   call_error on all ranks if a write of one of them fails
  void perform(const window_file& file);

 private:
  struct window {
    std::int64_t first = 0, last = 0;
  };
  struct packet;  // of one rank for one window

  window window_of(std::int64_t round, std::size_t owner) const;
  exchanged_data packet_for(const window& of);
  void write_window(const window& of, std::span<const packet> packets, const window_file& file);
  void serve(const window& of, const std::vector<exchanged_data>& received, const window_file& file);
  void agree_on_failure();

  const file_access& own_;
  data_exchange& ranks_;
  std::vector<int> owners_;
  std::int64_t first_window_ = 0;
  std::int64_t rounds_ = 0;
  std::int64_t taken_ = 0;  // bytes of the own data that are in packets
  error_class failure_ = error_class::success;
};

}  // namespace stretto::ranks
