// posted_receives.hpp - where elements go that other nodes send of their own accord: by a number that both sides know.
//
// Who needs elements posts the instance that they go to and which ones come, in parts. Who has them copies them to "what that node posts
// under this number", whose handle needs no message. Neither knows whom the other is: each element is counted once, when it is in place
// or when it is known that it will not come, and a number whose elements have all been counted is forgotten.
//
// Messages    forsaken: elements that will not come, and why.
// Threads     any of the runtime.
// Cost        three locks of one mutex per piece, and a search among the parts.
// Invariants  (1) nothing is written before the posting is open, nor after the events of all its parts have ended. (2) the event of a part
//             ends once: when all its elements have been counted, or, if the posting as a whole has failed, when nothing is on its way
//             into memory any more. (3) of what has failed nothing is taken any more: of a lost node, because it might have been the one to send.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "dist/element_piece.hpp"
#include "dist/instance_names.hpp"

namespace stretto::dist {

class posted_receives {
 public:
  struct posted_receive;
  using shared = std::shared_ptr<posted_receive>;

  /// Before job::start.
  posted_receives(job& j, failure_codec& causes, instance_names& names);

  /// number: below 2^63.
  static detail::instance_handle handle_of(std::uint16_t node, std::uint64_t number) noexcept;
  static bool is_posted(const detail::instance_handle& h) noexcept;

  /// As data::other_nodes::post.
  void post_receive(std::uint64_t number, const detail::instance_handle& target, std::span<const box> parts, std::span<event> done, event behind,
            const std::source_location& where, base::thread_context& context);

  /// Runs `then` with the posting and its target, or with a cause if all is lost: now, or once it is open. `of`: who waits for it.
  using resolved = std::function<void(const shared& p, const detail::instance_handle& target, failure_ref lost, base::thread_context& context)>;
  void resolve(const detail::instance_handle& h, const request_id& of, base::thread_context& context, resolved then);

  /// A piece is about to land, and `ended` follows; a cause if it has failed: then it is dropped, and that is all.
  failure_ref begin(posted_receive& p);
  /// Why elements of these boxes must not be written: the posting has failed, or does not have all of them.
  failure_ref refusal(const posted_receive& p, std::span<const box> boxes, const element_order& o) const;
  /// They are in place, or never will be. No boxes: which ones is not known, so that the posting as a whole has failed.
  void ended(posted_receive& p, std::span<const box> boxes, const failure* cause, base::thread_context& context) noexcept;

  /// The sender's: of a copy to `target`, these do not come. Nothing if that is not what somebody posts.
  void abandon(const detail::instance_handle& target, std::span<const box> boxes, const failure& cause);

  /// A node is lost, the programs of nodes differ, or one has ended: nothing that is posted under `first` and above, now or later, will
  /// come as it should.
  void fail_from(std::uint64_t first, const failure_ref& why, base::thread_context& context) noexcept;
  /// Of which something is kept.
  std::size_t size() const;
  /// For reports: what the events of parts are where something waits for them, and which copies wait for postings.
  void add_wait_edges(base::wait_walk& walk) const;

 private:
  struct part;
  struct ended_part {
    event done;
    failure_ref cause;
    box elements;
    const detail::instance_record* target;
    std::source_location where;
  };
  using ended_parts = std::vector<ended_part>;

  void on_abandoned(rank from, reader& content, base::thread_context& context);
  void find_target(const shared& p, base::thread_context& context);
  void await_target(const shared& p, const detail::instance_handle& near, base::thread_context& context);
  void open(const shared& p, failure_ref cause, base::thread_context& context) noexcept;
  static void end_all(const ended_parts& all, base::thread_context& context) noexcept;

  // With the lock held.
  const shared& at(std::uint64_t number);
  static void count(posted_receive& p, std::span<const box> boxes, const failure* cause, ended_parts& over);
  static void end_parts(posted_receive& p, ended_parts& over);
  static void end_part(posted_receive& p, part& of, ended_parts& over);
  void forget_if_over(const posted_receive& p);
  failure_ref loss_of(std::uint64_t number) const { return number >= lost_from_ ? loss_ : failure_ref(); }

  job& job_;
  failure_codec& causes_;
  instance_names& names_;
  const message_kind abandoned_;
  mutable std::mutex lock_;  // guards what follows
  std::unordered_map<std::uint64_t, shared> all_;  // by number
  std::uint64_t lost_from_ = ~std::uint64_t{0};    // those numbers and above have failed,
  failure_ref loss_;                               // because of this
};

}  // namespace stretto::dist
