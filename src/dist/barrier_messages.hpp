// barrier_messages.hpp - the messages about barriers of other nodes (remote_barriers.hpp).
//
// A barrier is named by its id, which begins with its owner's node number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string_view>
#include <vector>

#include "dist/message_codec.hpp"
#include "dist/remote_calls.hpp"
#include "event/object_ids.hpp"

namespace stretto::dist {

/// To the owner: arrivals of the sender's node at one phase.
struct barrier_arrival {
  static constexpr std::string_view message = "barriers.arrive";
  detail::barrier_id barrier = {};
  std::uint64_t phase = 0;
  std::uint32_t count = 0;
  std::uint64_t known_below = 0;  // the sender knows the results of all phases below this one
  bool has_query = false;         // true: send barrier_ended when the phase has ended
  std::source_location where = {};
  std::vector<std::byte> value = {};
  failure_ref cause = {};
};

/// To the owner: asks for a barrier_ended when the phase has ended.
struct barrier_query {
  static constexpr std::string_view message = "barriers.query";
  detail::barrier_id barrier = {};
  std::uint64_t phase = 0, known_below = 0;
};

/// From the owner: all phases below `phase` have ended.
struct barrier_ended {
  static constexpr std::string_view message = "barriers.ended";
  struct poisoned_phase {
    std::uint64_t phase = 0;
    failure_ref cause = {};
  };
  struct phase_value {
    std::uint64_t phase = 0;
    std::vector<std::byte> value = {};
  };
  detail::barrier_id barrier = {};
  std::uint64_t phase = 0;
  std::vector<poisoned_phase> poisoned = {};
  std::vector<phase_value> values = {};  // of the latest phases
};

/// To the owner: changes how many arrivals the phase expects.
struct barrier_alteration {
  static constexpr std::string_view message = "barriers.alter";
  detail::barrier_id barrier = {};
  std::uint64_t phase = 0;
  std::int32_t delta = 0;
  call_number request = {};
  std::source_location where = {};
};

/// From the owner: the change of expected arrivals has taken effect, or has failed.
struct barrier_altered {
  static constexpr std::string_view message = "barriers.altered";
  call_number request = {};
  failure_ref why = {};
};

/// To the owner: the program destroys the barrier.
struct barrier_destruction {
  static constexpr std::string_view message = "barriers.destroy";
  detail::barrier_id barrier = {};
  std::uint64_t phase = 0;
  std::source_location where = {};
};

/// From the owner: the barrier is destroyed, or has failed with a node that had arrived at it.
struct barrier_gone {
  static constexpr std::string_view message = "barriers.gone";
  detail::barrier_id barrier = {};
  bool is_lost = false;  // lost: later uses fail with `why`, too
  failure_ref why = {};
};

/// From the owner: an operation of the receiving node was refused, because of `why`.
struct barrier_refused {
  static constexpr std::string_view message = "barriers.refused";
  failure_ref why = {};
};

}  // namespace stretto::dist
