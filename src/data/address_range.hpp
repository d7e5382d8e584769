// address_range.hpp - addresses set aside for one memory; of the host's, pages become real as they are touched; or of a file.
//
// Threads     commit: one at a time (the memory's lock); base and capacity: any.
// Cost        creation: one system call, no page. commit: a comparison, and two system calls per doubling. Where the
//             system has large pages, the first touch makes 2 MiB real at once.
// Invariants  (1) nothing is accounted to the process at creation. (2) addresses never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace stretto::data {

class address_range {
 public:
  /// Sets aside `capacity` bytes, or an eighth of the addresses that this process has left where those are limited (ulimit -v), or half as
  /// much, and so on, where the system has not so many; look at capacity(). Nothing is reserved if capacity is 0.
  explicit address_range(std::uint64_t capacity) noexcept;
  /// Addresses that somebody else has set aside, all usable as far as they can be.
  address_range(std::byte* base, std::uint64_t capacity) noexcept
      : base_(base), capacity_(capacity), committed_(capacity), is_ours_(false) {}
  /// Of a file without a name in this folder, as large as its disk has room: what is not in use need not stay in memory.
  /// Throws D23.
  explicit address_range(const std::filesystem::path& folder);
  address_range(const address_range&) = delete;
  ~address_range();

  std::byte* base() const noexcept { return base_; }
  std::uint64_t capacity() const noexcept { return capacity_; }

  /// Makes [0, end) usable; false if the system refuses.
  bool commit(std::uint64_t end) noexcept { return end <= committed_ || grow(end); }
  std::uint64_t committed() const noexcept { return committed_; }
  /// Gives the pages that lie wholly in [from, to) back to the system; they read as zero when touched again.
  void discard(std::uint64_t from, std::uint64_t to) noexcept;

 private:
  bool grow(std::uint64_t end) noexcept;
  bool grow_file(std::uint64_t end) noexcept;

  std::byte* base_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t committed_ = 0;
  bool is_ours_ = true;
  int file_ = -1;
};

}  // namespace stretto::data
