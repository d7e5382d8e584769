// address_range.hpp - addresses reserved for one memory: of the host, where pages are allocated on first touch, or of a
// file.
//
// Threads     commit: one at a time (under the memory's lock); base and capacity: any.
// Cost        creation: one system call, no page. commit: a comparison, and two system calls per doubling. With large
//             pages the first touch allocates 2 MiB at once.
// Invariants  (1) nothing is accounted to the process at creation. (2) addresses never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace stretto::data {

class address_range {
 public:
  /// Reserves `capacity` bytes. Under an address space limit (ulimit -v): at most an eighth of what is left. Halves the
  /// size until the system agrees, so check capacity(). Reserves nothing if `capacity` is 0.
  explicit address_range(std::uint64_t capacity) noexcept;
  /// Addresses that were reserved elsewhere, all of them usable.
  address_range(std::byte* base, std::uint64_t capacity) noexcept
      : base_(base), capacity_(capacity), committed_(capacity), is_ours_(false) {}
  /// Addresses of an unnamed file in this folder, as large as the free space of its disk. Unused pages need not stay in
  /// memory. Throws D23.
  explicit address_range(const std::filesystem::path& folder);
  address_range(const address_range&) = delete;
  ~address_range();

  std::byte* base() const noexcept { return base_; }
  std::uint64_t capacity() const noexcept { return capacity_; }

  /// Makes [0, end) usable; false if the system refuses.
  bool commit(std::uint64_t end) noexcept { return end <= committed_ || grow(end); }
  std::uint64_t committed() const noexcept { return committed_; }
  /// Returns the pages that lie wholly in [from, to) to the system; they read as zero when touched again.
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
