// saved_objects.hpp - a node that is held for a checkpoint: how far it has come to rest, and what is there then.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mobile/messages.hpp"

namespace stretto::mobiles {

struct hold_state {
  std::uint64_t open = 0;          // objects that a handler has
  std::uint64_t unsettled = 0;     // that are to leave, or have not arrived; letters that wait for such
  std::uint64_t deferred = 0;      // sends that wait for something
  std::uint64_t said = 0, heard = 0;
  std::uint64_t letters = 0;       // begun and ended so far

  /// As far as one look tells. What is said and has not been heard is found by the sum over all nodes, twice the same.
  bool is_at_rest() const noexcept { return !open && !unsettled && !deferred && said == heard; }
  hold_state& operator+=(const hold_state& b) noexcept {
    open += b.open, unsettled += b.unsettled, deferred += b.deferred;
    said += b.said, heard += b.heard, letters += b.letters;
    return *this;
  }
  friend bool operator==(const hold_state&, const hold_state&) = default;
};

/// Called as its sender and its object call it.
struct waited_letter {
  object_id object = 0;
  std::uint64_t number = 0;
  rank from = 0;
};

struct kept_letter {
  letter_kind kind = letter_kind::handle;
  std::int8_t priority = 0;
  std::uint64_t function = 0, where = 0;  // as constants that travel
  std::string handler = {}, name = {};    // for people
  std::vector<std::byte> arguments = {};
};
struct kept_object {
  object_id id = 0;
  std::uint64_t type = 0;
  std::string type_name = {}, name = {};
  std::vector<std::byte> content = {};
  std::vector<kept_letter> letters = {};  // in the order in which they wait
};

}  // namespace stretto::mobiles
