// job_end.hpp - the end of all nodes before their ranks have ended: by a rank that asks for it, or since a node failed.
//
// The lowest node that has not failed decides which node reports the end: that of the first rank that asks, or itself
// if a node has failed before. It sends a notice to all nodes. Each of them replies to the reporting node, and from
// then on reports nothing. The reporting node exits when all have replied, and the others exit when they see that a
// node has failed. So one message is printed, whatever the order in which nodes ask, fail and see each other fail.
//
// Threads     report_end: any thread that may be suspended, but not inside a poll. Handlers inside job::poll.
// Invariants  (1) if the deciding node does not fail, one node reports. (2) no node exits before all that have not
//             failed know of the end.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "dist/job.hpp"
#include "ranks/messages/request.hpp"
#include "ranks/node_messages.hpp"

namespace stretto::ranks {

class job_end final : public dist::protocol {
 public:
  /// Ends this process. `message` is for the user; empty if another node reports.
  using exit_function = std::function<void(int code, const std::string& message)>;

  /// Before job::start.
  job_end(dist::job& j, exit_function exit);

  /// Asks that all nodes end with this code, once at each node. Calls `report` if this node is the one to report, and
  /// returns when all others know. Else it waits for the end of the process.
  void report_end(int code, const std::function<void()>& report);
  /// The steps of report_end: asks; done once a rank of this node is to report; done once all others know.
  void request_end(int code);
  request& may_report() noexcept { return may_report_; }
  request& all_know() noexcept { return all_know_; }

  void lost(dist::rank node, base::thread_context& context) noexcept override;

 private:
  void on_request(dist::rank from, const job_end_request& m, base::thread_context& context);
  void on_notice(dist::rank from, const job_end_notice& m, base::thread_context& context);
  void on_reply(dist::rank from, const job_end_reply& m, base::thread_context& context);
  void on_failure(dist::rank from, const node_failure_notice& m, base::thread_context& context);

  /// The lowest that has not failed.
  dist::rank deciding_node() const;
  void end_by_failure();
  void decide(dist::rank reporting, int code);
  // At the reporting node.
  void begin_report();
  void exit_if_all_know();

  dist::job& job_;
  const exit_function exit_;
  request may_report_, all_know_;  // a rank of this node waits for them
  // Used inside job::poll only.
  struct decision {
    int code;
    dist::rank reporting;
  };
  std::optional<decision> decided_;
  std::optional<dist::rank> failed_;  // the first node that failed
  bool is_for_rank_ = true;           // if this node reports, a rank of it does; else it reports the failed node
  std::set<dist::rank> know_;         // the nodes that know of the decision
};

}  // namespace stretto::ranks
