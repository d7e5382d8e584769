// posted_receives.hpp - receives that a node posts under a number which sender and receiver both know, as in MPI_Irecv.
//
// A node that needs elements posts the target instance and the boxes that it expects, in parts, each with an event. A
// node that has elements copies them to a handle that stands for "what that node posts under this number" and needs no
// message. The receiver does not know which nodes will send; the sender does not know the target. Copies that come
// before the receive is posted wait. Each element is counted once: when it is written, or when it is known not to come.
// A number is forgotten when all its elements have been counted.
//
// Messages    not_coming: elements that will not come, and the failure.
// Threads     any of the runtime.
// Cost        three locks of one mutex per piece, and a search among the parts.
// Invariants  (1) nothing is written before the receive is open, nor after the events of all its parts have ended. (2)
//             the event of a part ends once: when all its elements have been counted, or, if the receive as a whole has
//             failed, when no piece is being written any more. (3) after a node is lost nothing more is received,
//             because that node might have been the sender.
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

  /// Must be made before job::start.
  posted_receives(job& j, instance_names& names);

  /// The handle of what node `node` posts under that number, which must be below 2^63.
  static detail::instance_handle handle_of(std::uint16_t node, std::uint64_t number) noexcept;
  static bool is_posted(const detail::instance_handle& h) noexcept;

  /// Posts a receive of `parts` into the target, which opens when `behind` has ended and the target exists. Sets
  /// done[i] to the event of part i.
  void post_receive(std::uint64_t number, const detail::instance_handle& target, std::span<const box> parts,
                    std::span<event> done, event behind, const std::source_location& where,
                    base::thread_context& context);

  /// Calls `then` with the receive and its target, or with a failure if all is lost: at once, or when the receive
  /// opens. `of` is the request that waits for it.
  using resolved = std::function<void(const shared& p, const detail::instance_handle& target, failure_ref lost,
                                      base::thread_context& context)>;
  void resolve(const detail::instance_handle& h, const request_id& of, base::thread_context& context, resolved then);

  /// Must be called before a piece is written; ended() must follow. If it returns a failure, the piece must be dropped,
  /// and ended() must not be called.
  failure_ref begin(posted_receive& p);
  /// A failure if the elements of these boxes must not be written: the receive has failed or does not contain all of
  /// them.
  failure_ref refusal(const posted_receive& p, std::span<const box> boxes, const element_order& o) const;
  /// The elements of these boxes are written, or `cause` is why they will not come. A failure without boxes fails the
  /// whole receive, because the boxes are unknown.
  void ended(posted_receive& p, std::span<const box> boxes, const failure* cause,
             base::thread_context& context) noexcept;

  /// On the sending node: the elements of these boxes of a copy to `target` will not come. Does nothing if `target` is
  /// not a posted receive.
  void abandon(const detail::instance_handle& target, std::span<const box> boxes, const failure& cause);

  /// Fails all receives with numbers from `first` on, those posted later included: a node is lost, the programs of the
  /// nodes differ, or one has ended.
  void fail_from(std::uint64_t first, const failure_ref& why, base::thread_context& context) noexcept;
  /// The number of receives that are kept.
  std::size_t size() const;
  /// For hang reports: describes the events of parts that something waits for, and the copies that wait for a receive.
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

  void on_not_coming(rank from, const elements_not_coming& m, base::thread_context& context);
  void find_target(const shared& p, base::thread_context& context);
  void await_target(const shared& p, const detail::instance_handle& near, base::thread_context& context);
  void open(const shared& p, failure_ref cause, base::thread_context& context) noexcept;
  static void end_all(const ended_parts& all, base::thread_context& context) noexcept;

  // These require the lock. Parts that end are appended to `over`, for end_all() once the lock is released.
  const shared& at(std::uint64_t number);
  static void count(posted_receive& p, std::span<const box> boxes, const failure* cause, ended_parts& over);
  static void end_parts(posted_receive& p, ended_parts& over);
  static void end_part(posted_receive& p, part& of, ended_parts& over);
  void forget_if_over(const posted_receive& p);
  /// The failure of all receives with such numbers (fail_from), or null.
  failure_ref loss_of(std::uint64_t number) const { return number >= lost_from_ ? loss_ : failure_ref(); }

  job& job_;
  instance_names& names_;
  mutable std::mutex lock_;                        // guards what follows
  std::unordered_map<std::uint64_t, shared> all_;  // by number
  std::uint64_t lost_from_ = ~std::uint64_t{0};    // receives from this number on have failed,
  failure_ref loss_;                               // because of this
};

}  // namespace stretto::dist
