// out_of_band_parts.hpp - large parts of what a message holds, which go ahead of it: from where they lie straight to where its reader wants them.
//
// The sender gives parts a number and then says it in a message of its own. Who takes that message takes them; a task that reads the message
// gives each part its place when it comes to it, and waits until the part is there.
//
//     const auto number = ahead.send(to, parcel.apart, object);           // sender; `object` is kept until they have gone
//     auto parts = ahead.take(from, number, of);                          // receiver, when the message comes
//     parts_reader more(parts, bytes);                                    // a task
//     field_reader in(more.begin(), more);
//
// Threads     send, and all of what was taken: any of the runtime. The rest inside job::poll.
// Cost        a message for each part, and no copy but the transport's.
// Invariants  (1) they come before any message that is sent afterwards. (2) parts that nobody reads are dropped: then their memory is the
//             sender's again.
#pragma once

#include <stretto/fields.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dist/job.hpp"

namespace stretto::dist {

class out_of_band_parts final : public protocol {
 public:
  struct part {
    net::payload rest;
    std::vector<std::byte> here = {};  // what came with its head
    std::uint64_t bytes() const noexcept { return rest.bytes() + here.size(); }
  };
  using parts = std::vector<part>;

  /// Before job::start.
  explicit out_of_band_parts(job& j);

  /// Returns their number, which is not 0.
  std::uint64_t send(rank to, std::span<const detail::part_apart> all, const std::shared_ptr<const void>& lent);
  /// Once.
  parts take(rank from, std::uint64_t number);
  job& of() const noexcept { return job_; }

  void lost(rank node, base::thread_context& context) noexcept override;

 private:
  void on_part(rank from, reader& head, net::payload&& rest, base::thread_context& context);

  job& job_;
  const message_kind part_;
  std::atomic<std::uint64_t> last_{0};
  std::map<std::pair<rank, std::uint64_t>, parts> came_;  // of who polls
};

/// Bytes, and between them parts that went ahead. Of a task, which waits in it.
class parts_reader final : public detail::more_bytes {
 public:
  /// behind[i]: so many of `bytes` come before part i. Throws B40 if these do not fit one another.
  parts_reader(job& j, out_of_band_parts::parts&& all, std::vector<std::uint64_t>&& behind, std::span<const std::byte> bytes);

  /// What a reader is given first.
  std::span<const std::byte> begin() const noexcept { return segment(0); }
  std::uint64_t left() const noexcept override { return left_; }
  void read(std::span<const std::byte>& given, std::byte* first, std::size_t n) override;

  /// The transport has lost a part, and with it the node that sent it.
  bool has_failed() const noexcept { return has_failed_; }

 private:
  std::span<const std::byte> segment(std::size_t i) const noexcept;
  void fetch(out_of_band_parts::part& p, std::byte* into);

  job& job_;
  out_of_band_parts::parts all_;
  const std::vector<std::uint64_t> behind_;
  const std::span<const std::byte> bytes_;
  std::size_t next_ = 0;                 // part
  std::vector<std::byte> cut_;           // a part of which a reader wants less at a time
  bool is_cut_ = false;                  // the bytes behind it come when it has been read
  std::uint64_t left_ = 0;
  bool has_failed_ = false;
};

}  // namespace stretto::dist
