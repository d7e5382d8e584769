// call_history.hpp - the history of a program's calls on buffers: a rolling hash, and the last calls.
//
// Programs that make the same calls in the same order have the same hash after each call. From the first different call
// on, the hashes differ.
//
// Threads     any; `add` from one thread at a time.
// Cost        add: an uncontended lock, and a few stores.
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

/// A call that may be repeated, with its hash.
struct call_signature {
  explicit call_signature(buffer_call c) : is(std::move(c)), hash(is.hash()) {}
  const buffer_call is;
  const std::uint64_t hash;
};

class call_history {
 public:
  static constexpr std::uint64_t most_kept = 2048;
  static constexpr std::uint64_t no_task = ~std::uint64_t{0};

  /// Adds the next call; `task`: the number of the task that it submits.
  void add(std::shared_ptr<const call_signature> c, std::uint64_t task, const std::source_location& where);
  std::uint64_t calls() const noexcept { return calls_.load(std::memory_order_acquire); }

  /// The hash after the first `calls` calls; none if they were not made yet, or are no longer stored.
  std::optional<std::uint64_t> hash_after(std::uint64_t calls) const;

  /// The hashes after consecutive calls.
  struct hash_window {
    std::uint64_t first = 0;  // number of the first of these calls, from 0
    std::vector<std::uint64_t> after = {};
  };
  hash_window window() const;

  struct comparison {
    enum class outcome : std::uint8_t {
      same,            // in all calls that both have stored
      differs,         // first in call `number`
      differs_before,  // already in call `number`, the oldest that both have stored
      unknown,         // they have stored no common call
    };
    outcome is = outcome::unknown;
    std::uint64_t number = 0;
    friend bool operator==(const comparison&, const comparison&) = default;
  };
  /// Compares this history with another.
  comparison compare(const hash_window& other) const;

  struct call_description {
    std::string what, where;
    std::uint64_t after = 0;  // the hash after the call
  };
  /// Describes a call by its number, for error texts.
  std::optional<call_description> describe(std::uint64_t number) const;

 private:
  struct entry {
    std::uint64_t after = 0;
    std::uint64_t task = no_task;
    std::shared_ptr<const call_signature> call;
    std::source_location where;
  };
  std::uint64_t first() const noexcept;  // number of the oldest stored call
  const entry& at(std::uint64_t number) const noexcept { return last_[number % most_kept]; }

  mutable std::mutex lock_;
  std::atomic<std::uint64_t> calls_{0};
  std::uint64_t hash_ = 0;
  std::vector<entry> last_ = std::vector<entry>(most_kept);
};

}  // namespace stretto::buffers
