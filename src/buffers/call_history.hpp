// call_history.hpp - the way that a node's program takes: a rolling hash of its calls on buffers, and the last of them.
//
// Programs that make the same calls in the same order have the same hash after each of them; from the first call that differs on, hashes
// differ.
//
// Threads     any; `add` one at a time.
// Cost        add: a lock that nobody else wants, and a few words.
// Memory      the last 2,048 calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "buffers/buffer_call.hpp"

namespace stretto::buffers {

/// A call that may be made again, with its hash.
struct call_signature {
  explicit call_signature(buffer_call c) : is(std::move(c)), hash(is.hash()) {}
  const buffer_call is;
  const std::uint64_t hash;
};

class call_history {
 public:
  static constexpr std::uint64_t most_kept = 2048;
  static constexpr std::uint64_t no_task = ~std::uint64_t{0};

  /// The next call; `task` is the number of what comes of it.
  void add(std::shared_ptr<const call_signature> c, std::uint64_t task, const std::source_location& where);
  std::uint64_t calls() const noexcept { return calls_.load(std::memory_order_acquire); }

  /// Of the first `calls`; nothing where those are not there yet, or not remembered any more.
  std::optional<std::uint64_t> hash_after(std::uint64_t calls) const;

  /// Hashes after calls that follow one another.
  struct hash_window {
    std::uint64_t first = 0;  // number of the first of these calls, from 0 on
    std::vector<std::uint64_t> after = {};
  };
  hash_window window() const;

  struct comparison {
    enum class outcome : std::uint8_t {
      same,            // of all that both remember
      differs,         // in call `number` for the first time
      differs_before,  // already there, which is the oldest that both remember
      unknown,         // they remember no call both
    };
    outcome is = outcome::unknown;
    std::uint64_t number = 0;
    friend bool operator==(const comparison&, const comparison&) = default;
  };
  /// Where this course and another part.
  comparison compare(const hash_window& other) const;

  struct call_description {
    std::string what, where;
    std::uint64_t after = 0;  // the hash
  };
  /// A call by its number, for people.
  std::optional<call_description> describe(std::uint64_t number) const;

 private:
  struct entry {
    std::uint64_t after = 0;
    std::uint64_t task = no_task;
    std::shared_ptr<const call_signature> call;
    std::source_location where;
  };
  std::uint64_t first() const noexcept;  // of those kept
  const entry& at(std::uint64_t number) const noexcept { return last_[number % most_kept]; }

  mutable std::mutex lock_;
  std::atomic<std::uint64_t> calls_{0};
  std::uint64_t hash_ = 0;
  std::vector<entry> last_ = std::vector<entry>(most_kept);
};

}  // namespace stretto::buffers
