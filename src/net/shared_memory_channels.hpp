// lanes.hpp - memory that a process shares with others of its host, through which it passes large payloads to them.
//
// A process that sends has a few lanes of its own: rings of bytes, each of which one payload goes through at a time. The sender copies in and the
// receiver copies out, each by its own processor, so that a payload no longer than a lane has left as soon as it is copied in, and neither waits
// for the other. What is longer goes on as far as the receiver has come.
//
// Which lane a payload goes through, and how long it is, the receiver learns by a message of another kind.
//
// Threads     own_lanes::take and release: under a lock of the user's. A lane: one thread at a time that copies in, and one that copies out.
// Memory      what was copied in is seen by whoever has learnt of the lane and finds it there.
// Invariants  (1) a lane is one payload's until its sender has released it and its receiver has all of it, or wants no more. (2) nothing blocks.
//             (3) the memory has no name: the system takes it back when the last process ends, however it ends.
// Source      copies through shared memory, as MPI libraries do them between processes of a host.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stretto::net {

/// Where others find a process's lanes.
struct channels_address {
  std::uint64_t host = 0;  // the system that runs, and its view of processes; 0: nobody can find them
  std::uint64_t key = 0;   // by which the memory is known
  std::uint64_t bytes = 0;
  std::int64_t process = 0;
  std::int64_t file = 0;   // of that process
};

namespace channels {

struct segment;

/// Memory of a file without a name, mapped.
class mapped {
 public:
  mapped(int file, std::uint64_t bytes);
  mapped(const mapped&) = delete;
  ~mapped();
  segment* at() const noexcept { return at_; }  // null: it cannot be

 private:
  segment* at_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace lanes

/// Those of this process.
class own_channels {
 public:
  static constexpr std::uint32_t most = 16;

  /// Up to `bytes` in all, which become real pages as they are used. Null: none, or the system has none to give.
  static std::unique_ptr<own_channels> make(std::uint64_t bytes);
  ~own_channels();

  const channels_address& address() const noexcept { return address_; }
  std::uint64_t channel_bytes() const noexcept;
  /// The first that no payload has; nothing: all are in use.
  std::optional<std::uint32_t> take() noexcept;
  /// Copies in of `left`, the end of a payload, as much as there is room for, and no more than a lane holds: returns how many bytes. All of them
  /// where nobody wants them any more.
  std::size_t copy_in(std::uint32_t channel, std::span<const std::byte> left) noexcept;
  /// The receiver has begun to copy out, or to drop, what was copied in.
  bool has_begun(std::uint32_t channel) const noexcept;
  /// All of a payload has been copied in.
  void release(std::uint32_t channel) noexcept { is_held_[channel] = false; }

 private:
  own_channels(int file, const channels_address& address);

  const int file_;
  const channels_address address_;
  const channels::mapped memory_;
  std::vector<bool> is_held_;
  std::vector<std::uint64_t> began_;  // where the payload of each did
};

/// Those of another process of this host.
class peer_channels {
 public:
  /// Null: they are not here, or cannot be looked at.
  static std::unique_ptr<peer_channels> find(const channels_address& there);

  /// Of a payload of `bytes`, of which `got` are at `target`, copies out what is there now, no more than a lane holds: returns how many it then
  /// has. With the last the lane is the sender's again.
  std::uint64_t copy_out(std::uint32_t channel, std::byte* target, std::uint64_t got, std::uint64_t bytes) noexcept;
  /// The payload is not wanted.
  void drop(std::uint32_t channel) noexcept;

 private:
  peer_channels(int file, std::uint64_t bytes) : memory_(file, bytes) {}

  const channels::mapped memory_;
};

}  // namespace stretto::net
