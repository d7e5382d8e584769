// aggregation.hpp - the accesses of several ranks of a node to one file, performed range by range of the file instead
// of rank by rank.
//
// A block of memory collects the data that ranks write to a range, and adjacent bytes are written at once. A range
// that ranks read is read once for all, and copied to each. The ranks share memory, so there is one copy and no
// message.
//
// Threads     take_range and transfer: any, several at once. bytes: after all ranges have been transferred.
// Cost        a copy, and a system call for each run of adjacent bytes of all ranks together.
// Source      two-phase access: Thakur, Gropp, Lusk, "Data sieving and collective I/O in ROMIO", 1999. There ranks send
//             messages to those that access the file.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "ranks/files/file_transfer.hpp"

namespace stretto::ranks {

class aggregation {
 public:
  /// `accesses`, one of each rank, all read or all write.
  aggregation(int descriptor, std::vector<file_access> accesses);

  /// Whether this is faster than rank by rank: several ranks have data, and not all of them in long runs. False also if
  /// a view does not show the bytes of the file in their order.
  static bool is_useful(std::span<const file_access> accesses);

  /// The part of an access that lies in a range: its bytes from `first` to before `last`.
  struct piece {
    std::size_t access = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  struct range {
    std::int64_t first = 0;  // offsets in the file; `last` is behind the range
    std::int64_t last = 0;
    std::vector<piece> pieces;
  };

  /// The next range with data, which the caller transfers; none after the last one.
  std::optional<range> take_range();
  /// Transfers all pieces of a range. False: with disk_wait::refused, a read would have to wait for a disk. Then no
  /// rank has got data of the range, which is to be transferred again.
  bool transfer(const range& r, disk_wait wait);

  /// How many bytes of an access have been transferred.
  std::int64_t bytes(std::size_t access) const { return done_[access].load(std::memory_order_relaxed); }
  std::int64_t total_bytes() const;

 private:
  file_cursor cursor(const piece& p) const;
  std::vector<file_run> runs_of(const range& r, std::int64_t largest_gap) const;
  void write(const range& r, std::vector<std::byte>& block);
  bool read(const range& r, std::vector<std::byte>& block, disk_wait wait);

  const int descriptor_;
  const std::vector<file_access> accesses_;
  std::deque<std::atomic<std::int64_t>> done_;
  std::mutex mutex_;
  std::vector<std::int64_t> taken_;  // bytes of each access in ranges that were taken
};

}  // namespace stretto::ranks
