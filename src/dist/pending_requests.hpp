// pending_requests.hpp - the operations on instances that this node has requested and whose replies it waits for. Each
// has an event, which the reply ends.
//
// Messages    reply: the number of the request, and a failure if it failed.
// Threads     any of the runtime.
// Memory      a request that begins at once counts in the back pressure until its reply, so that a task which requests
//             operations faster than they complete is suspended.
// Invariants  (1) each request ends once: by its reply, or with N05 once a node is lost that takes part in it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/wait_snapshot.hpp"
#include "dist/instance_messages.hpp"
#include "dist/job.hpp"
#include "sched/profile_state.hpp"

namespace stretto {
class preconditions;
}

namespace stretto::dist {

/// Identifies a request on all nodes.
struct request_id {
  node_rank requester = 0;
  std::uint64_t number = 0;  // the raw handle of its event; 0: no reply is wanted
  friend bool operator==(const request_id&, const request_id&) = default;
};

class pending_requests {
 public:
  /// About what a request takes: its entry, event and text here, and its state on the node that carries it out.
  static constexpr std::uint64_t bytes_of_request = 1024;

  /// Must be made before job::start.
  explicit pending_requests(job& j);

  /// Opens a request in which up to three nodes (`parts`) take part; `what` describes it in reports. After the message
  /// is sent, end_if_lost must be called.
  struct opened {
    request_id id;
    event done;
  };
  /// A request that waits for events of the program does not count in the back pressure: the program might trigger
  /// those events only after the operation that would be suspended.
  enum class begins : bool { later, at_once };
  /// Whether a failed request counts as a failure that the program has yet to observe, or its users report it.
  enum class reported : bool { here, by_users };
  opened open(std::string what, std::span<const rank> parts, const preconditions& after,
              const std::source_location& where, begins when = begins::later, reported by = reported::here);
  /// Ends the request if a participating node was lost before the request was opened: that loss is not reported again.
  void end_if_lost(const request_id& q, std::span<const rank> parts, base::thread_context& context) noexcept;

  /// Must be called by the node that has carried out the request. If the operation itself has failed, or the failure is
  /// of another node, the failure counts as observed here: the requester reports it.
  enum class failure_origin : bool { precondition, operation };
  void reply(const request_id& q, const failure* cause, base::thread_context& context,
             failure_origin origin = failure_origin::operation) noexcept;

  /// Ends the requests in which that node takes part, except those for which is_replied_here(number) is true: this node
  /// will reply to these itself, once data in flight has been written.
  template <class F>
  void lost(rank node, base::thread_context& context, F&& is_replied_here) noexcept {
    for (entry& o : extract_those_on(node, is_replied_here)) finish(std::move(o), job_.loss_of(node), context);
  }

  /// For hang reports: describes the events of requests that something waits for.
  void add_wait_edges(base::wait_walk& walk) const;

 private:
  struct entry {
    event done;
    std::array<rank, 3> parts{};
    std::uint8_t count = 0;
    std::string what;
    std::source_location where;
    reported by = reported::here;
    std::unique_ptr<sched::profile_state> profile = {};
    back_pressure::share memory = {};
  };
  std::vector<entry> extract_those_on(rank node, const std::function<bool(std::uint64_t)>& but);
  void on_reply(rank from, const instance_reply& m, base::thread_context& context);
  void complete(std::uint64_t number, failure_ref cause, base::thread_context& context);
  void finish(entry&& o, failure_ref cause, base::thread_context& context) noexcept;

  job& job_;
  mutable std::mutex lock_;
  std::unordered_map<std::uint64_t, entry> entries_;
};

}  // namespace stretto::dist
