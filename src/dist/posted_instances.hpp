// posted_instances.hpp - instances of this node into which others copy elements without having been told which they are: by a number.
//
// Who receives says which elements it waits for; who sends says which it sends; both know the number. Neither knows the other.
//
// Messages    failed: what was to come under a number will not, and why.
// Threads     any of the runtime; handlers inside job::poll.
// Cost        a lock and a look into a table for each operation that comes, and a step for each pair of its boxes and the parts that lack
//             elements.
// Memory      what has come is forgotten; what has failed is not.
// Invariants  (1) the event of each part ends once: when all of its elements are in place, or with why they are not. (2) once a node is
//             lost all that has not come fails with that: any node might have been the one to send it.
#pragma once

#include <stretto/instance.hpp>

#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/wait_snapshot.hpp"
#include "dist/failures.hpp"
#include "dist/job.hpp"

namespace stretto::dist {

class posted_instances {
 public:
  /// Before job::start.
  posted_instances(job& j, failures& causes);

  /// The handle of what `owner` posts under the number, below 2^63; and what is asked of one.
  detail::instance_handle name_of(rank owner, std::uint64_t number) const noexcept;
  static bool is_posted(const detail::instance_handle& h) noexcept;
  static std::uint64_t number_in(const detail::instance_handle& h) noexcept;

  /// Makes the events done[i]. Elements may come into the target from when `behind` has happened.
  void post(std::uint64_t number, const detail::instance_handle& target, std::span<const box> parts, std::span<event> done, event behind,
            const std::source_location& where, base::thread_context& context);

  /// Runs `then` with the target or with a cause: now, or once it is posted.
  using resolved = std::function<void(const detail::instance_handle& near, failure_ref cause, base::thread_context& context)>;
  void resolve(std::uint64_t number, base::thread_context& context, resolved then);
  /// Elements of these boxes are in place.
  void came(std::uint64_t number, std::span<const box> boxes, base::thread_context& context);
  /// Some will not come.
  void failed(std::uint64_t number, failure_ref cause, base::thread_context& context);
  /// Tells the node whose `h` is.
  void tell_failed(const detail::instance_handle& h, const failure& cause);

  void lost(rank node, base::thread_context& context);
  /// For reports: what the events are, where something waits for them.
  void tell_waits(base::wait_walk& walk) const;
  std::size_t posted() const;

 private:
  struct part {
    box elements;
    std::uint64_t lacks = 0;
    event done;
  };
  struct posting {
    detail::instance_handle target;
    std::source_location where;
    std::vector<part> parts;
    bool is_made = false, is_open = false;
    failure_ref cause;
    std::vector<resolved> waiting;
  };
  void on_failed(rank from, reader& content, base::thread_context& context);
  void opened(std::uint64_t number, failure_ref cause, base::thread_context& context);
  static void end(const part& p, const posting& of, failure_ref cause, base::thread_context& context);

  job& job_;
  failures& causes_;
  const message_kind failed_;
  mutable std::mutex lock_;  // guards what follows
  std::unordered_map<std::uint64_t, posting> postings_;
  failure_ref lost_;  // a node
};

}  // namespace stretto::dist
