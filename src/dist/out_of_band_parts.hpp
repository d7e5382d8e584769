// out_of_band_parts.hpp - large parts of a message, sent ahead of it directly from the sender's memory and received
// directly into their destination.
//
// The sender gives the parts a number and sends that number in a message of its own. The handler of that message takes
// the parts. A task that decodes the message provides the destination of each part when it reaches it, and waits until
// the part has arrived.
//
//     const auto number = ahead.send(to, parcel.apart, object);  // sender; keeps `object` until the parts are sent
//     auto parts = ahead.take(from, number);                     // receiver, in the handler of the message
//     parts_reader more(job, std::move(parts), behind, bytes);   // in a task
//     field_reader in(more.begin(), more);
//
// Threads     send, and everything that was taken: any of the runtime. The rest inside job::poll.
// Cost        a message per part, and no copies but those of the transport.
// Invariants  (1) parts arrive before any message that is sent after them. (2) parts that are not read are dropped; the
//             sender may then reuse their memory.
#pragma once

#include <stretto/fields.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dist/job.hpp"

namespace stretto::dist {

/// A part of a later message; its bytes follow as a payload.
struct part_of_message {
  static constexpr std::string_view message = "parts.part";
  std::uint64_t number = 0;  // of all parts of the message
};

class out_of_band_parts final : public protocol {
 public:
  struct part {
    net::payload rest;
    std::vector<std::byte> here = {};  // instead of `rest`: the bytes of a part that arrived with its head
    std::uint64_t bytes() const noexcept { return rest.bytes() + here.size(); }
  };
  using parts = std::vector<part>;

  /// Must be made before job::start.
  explicit out_of_band_parts(job& j);

  /// Returns the number of the parts, which is not 0. `lent` keeps their memory alive until they are sent.
  std::uint64_t send(rank to, std::span<const detail::part_apart> all, const std::shared_ptr<const void>& lent);
  /// The parts with that number of node `from`. May be called once per number.
  parts take(rank from, std::uint64_t number);
  job& of() const noexcept { return job_; }

  void lost(rank node, base::thread_context& context) noexcept override;

 private:
  void on_part(rank from, const part_of_message& m, net::payload&& rest, base::thread_context& context);

  job& job_;
  std::atomic<std::uint64_t> last_{0};
  std::map<std::pair<rank, std::uint64_t>, parts> arrived_;  // by sender and number; only the polling thread
};

/// Reads the bytes of a message with the out-of-band parts between them. Must be used in a task, because read() may
/// wait.
class parts_reader final : public detail::more_bytes {
 public:
  /// Part i stands behind the first behind[i] bytes of `bytes`. Throws B40 if the arguments do not match.
  parts_reader(job& j, out_of_band_parts::parts&& all, std::vector<std::uint64_t>&& behind,
               std::span<const std::byte> bytes);

  /// The bytes before the first part, with which a reader begins.
  std::span<const std::byte> begin() const noexcept { return segment(0); }
  std::uint64_t left() const noexcept override { return left_; }
  void read(std::span<const std::byte>& given, std::byte* first, std::size_t n) override;

  /// True if the transport has lost a part, because its sender is lost.
  bool has_failed() const noexcept { return has_failed_; }

 private:
  /// The bytes between part i - 1 and part i.
  std::span<const std::byte> segment(std::size_t i) const noexcept;
  /// Receives the part, and waits until it is there.
  void fetch(out_of_band_parts::part& p, std::byte* into);

  job& job_;
  out_of_band_parts::parts all_;
  const std::vector<std::uint64_t> behind_;
  const std::span<const std::byte> bytes_;
  std::size_t next_ = 0;        // the next part to fetch
  std::vector<std::byte> cut_;  // a part of which the reader takes less than all at a time
  bool is_cut_ = false;         // cut_ is being read
  std::uint64_t left_ = 0;      // bytes that no reader has yet been given
  bool has_failed_ = false;
};

}  // namespace stretto::dist
