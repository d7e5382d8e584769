// broadcast_message.hpp - one message that is a letter to each of many objects, on one node or on several: what they have in common is said once.
//
// Objects are called by their distance to the first, and the same goes for their requests. What follows one another is said as a run, so that
// a message to a whole collection takes few words.
//
// Threads     values.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "mobile/messages.hpp"

namespace stretto::mobiles {

/// Letters whose objects and requests are in a row, and that are else the same.
struct run_of_letters {
  std::uint64_t index = 0;     // of the first: its object's distance
  std::uint64_t position = 0;  // its request's
  std::uint64_t number = 0, answered = 0;
  std::uint32_t epoch = 0;     // passage::epoch
  std::uint32_t count = 1;

  /// Whether that one of one letter goes on where this ends; then this has it.
  bool take(const run_of_letters& next) noexcept {
    if (next.index != index + count || next.position != position + count || next.number != number || next.answered != answered ||
        next.epoch != epoch || count == ~std::uint32_t{0})
      return false;
    ++count;
    return true;
  }
};

struct letters_for {
  rank node = 0;
  std::vector<run_of_letters> runs;
};

/// What letters to many objects have in common.
struct said_once {
  object_id first = 0;
  std::uint64_t first_request = 0;
  rank from = 0;
  letter_kind kind = letter_kind::handle;
  std::int8_t priority = 0;
  std::uint64_t function = 0;
  std::source_location where;
  std::string name;

  /// Says so in the letter to the object, and under the request, at those distances.
  void say(far_letter& l, std::uint64_t index, std::uint64_t position) const;
};

struct letters_to_many : said_once {
  static constexpr std::size_t run_bytes = 40;

  letters_to_many() = default;
  letters_to_many(const said_once& all, std::span<const std::byte> bytes) : said_once(all), arguments(bytes) {}
  /// `node` is whoever has sent it: for lines that cannot be found.
  letters_to_many(dist::reader& from, std::uint16_t node);
  /// Less the arguments, which are to follow.
  void write_words(dist::writer& to, std::span<const letters_for> nodes, std::uint16_t node) const;
  /// The i-th of a run, less its arguments.
  std::unique_ptr<far_letter> letter(const run_of_letters& run, std::uint32_t i) const;

  std::vector<letters_for> nodes;         // of a message that has come: the first is its receiver's
  std::span<const std::byte> arguments;   // in the message, or the sender's
};

}  // namespace stretto::mobiles
