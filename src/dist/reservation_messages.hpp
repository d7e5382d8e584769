// reservation_messages.hpp - the messages about reservations that nodes share (remote_reservations.hpp).
//
// The home of a reservation is the node that created it, whose number its id begins with. It arranges passes: each
// brings the reservation from one node to the next, and has a version.
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

/// To the home: the sender's node wants the reservation.
struct reservation_want {
  static constexpr std::string_view message = "reservations.want";
  detail::reservation_id reservation = {};
};

/// From the home: pass the reservation on to that node, once it is there and free.
struct reservation_recall {
  static constexpr std::string_view message = "reservations.recall";
  detail::reservation_id reservation = {};
  node_rank to = {};
  std::uint32_t version = 0;
};

/// The reservation itself passes to the receiver.
struct reservation_pass {
  static constexpr std::string_view message = "reservations.state";
  struct skipped_acquires {
    std::uint32_t count = 0;
    failure_ref root = {};
  };
  /// A shared acquire of another node that waits for it.
  struct reader {
    node_rank origin = {};
    call_number request = {};
    std::source_location where = {};
  };
  detail::reservation_id reservation = {};
  std::uint32_t version = 0, fairness = 0;
  std::source_location where = {};  // of its creation
  std::vector<skipped_acquires> skipped = {};
  counted_bytes payload = {};
  std::vector<reader> readers = {};
};

enum class reservation_action : std::uint8_t { release, skip_acquire, release_skipped, acquire_shared };
template <>
inline constexpr auto last_of<reservation_action> = reservation_action::acquire_shared;

/// An operation that must be carried out where the reservation is: forwarded until it is there.
struct reservation_operation {
  static constexpr std::string_view message = "reservations.operation";
  detail::reservation_id id = {};  // of the reservation
  reservation_action what = {};
  node_rank origin = {};
  call_number request = {};   // of the operation at its origin
  std::uint32_t version = 0;  // of the latest pass that it has seen
  std::uint32_t hops = 0;
  std::source_location where = {};
  failure_ref cause = {};  // set for what skips

  bool is_sound() const noexcept {
    return cause || what == reservation_action::release || what == reservation_action::acquire_shared;
  }
};

/// To the origin of an operation: it was carried out, or has failed.
struct reservation_done {
  static constexpr std::string_view message = "reservations.done";
  call_number request = {};
  failure_ref why = {};
  std::span<const std::byte> payload = {};  // of a shared acquire
};

/// From the home: the reservation is destroyed, or has failed.
struct reservation_gone {
  static constexpr std::string_view message = "reservations.gone";
  detail::reservation_id reservation = {};
  bool is_lost = false;  // not destroyed: the failure stays
  failure_ref why = {};
};

/// To the home: the program destroys the reservation.
struct reservation_destruction {
  static constexpr std::string_view message = "reservations.destroy";
  detail::reservation_id reservation = {};
  std::source_location where = {};
};

/// From the home: an operation of the receiver's was refused.
struct reservation_refused {
  static constexpr std::string_view message = "reservations.refused";
  failure_ref why = {};
};

/// To the home: the sender cannot reach that node, which may have used the reservation.
struct reservation_cut {
  static constexpr std::string_view message = "reservations.cut";
  detail::reservation_id reservation = {};
  node_rank lost = {};
  failure_ref why = {};
};

}  // namespace stretto::dist
