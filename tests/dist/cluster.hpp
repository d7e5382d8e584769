// cluster.hpp - the nodes of a job with events only, in one process, on a simulated network.
//
// Stepped: one thread enters one node at a time. Threaded: each node has threads of its own (cluster::node::enter).
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "dist/failure_codec.hpp"
#include "dist/remote_barriers.hpp"
#include "dist/remote_events.hpp"
#include "dist/remote_reservations.hpp"
#include "event/event_world.hpp"
#include "event/handle.hpp"
#include "event/slot.hpp"
#include "net/sim/network.hpp"

namespace stretto::testing {

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// Enters a node on the current thread while it lives.
class visit {
 public:
  explicit visit(base::thread_context& context) noexcept : before_(base::set_current(&context)) {}
  visit(const visit&) = delete;
  ~visit() { base::set_current(before_); }

 private:
  base::thread_context* before_;
};

class cluster {
 public:
  struct node {
    node(net::sim::network& network, std::uint16_t first, net::node_number rank)
        : job(first),
          causes(job),
          events(job),
          reservations(job),
          barriers(job),
          world(static_cast<std::uint16_t>(first + rank)) {
      job.start([&](net::handlers& all) { return network.join(rank, all); });
      events.serve(world.runtime);
      reservations.serve(world.runtime);
      barriers.serve(world.runtime);
      detail::report_unobserved_to(
          world.runtime,
          [](void* self, failure_ref f) {
            auto& here = *static_cast<node*>(self);
            const std::scoped_lock lock(here.reports_lock);
            here.reports.push_back(exception_text(f->as_exception()));
          },
          this);
      context.runtime = &world.runtime;
      detail::enter_events(context);
    }
    ~node() {
      if (is_dead) end_what_is_left();
      detail::leave_events(context);
    }
    /// To a dead node all others are lost: everything that waits there ends and is freed.
    void end_what_is_left() {
      const visit here(context);
      while (job.is_pending()) job.poll();
      while (detail::poison_untriggered(context)) continue;
    }

    dist::job job;
    dist::failure_codec causes;
    dist::remote_events events;
    dist::remote_reservations reservations;
    dist::remote_barriers barriers;
    event_world world;
    base::thread_context context;  // of the stepping thread
    std::mutex reports_lock;
    std::vector<std::string> reports;  // unobserved failures
    bool is_dead = false;
  };

  explicit cluster(const net::sim::settings& s, std::uint16_t first = 0) : network(net::sim::network::make(s)) {
    for (std::uint32_t n = 0; n < s.nodes; ++n) all_.emplace_back(*network, first, static_cast<net::node_number>(n));
  }

  node& operator[](std::size_t n) { return all_[n]; }
  std::size_t size() const { return all_.size(); }

  /// Runs `f` on that node and returns its result.
  template <class F>
  auto on(std::size_t n, F&& f) {
    const visit here(all_[n].context);
    return f();
  }
  void poll(std::size_t n) {
    if (all_[n].is_dead) return;
    const visit here(all_[n].context);
    all_[n].job.poll();
  }
  bool is_quiet() const {
    for (const node& n : all_)
      if (!n.is_dead && n.job.is_pending()) return false;
    return true;
  }
  /// Polls in an order from the seed until no message is in flight.
  template <class Random>
  void settle(Random& random) {
    for (std::uint64_t i = 0; !is_quiet(); ++i) {
      REQUIRE(i < 50'000'000);
      poll(random() % all_.size());
    }
  }
  void kill(std::size_t n) {
    all_[n].is_dead = true;
    network->kill(static_cast<net::node_number>(n));
  }
  std::uint64_t messages() {
    std::uint64_t sum = 0;
    for (node& n : all_) sum += n.job.transport().counted().sent;
    return sum;
  }

  std::shared_ptr<net::sim::network> network;

 private:
  std::deque<node> all_;
};

inline user_event as_user(event e) { return static_cast<const user_event&>(e); }

}  // namespace stretto::testing
