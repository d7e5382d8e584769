// lone_node.hpp - one node of a job whose other nodes do not exist, for tests of one part of the protocol of mobile
// objects: what the part asks others to do is recorded.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dist/job.hpp"
#include "event/event_world.hpp"
#include "mobile/deferred_actions.hpp"
#include "mobile/local_objects.hpp"
#include "net/sim/network.hpp"

namespace stretto::mobiles {

/// Keeps what it is to run.
struct recorded_actions final : action_runner {
  struct completed {
    object_id object;
    std::uint64_t number;
    bool has_failed;
  };
  std::deque<deferred_actions::notification> sent;
  std::vector<std::unique_ptr<remote_message>> delivered, begun;
  std::vector<deferred_actions::forwarding> forwarded;
  std::vector<completed> ended;
  local_object* packed = nullptr;

  /// The next message, which must be an M to that node.
  template <class M>
  const M* next(rank to) {
    if (sent.empty()) return nullptr;
    last = std::move(sent.front());
    sent.pop_front();
    return last.to == to ? std::get_if<M>(&last.what) : nullptr;
  }
  bool is_empty() const {
    return sent.empty() && delivered.empty() && begun.empty() && forwarded.empty() && ended.empty() && !packed;
  }

 private:
  void run_all(deferred_actions& all) override {
    for (auto& n : all.send) sent.push_back(std::move(n));
    for (auto& msg : all.deliver) delivered.push_back(std::move(msg));
    for (auto& f : all.forward) forwarded.push_back(std::move(f));
    while (message* const msg = all.begin.pop()) begun.emplace_back(static_cast<remote_message*>(msg));
    for (const auto& c : all.complete) {
      const std::unique_ptr<remote_message> msg(static_cast<remote_message*>(c.what));
      ended.push_back({msg->object, msg->number, static_cast<bool>(c.cause)});
    }
    if (all.pack) packed = all.pack;
  }
  deferred_actions::notification last = {};
};

/// The node, the state that the parts of the protocol share, and messages of other nodes.
struct lone_node {
  explicit lone_node(std::uint32_t nodes, rank self = 0)
      : network(net::sim::network::make({.nodes = nodes, .jitter_seconds = 0})), world(self) {
    job.start([&](net::handlers& all) { return network->join(self, all); });
    homes.start(job.node());
    context.runtime = &world.runtime;
    detail::enter_events(context);
    before = base::set_current(&context);
  }
  lone_node(const lone_node&) = delete;
  ~lone_node() {
    base::set_current(before);
    detail::leave_events(context);
  }

  object_id id_of(rank home, std::uint64_t count) const { return mobiles::id_of(job.node_of(home), count); }
  object_entry& entry(object_id id) { return directory.shard_of(id).all[id]; }
  /// An object that this node has made, and that is at node `at` now.
  object_entry& at_home(object_id id, rank at, migration_epoch epoch = first_epoch) {
    object_entry& e = entry(id);
    e.home = std::make_unique<home_record>();
    e.home->visited.insert(at);
    e.place(at, epoch);
    return e;
  }
  local_object& make_local(object_id id) {
    local.place_new(directory.shard_of(id), std::make_unique<local_object>(id, nullptr, "", first_epoch, homes.self()),
                    nullptr);
    return *entry(id).local;
  }
  static std::unique_ptr<remote_message> message_of(rank from, object_id to, std::uint64_t number) {
    auto msg = std::make_unique<remote_message>();
    msg->from = from;
    msg->object = to;
    msg->number = number;
    return msg;
  }
  /// A message that asks for a migration of the object.
  static std::unique_ptr<remote_message> order_of(rank from, object_id to, rank target) {
    auto msg = message_of(from, to, 0);
    msg->action = static_cast<std::uint64_t>(message_action::migrate);
    msg->target = target;
    return msg;
  }
  void fail_node(rank r) {
    network->kill(r);
    while (!job.is_lost(r)) job.poll();
  }

  std::shared_ptr<net::sim::network> network;
  testing::event_world world;
  base::thread_context context;
  base::thread_context* before = nullptr;
  dist::job job;
  recorded_actions done;
  home_nodes homes{&job};
  object_directory directory;
  load_measurement load;
  checkpoint_pause pause;
  object_failures failures{&job, homes};
  local_objects local{homes, failures, load, pause};
};

}  // namespace stretto::mobiles
