// job_end.hpp - the end of all nodes before their ranks have ended: by a rank that asks for it, or since a node failed.
//
// The node that ends the job prints why and sends a notice. Each other node replies, and from then on prints nothing.
// The first node exits when all have replied, and the others exit when they see that it has failed. So one message is
// printed, whatever the order in which nodes see each other end. A node that fails meanwhile ends all at once.
//
// Threads     end_others: any thread that may be suspended, but not inside a poll. Handlers inside job::poll.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "dist/job.hpp"
#include "ranks/messages/request.hpp"
#include "ranks/node_messages.hpp"

namespace stretto::ranks {

class job_end final : public dist::protocol {
 public:
  /// Ends this process. `message` is for the user; empty if it is printed elsewhere.
  using exit_function = std::function<void(int code, const std::string& message)>;

  /// Before job::start.
  job_end(dist::job& j, exit_function exit);

  /// Returns when all other nodes know that the job ends with this code, and will print nothing.
  void end_others(int code);

  void lost(dist::rank node, base::thread_context& context) noexcept override;

 private:
  void on_notice(dist::rank from, const job_end_notice& m, base::thread_context& context);
  void on_reply(dist::rank from, const job_end_reply& m, base::thread_context& context);
  void count_one();

  static constexpr int none = -1;

  dist::job& job_;
  const exit_function exit_;
  std::atomic<int> code_{none};  // since this node knows that the job ends
  std::atomic<int> awaited_{0};  // nodes that have not replied
  request all_know_;
};

}  // namespace stretto::ranks
