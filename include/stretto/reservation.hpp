// reservation.hpp - the use of something, by one or by readers together, taken and given back without waiting.
//
// acquire returns at once an event that happens when the reservation is held; what needs it runs after that event;
// release gives it back, now or when other events have happened. Both may be issued ahead, by any task: a program may
// acquire, spawn the work after the grant, and release after the work, before any of it has begun.
//
// acquire(shared) asks for a hold that others may share, on this node and on others: readers run together. A shared
// hold begins when nobody holds the reservation alone and nobody asked before it: readers that keep coming do not keep
// a writer out.
//
//     const event held = r.acquire(shared);
//     r.release(async(after(held), [=] { read(table); }));
//
// Which acquire a release belongs to. There is one holder, or there are readers. A release that takes effect ends the
// present hold, or one of the shared ones, whoever issued either, with one exception, for the hold that never came
// about: an acquire whose precondition is poisoned holds nothing, and leaves one release to be ignored. That is the
// first release to take effect whose own precondition is poisoned from the same root failure, as that of the skipped
// work is; or, when nobody holds the reservation, any release. Every other poisoned release releases. A program that
// releases unconditionally (ignore_failure) where its acquire may be poisoned names the grant: release_grant(grant,
// when).
//
// A release that takes effect while nothing is held and none is to be ignored is misuse: E31, thrown if it takes effect
// in the call, else the poison of the event that release returned, which also surfaces if nobody looks at it.
//
// Threads     every member from any thread that belongs to the reservation's runtime.
// Memory      what happened before a release takes effect is visible after the next grant.
// Cost        free and without precondition: one lock of a few instructions. Else one event slot per verb.
//             A shared hold on a node that does not have the reservation: a message there and one back, which brings
//             the payload.
// Invariants  (1) one holder at a time, or readers alone. (2) grants of this node are in the order in which acquires
//             took effect. (3) a waiting node is served after at most `fairness` grants that were preferred to it,
//             readers and others alike.
// Source      reservations: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 3.
#pragma once

#include <stretto/event.hpp>
#include <stretto/plain_value.hpp>

#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

/// The tag of a hold that others may share.
struct shared_hold {};
/// The tag of a hold that others may share.
inline constexpr shared_hold shared{};

/// The right to use something, held by one or shared by readers, taken and given back without waiting. A handle.
class reservation {
 public:
  static constexpr std::size_t most_payload_bytes = 4096;

  struct options {
    std::size_t payload_bytes = 0;  // at most 4096; zeroed at first, and moves with the reservation
    std::uint32_t fairness = 16;    // local grants in a row while another node waits; 0 prefers other nodes
  };

  constexpr reservation() noexcept = default;
  /// Throws E30 if the payload is too large.
  static reservation create(std::source_location where = std::source_location::current());
  static reservation create(const options& o, std::source_location where = std::source_location::current());

  /// Happens when the reservation is held: the default event if it is at once. Poisoned, with nothing held, if the
  /// precondition is.
  event acquire(std::source_location where = std::source_location::current()) const;
  event acquire(event when, std::source_location where = std::source_location::current()) const;
  event acquire(std::span<const dependency> when, std::source_location where = std::source_location::current()) const;
  /// The same for a hold that other readers share. The payload is to be read alone.
  event acquire(shared_hold, std::source_location where = std::source_location::current()) const;
  event acquire(shared_hold, event when, std::source_location where = std::source_location::current()) const;
  event acquire(shared_hold, std::span<const dependency> when,
                std::source_location where = std::source_location::current()) const;
  /// Holds it now if that needs no waiting.
  bool try_acquire(std::source_location where = std::source_location::current()) const;
  bool try_acquire(shared_hold, std::source_location where = std::source_location::current()) const;

  /// Gives it back, now or when all of `when` have ended, poisoned or not. Returns when that is done.
  event release(std::source_location where = std::source_location::current()) const;
  event release(event when, std::source_location where = std::source_location::current()) const;
  event release(std::span<const dependency> when, std::source_location where = std::source_location::current()) const;
  /// As release(when), for the hold that `grant` (which acquire returned) stands for: does nothing if that was
  /// poisoned.
  event release_grant(event grant, event when = {}, std::source_location where = std::source_location::current()) const;

  /// The payload, aligned to 64 bytes; valid until destroy, to be touched only while the reservation is held, and
  /// written only by who holds it alone.
  void* payload(std::source_location where = std::source_location::current()) const;
  template <class T>
  T& payload_as() const {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64 && sizeof(T) <= most_payload_bytes);
    static_assert(detail::explain_bytes<T>());  // it goes to other nodes
    return *static_cast<T*>(payload());
  }

  /// Gives its memory back. Acquires that still wait are poisoned with E33.
  void destroy(std::source_location where = std::source_location::current()) const;

  constexpr std::uint64_t raw() const noexcept { return id_; }
  friend std::string to_string(const reservation& r);  // "reservation R3"
  friend constexpr bool operator==(const reservation&, const reservation&) noexcept = default;

 private:
  constexpr explicit reservation(std::uint64_t id) noexcept : id_(id) {}
  std::uint64_t id_ = 0;
};

}  // namespace stretto

STRETTO_API_END
