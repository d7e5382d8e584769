// name_table.hpp - interns the user's names and source lines as 32-bit ids.
//
// Threads     every member, any thread. Only the first use of a name takes a lock.
// Cost        intern of a known name: about 15 ns for a short one; operator[]: two loads.
// Invariants  (1) an id always denotes the same text and line. (2) equal name, file and line give the same id, from
//             any translation unit. (3) entries never move.
//
// Memory is bounded even if a program names every task differently: after `most_names` names, or name_bytes of them,
//        all further names share one entry that says so.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "trace/record.hpp"

namespace stretto::trace {

struct name_entry {
  std::string name;  // any bytes; may be empty
  std::string file;  // as the compiler spells it; empty if there is no source line
  std::uint32_t line = 0;
};

class name_table {
 public:
  static constexpr std::size_t most_names = std::size_t{1} << 20;

  explicit name_table(std::size_t name_bytes = std::size_t{64} << 20);
  ~name_table();
  name_table(const name_table&) = delete;
  name_table& operator=(const name_table&) = delete;

  name_id intern(std::string_view name) { return intern(name, std::string_view(), 0); }
  name_id intern(std::string_view name, const std::source_location& where) {
    return intern(name, where.file_name(), where.line());
  }
  name_id intern(std::string_view name, std::string_view file, std::uint32_t line);

  /// The entry of an id that intern returned. Id no_name is the entry without name or line.
  const name_entry& operator[](name_id id) const noexcept {
    return blocks_[id / block_entries].load(std::memory_order_acquire)->entries[id % block_entries];
  }
  /// Ids given out: 0 .. size()-1, no_name among them.
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

 private:
  static constexpr std::size_t block_entries = 512;
  struct block {
    std::array<name_entry, block_entries> entries;
    std::array<std::uint32_t, block_entries> hashes;
  };
  // Open addressing. A slot holds the hash (high half) and the id, or 0 if free. A filled slot never changes, so
  // readers need no lock. A half-full index is replaced by a larger one; the old one is kept for concurrent readers.
  struct index {
    explicit index(std::size_t size) : mask(size - 1), slots(new std::atomic<std::uint64_t>[size]()) {}
    std::size_t mask;
    std::unique_ptr<std::atomic<std::uint64_t>[]> slots;
  };

  name_id find(const index& in, std::uint32_t hash, std::string_view name, std::string_view file,
               std::uint32_t line) const noexcept;
  name_id insert(std::uint32_t hash, std::string_view name, std::string_view file, std::uint32_t line);
  static void place(index& in, std::uint32_t hash, name_id id) noexcept;

  std::array<std::atomic<block*>, most_names / block_entries> blocks_{};
  std::atomic<std::size_t> size_{0};
  std::atomic<index*> index_;

  std::mutex inserting_;  // guards the members below
  std::vector<std::unique_ptr<index>> indices_;
  std::size_t bytes_left_;
  name_id further_names_ = no_name;
};

}  // namespace stretto::trace
