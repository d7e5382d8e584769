// job_member.hpp - one runtime's part in a job: all protocols together, and the poller that drives them.
//
// Messages may arrive at any time. So the poller always has something pending until the job is over, and idle workers
// poll it, or the service thread while they sleep.
//
// Threads     the thread that makes the runtime makes and serves it; the thread that ends the runtime calls leave. The
//             rest: see the protocols.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "dist/endpoint.hpp"
#include "dist/failure_codec.hpp"
#include "dist/global_memory.hpp"
#include "dist/job.hpp"
#include "dist/job_clock.hpp"
#include "dist/ordered_messages.hpp"
#include "dist/remote_barriers.hpp"
#include "dist/remote_events.hpp"
#include "dist/remote_instances.hpp"
#include "dist/remote_queues.hpp"
#include "dist/remote_reservations.hpp"
#include "dist/remote_tasks.hpp"
#include "dist/termination.hpp"
#include "platform/poll_station.hpp"

namespace stretto::sched {
struct scheduler;
}

namespace stretto::dist {

class job_member final : public poller {
 public:
  /// Joins the job; rethrows failures of the transport. In `add_more` the floors above make their protocols, before the
  /// job starts.
  explicit job_member(endpoint& e, const std::function<void(job&, failure_codec&)>& add_more = {});
  /// Collective: every node must call this with the same size per node before its first poll. Throws N16.
  std::shared_ptr<global_memory> open_global_memory(std::uint64_t bytes) {
    return global_ = std::make_shared<global_memory>(job_, bytes);
  }
  // Functions of the transport (net/transport.hpp), usable before this node serves the others.
  net::host_nodes on_host() { return job_.transport().on_host(); }
  bool gather_on_host(std::span<const std::byte> mine, std::span<std::byte> all) {
    return job_.transport().gather_on_host(mine, all);
  }
  std::optional<net::node_number> first_failed(bool has_failed) { return job_.transport().first_failed(has_failed); }
  /// Requires that the event floor of the runtime has started with node number of().node().
  void serve(base::runtime_context& runtime);
  /// Requires that the data floor has started, too.
  void serve_data(base::runtime_context& runtime) { instances_.serve(runtime); }
  /// Must be called when the runtime ends, before it drains. The drain then lasts until the job is over.
  void leave(sched::scheduler& s, const stretto::detail::poll_station& all);

  /// For hang reports: adds what waits here for other nodes. Call it before the scheduler adds its tasks.
  void add_wait_edges(base::wait_walk& walk) const;
  bool is_leaving() const noexcept { return termination_.is_leaving(); }
  /// True while elements or parts of objects are being written to memory here, or copies of global memory are in
  /// flight.
  bool has_incoming_data() const noexcept {
    return instances_.has_incoming_data() || job_.has_incoming_data() || (global_ && global_->is_moving());
  }
  /// True while a message of another node, or its consequences, are being handled (job.hpp). Any thread.
  bool is_handling_messages() const noexcept { return job_.is_handling_messages(); }
  const char* handled_kind() const noexcept { return job_.handled_kind(); }
  /// Only on the polling thread.
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
  /// Lets the drain of the runtime end, as soon as nothing else runs. False if that was done before, or if the runtime
  /// does not drain yet.
  bool end(base::thread_context& context);

  job job_;
  failure_codec failures_;
  remote_events events_;
  remote_reservations reservations_;
  remote_barriers barriers_;
  remote_queues queues_;
  ordered_messages ordered_;
  remote_tasks tasks_;
  remote_instances instances_;
  std::shared_ptr<global_memory> global_;  // null: the job has no global memory
  termination termination_;
  job_clock clock_;
  // Not null while the runtime drains: its root scope then counts the job as a task.
  std::atomic<sched::scheduler*> scheduler_{nullptr};
  std::atomic<bool> has_failed_{false};
};

}  // namespace stretto::dist
