// job_member.hpp - one runtime's part in a job: the protocols together, and the poller that drives them.
//
// Messages may come at any time, so the poller has something pending until the job is over: idle workers ask it, and the service
// thread while they sleep.
//
// Threads     made and served by the thread that makes the runtime; leave by the one that ends it. The rest as the protocols say.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "dist/termination.hpp"
#include "dist/failure_codec.hpp"
#include "dist/global_memory.hpp"
#include "dist/ordered_messages.hpp"
#include "dist/job.hpp"
#include "dist/job_clock.hpp"
#include "dist/remote_barriers.hpp"
#include "dist/remote_queues.hpp"
#include "dist/remote_events.hpp"
#include "dist/remote_instances.hpp"
#include "dist/remote_reservations.hpp"
#include "dist/remote_tasks.hpp"
#include "dist/endpoint.hpp"
#include "platform/poll_station.hpp"

namespace stretto::sched {
struct scheduler;
}

namespace stretto::dist {

class job_member final : public poller {
 public:
  /// Joins the job; throws what the transport does. `add_more`: floors above make their protocols, before it starts.
  explicit job_member(endpoint& e, const std::function<void(job&, failure_codec&)>& add_more = {});
  /// So many bytes of each node, by every node, before the first poll. Throws N16.
  std::shared_ptr<global_memory> open_global_memory(std::uint64_t bytes) { return global_ = std::make_shared<global_memory>(job_, bytes); }
  /// What the transport knows of other nodes before the job begins (net/transport.hpp).
  net::host_nodes on_host() { return job_.transport().on_host(); }
  bool gather_on_host(std::span<const std::byte> mine, std::span<std::byte> all) { return job_.transport().gather_on_host(mine, all); }
  std::optional<net::node_number> first_failed(bool has_failed) { return job_.transport().first_failed(has_failed); }
  /// The runtime's events have been started under of().node().
  void serve(base::runtime_context& runtime);
  /// Its data floor has been started, too.
  void serve_data(base::runtime_context& runtime) { instances_.serve(runtime); }
  /// The runtime ends: before it drains, which then lasts until the job is over.
  void leave(sched::scheduler& s, const stretto::detail::poll_station& all);

  /// For reports: what waits here for other nodes; before the scheduler tells of its tasks.
  void add_wait_edges(base::wait_walk& walk) const;
  bool is_leaving() const noexcept { return termination_.is_leaving(); }
  /// Elements or parts of objects are on their way into memory here, or something to and from global memory.
  bool has_incoming_data() const noexcept { return instances_.has_incoming_data() || job_.has_incoming_data() || (global_ && global_->is_moving()); }
  /// A message of another node has been taken and may be about to have its effects: a poll that has taken none does nothing.
  bool is_handling_messages() const noexcept { return job_.is_handling_messages(); }
  /// On the thread that polls.
  bool is_over() const noexcept { return termination_.is_over(); }

  const job& of() const noexcept { return job_; }
  net::transport& transport() noexcept { return job_.transport(); }
  remote_tasks& tasks() noexcept { return tasks_; }
  const remote_reservations& reservations() const noexcept { return reservations_; }
  job_clock& clock() noexcept { return clock_; }

 protected:
  std::size_t poll() override;
  void fail(std::exception_ptr why) noexcept override;

 private:
  /// Lets go of what drains; false if that has been done, or nothing drains yet.
  bool end(base::thread_context& context);

  job job_;
  failure_codec causes_;
  remote_events events_;
  remote_reservations reservations_;
  remote_barriers barriers_;
  remote_queues queues_;
  ordered_messages ordered_;
  remote_tasks tasks_;
  remote_instances instances_;
  std::shared_ptr<global_memory> global_;  // null: none
  termination termination_;
  job_clock clock_;
  std::atomic<sched::scheduler*> scheduler_{nullptr};  // which drains, and counts the job as something that goes on
  std::atomic<bool> has_failed_{false};
};

}  // namespace stretto::dist
