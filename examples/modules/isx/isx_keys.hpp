// isx_keys.hpp - the integer sort ISx: its keys, its kernels, and its verification, for all versions of the program.
//
// Every PE draws keys below 2^key_bits. PE p sorts the keys of the p-th of equal ranges: each PE puts its keys into
// buckets, one for each PE, sends every bucket to its PE, and counts how often each key of its own range has come.
//
// Threads     const members and functions: any thread, on memory of its own.
// Invariants  the keys of a PE are the same however they are drawn in pieces.
// Source      Hanebutte, Hemstad: "ISx: A Scalable Integer Sort for Co-design in the Exascale Era", PGAS 2015.
//             The numbers: O'Neill, "PCG", 2014, with the jump ahead of Brown, 1994.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace isx {

using key = std::uint32_t;

struct problem {
  std::size_t keys_per_pe = 1 << 20;
  int key_bits = 28;
  int pes = 1;
  int pe = 0;

  /// Every PE has as many keys (weak scaling), or all PEs together have them (strong scaling).
  static problem weak(int log2_of_keys, int key_bits, int pe, int pes);
  static problem strong(int log2_of_keys, int key_bits, int pe, int pes);

  /// The number of keys in the range of a PE; the range of the last one may end beyond the largest key.
  std::size_t range() const { return ((std::size_t{1} << key_bits) + pes - 1) / pes; }
  key first_key() const { return static_cast<key>(range() * pe); }
  /// The elements that a PE needs to receive its keys: more than ever come, where keys are evenly distributed.
  std::size_t capacity() const { return keys_per_pe + keys_per_pe / 4 + 4096; }
};

/// The keys number `first` to `first + into.size()` of this PE.
void draw(const problem& p, std::size_t first, std::span<key> into);

/// Adds to sizes[b] the number of keys that belong to PE b.
void count_buckets(const problem& p, std::span<const key> keys, std::span<std::size_t> sizes);
/// Writes each key to the place next[b] of its bucket b, and counts that up.
void fill_buckets(const problem& p, std::span<const key> keys, std::span<std::size_t> next, std::span<key> into);
/// next[b]: where bucket b begins, if all lie one behind another.
std::vector<std::size_t> begins(std::span<const std::size_t> sizes);

/// Whether other threads count into the same counters.
enum class counting { alone, shared };
/// Adds the keys to the counters of this PE's range. Keys of other ranges are not counted; verify finds them.
void count_keys(const problem& p, std::span<const key> keys, std::span<std::uint32_t> counters, counting how);

/// The figures that the PEs add up to know whether the sort is right.
struct totals {
  long keys = 0;    ///< those that came
  long sum = 0;     ///< of the keys that came, less that of the keys that the PE drew: 0 for all PEs together
  long faults = 0;  ///< keys that came to the wrong PE, and PEs whose counters do not give the number of keys
};
totals verify(const problem& p, std::span<const key> drawn, std::span<const key> came,
              std::span<const std::uint32_t> counters);
/// Of the totals of all PEs: empty if the sort is right, or what is wrong.
std::string fault_of(const problem& p, const totals& all);

/// Throws if the buckets of this PE do not fit into its memory.
void check_capacity(const problem& p, std::size_t end);

}  // namespace isx
