// shared_memory_channels.hpp - channels in memory that a process shares with others of its host, for large payloads.
//
// A sending process has up to 16 channels of its own: rings of bytes, each of which carries one payload at a time. The
// sender copies in and the receiver copies out, each on its own processor. A payload that fits into a channel has left
// the sender as soon as it is copied in, and neither side waits for the other. A longer payload continues as the
// receiver copies out.
//
// A message outside of the channels tells the receiver which channel a payload uses, and its length.
//
// Threads     own_channels::take and release: under a lock of the caller. A channel: one thread at a time copies in,
//             and one copies out.
// Memory      the receiver sees the copied bytes once copy_out has counted them.
// Invariants  (1) a channel belongs to one payload until its sender has released it and its receiver has all of it, or
//             has dropped it. (2) nothing blocks. (3) the memory has no name: the system frees it when the last process
//             ends, however it ends.
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

/// Where other processes find the channels of a process.
struct channels_address {
  std::uint64_t host = 0;  // identifies the running system and its process namespace; 0: no process can find them
  std::uint64_t key = 0;   // stored in the memory, too, to recognise it
  std::uint64_t bytes = 0;
  std::int64_t process = 0;
  std::int64_t file = 0;  // descriptor in that process
};

namespace channels {

struct segment;

/// The mapped memory of a file without a name.
class mapped {
 public:
  mapped(int file, std::uint64_t bytes);
  mapped(const mapped&) = delete;
  ~mapped();
  segment* at() const noexcept { return at_; }  // null: it cannot be mapped

 private:
  segment* at_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace channels

/// The channels of this process, for payloads that it sends.
class own_channels {
 public:
  static constexpr std::uint32_t most = 16;

  /// Channels of up to `bytes` in all; the system allocates pages when they are used. Null if `bytes` is too small or
  /// the system has no such memory.
  static std::unique_ptr<own_channels> make(std::uint64_t bytes);
  ~own_channels();

  const channels_address& address() const noexcept { return address_; }
  std::uint64_t channel_bytes() const noexcept;
  /// The first free channel; nothing if all are in use.
  std::optional<std::uint32_t> take() noexcept;
  /// Copies as much of `left`, the rest of a payload, as fits, and at most one channel's capacity. Returns how many
  /// bytes: all of them if the receiver has dropped the payload.
  std::size_t copy_in(std::uint32_t channel, std::span<const std::byte> left) noexcept;
  /// The receiver has begun to copy the payload out, or has dropped it.
  bool has_begun(std::uint32_t channel) const noexcept;
  /// The sender has copied the whole payload in.
  void release(std::uint32_t channel) noexcept { is_held_[channel] = false; }

 private:
  own_channels(int file, const channels_address& address);

  const int file_;
  const channels_address address_;
  const channels::mapped memory_;
  std::vector<bool> is_held_;
  std::vector<std::uint64_t> began_;  // where the payload of each channel begins
};

/// The channels of another process of this host, for payloads that this process receives.
class peer_channels {
 public:
  /// Null if they are on another host or cannot be mapped.
  static std::unique_ptr<peer_channels> find(const channels_address& there);

  /// Copies the bytes that are in the channel now, and at most one channel's capacity, to `target`. The payload has
  /// `bytes` bytes; `got` of them are at `target` before. Returns how many are there afterwards. The last byte returns
  /// the channel to the sender.
  std::uint64_t copy_out(std::uint32_t channel, std::byte* target, std::uint64_t got, std::uint64_t bytes) noexcept;
  /// Drops the payload and returns the channel to the sender.
  void drop(std::uint32_t channel) noexcept;

 private:
  peer_channels(int file, std::uint64_t bytes) : memory_(file, bytes) {}

  const channels::mapped memory_;
};

}  // namespace stretto::net
