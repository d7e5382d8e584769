// reservation.hpp - asynchronous locks: exclusive or shared use of something, acquired and released by events.
//
//     void add_to_shared_total(reservation lock, long* total, long value) {
//       const event granted = lock.acquire();  // returns at once
//       const future<void> added = async(after(granted), [=] { *total += value; });
//       lock.release(added);                   // returns at once, too
//     }
//     void read_it(reservation lock, const long* total) {
//       const event granted = lock.acquire(shared);  // readers hold it together
//       lock.release(async(after(granted), [=] { std::printf("%ld\n", *total); }));
//     }
//
// acquire returns at once an event that triggers when the reservation is granted. Work that needs it runs after that
// event. release gives the reservation back, now or when other events have ended. A program may issue acquire, the work
// and release ahead, before any of it has begun.
//
// acquire(shared) asks for a hold that readers share, on this node and on others. A shared hold begins when nobody
// holds the reservation exclusively and no acquire waits in front of it: a stream of readers does not keep a writer
// out.
//
// A release ends the present hold, or one of the shared ones, no matter which task issued either. There is one
// exception. An acquire whose precondition is poisoned holds nothing and leaves one release to be ignored: the first
// release whose own precondition is poisoned from the same root failure, as that of the skipped work is; or any release
// while nobody holds the reservation. Every other poisoned release releases. A program that releases unconditionally
// (ignore_failure) although its acquire may be poisoned names the grant: release_grant(grant, when).
//
// A release that takes effect while nothing is held and none is to be ignored is an error, E31. The call throws it if
// the release takes effect in the call; otherwise the event that release returned is poisoned with it, and the end of
// the runtime reports it if no one has waited for that event.
//
// Threads     every member from any thread that belongs to the reservation's runtime.
// Memory      writes before a release takes effect are visible after the next grant.
// Cost        acquire of a free reservation without precondition: one short lock. Otherwise one event slot per call. A
//             shared hold on a node that does not have the reservation: a message there and one back, which brings the
//             payload.
// Invariants  (1) one exclusive holder at a time, or readers only. (2) grants on one node follow the order in which its
//             acquires took effect. (3) a waiting node is served after at most `fairness` grants to others, readers
//             included.
// Source      reservations: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 3.
#pragma once

#include <stretto/event.hpp>
#include <stretto/plain_value.hpp>

#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

/// The type of the tag `shared`.
struct shared_hold {};
/// The tag of reservation::acquire for a hold that other readers share.
inline constexpr shared_hold shared{};

/// An asynchronous lock with one exclusive holder or several readers, and an optional payload that moves with it. A
/// handle: copies name the same reservation. Members throw B20 on a thread of no runtime, E32 for a reservation that
/// was destroyed or a default-made one, and E03 for one of another, independent runtime.
class reservation {
 public:
  /// The largest payload, in bytes.
  static constexpr std::size_t most_payload_bytes = 4096;

  /// The settings of a reservation.
  struct options {
    std::size_t payload_bytes = 0;  // at most 4096; zeroed at first, and moves with the reservation
    std::uint32_t fairness = 16;    // local grants in a row while another node waits; 0 prefers other nodes
  };

  constexpr reservation() noexcept = default;
  /// Creates a free reservation on this node. Throws B20, and E30 if the payload exceeds most_payload_bytes.
  static reservation create(std::source_location where = std::source_location::current());
  static reservation create(const options& o, std::source_location where = std::source_location::current());

  /// Asks for the reservation once `when` has ended. Returns an event that triggers when it is granted: the default
  /// event if that is now. If `when` is poisoned, so is the event, and nothing is held. Throws B20, E32, E03.
  event acquire(std::source_location where = std::source_location::current()) const;
  event acquire(event when, std::source_location where = std::source_location::current()) const;
  event acquire(std::span<const dependency> when, std::source_location where = std::source_location::current()) const;
  /// Asks for a hold that other readers share. Its holders may read the payload, but not write it. Throws B20, E32,
  /// E03.
  event acquire(shared_hold, std::source_location where = std::source_location::current()) const;
  event acquire(shared_hold, event when, std::source_location where = std::source_location::current()) const;
  event acquire(shared_hold, std::span<const dependency> when,
                std::source_location where = std::source_location::current()) const;
  /// Takes the reservation if it is free now, and returns whether it did. Throws B20, E32, E03.
  bool try_acquire(std::source_location where = std::source_location::current()) const;
  bool try_acquire(shared_hold, std::source_location where = std::source_location::current()) const;

  /// Releases the reservation, now or when all of `when` have ended, poisoned or not. Returns an event that triggers
  /// when the release has taken effect. Throws B20, E32, E03, and E31 if nothing is held.
  event release(std::source_location where = std::source_location::current()) const;
  event release(event when, std::source_location where = std::source_location::current()) const;
  event release(std::span<const dependency> when, std::source_location where = std::source_location::current()) const;
  /// Releases the hold whose acquire returned `grant`; does nothing if that event is poisoned. Throws B20, E32, E03.
  event release_grant(event grant, event when = {}, std::source_location where = std::source_location::current()) const;

  /// The payload, aligned to 64 bytes and valid until destroy(). Holders may read it; only an exclusive holder may
  /// write it. Throws E34 if the reservation has no payload, B20, E32, E03.
  void* payload(std::source_location where = std::source_location::current()) const;
  /// The payload as a T. Throws as payload().
  template <class T>
  T& payload_as() const {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 64 && sizeof(T) <= most_payload_bytes);
    static_assert(detail::explain_bytes<T>());  // it goes to other nodes
    return *static_cast<T*>(payload());
  }

  /// Destroys the reservation. Acquires that still wait are poisoned with E33. Throws B20, E32, E03.
  void destroy(std::source_location where = std::source_location::current()) const;

  /// The handle as a number, for logs.
  constexpr std::uint64_t raw() const noexcept { return id_; }
  /// The text "reservation R3". Throws std::bad_alloc only.
  friend std::string to_string(const reservation& r);
  friend constexpr bool operator==(const reservation&, const reservation&) noexcept = default;

 private:
  constexpr explicit reservation(std::uint64_t id) noexcept : id_(id) {}
  std::uint64_t id_ = 0;
};

}  // namespace stretto

STRETTO_API_END
