#include "ranks/process/rank_waits.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/code_location.hpp"
#include "base/snapshot_read.hpp"
#include "event/event_wait_graph.hpp"
#include "net/mpi/job_mark.hpp"
#include "ranks/messages/request_set.hpp"
#include "ranks/messages/wait_targets.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/special_ranks.hpp"
#include "ranks/windows/locking_access.hpp"

namespace stretto::ranks {
namespace {

using base::wait_kind;

constexpr std::size_t most_requests = 4;  // of a call, in a report

/// A type of this file, so that another copy of the library has no functions of the same sets.
struct by_number {
  bool operator()(world_rank a, world_rank b) const { return a < b; }
};
using ranks_by_number = std::set<world_rank, by_number>;

/// The ranks for which messages and receives wait.
class targets_of_rank {
 public:
  explicit targets_of_rank(rank& of) : of_(of) {}

  ranks_by_number found;

  void add(const wait_targets& targets) {
    for (const envelope& pattern : targets.messages) add_senders(pattern);
    for (const mailbox* const at : targets.receives)
      if (const auto owner = owner_of(*at)) found.insert(*owner);
    found.insert(targets.receivers.begin(), targets.receivers.end());
    found.insert(targets.ranks.begin(), targets.ranks.end());
  }

 private:
  static std::optional<world_rank> owner_of(const mailbox& at) {
    std::optional<world_rank> owner;
    rank::for_each([&](rank& one) {
      if (&one.messages() == &at) owner = one.number();
    });
    return owner;
  }

  std::shared_ptr<const communicator_members> members(communicator_number number) const {
    if (number == world_number) return of_.node().world();
    if (number == self_number) return of_.mpi().self.shared_members();
    return of_.node().members()->find(number, of_.number());
  }

  void add_senders(const envelope& pattern) {
    const communicator_number number{static_cast<std::uint32_t>(pattern.context()) / 2};
    if (number == creation_number) {  // its messages name senders by their ranks in the world
      found.insert(world_rank{pattern.source()});
      return;
    }
    const auto of_communicator = members(number);
    if (!of_communicator) return;
    const group& peers = number == of_communicator->number ? of_communicator->peers() : of_communicator->local;
    for (int i = 0; i < peers.size(); ++i)
      if (pattern.source() == i || (pattern.source() == any_source && peers[i] != of_.number())) found.insert(peers[i]);
  }

  rank& of_;
};

std::string name_of(world_rank rank) { return "rank " + std::to_string(static_cast<int>(rank)); }

/// The operation of a request: "receive from rank 1 with tag 7", "send to rank 1".
std::string text_of(const request& r, rank& of) {
  wait_targets targets;
  add_targets(r, targets);
  if (targets.messages.size() == 1 && targets.receives.empty()) return r.functions().describe(r);
  targets_of_rank ranks(of);
  ranks.add(targets);
  if (targets.receives.size() + targets.receivers.size() == 1 && targets.messages.empty() && !ranks.found.empty())
    return "send to " + name_of(*ranks.found.begin());
  return r.functions().describe(r);
}

void add_requests(call_text& text, rank& of) {
  std::size_t pending = 0;
  for (const request* const one : text.requests) {
    if (!is_active(one) || one->is_done() || ++pending > most_requests) continue;
    text.arguments += (pending == 1 ? ": " : ", ") + text_of(*one, of);
  }
  if (pending > most_requests) text.arguments += ", " + std::to_string(pending - most_requests) + " more";
}

/// Describes one rank.
class rank_node {
 public:
  rank_node(base::wait_walk& walk, rank& of, const call_reading* reading)
      : walk_(walk), of_(of), reads_arguments_(reading != nullptr) {
    const auto key = detail::bits_of_record(of.task());
    is_in_task_ = of.task() && walk.has(wait_kind::task, key);
    index =
        is_in_task_ ? walk.at(wait_kind::task, key) : walk.at(wait_kind::rank, static_cast<std::uint64_t>(of.number()));
    if (!is_in_task_ && !of.has_ended()) return;  // it has not begun, or runs
    auto& node = walk[index];
    node.kind = wait_kind::rank;
    node.name = name_of(of.number());
    node.everywhere = node.name;
    node.created_at.clear();
    node.is_end = of.has_ended();
  }

  std::uint32_t index = 0;

  /// Adds the call in which it waits. `requests` are the undescribed nodes of what tasks wait for. Returns the ranks
  /// for which it waits.
  ranks_by_number add_call(const std::map<std::uint32_t, const void*>& awaited) {
    const base::snapshot_copy<call_record> call(of_.blocked_call());
    if (!is_in_task_ || !call) return {};
    call_text text;
    targets_of_rank targets(of_);
    if (reads_arguments_) {
      if (call->details.describe) call->details.describe(call->details.arguments, of_.mpi(), text);
      add_targets_of(text, targets, awaited);
      add_requests(text, of_);
    }
    return_address_ = return_address_of(*call);
    std::string& waits_at = walk_[index].waits_at;
    waits_at = base::snapshot_text(call->name);
    if (!text.arguments.empty()) waits_at += "(" + text.arguments + ")";
    return targets.found;
  }
  void add_line() {
    const auto line = base::location_of_call(return_address_);
    if (!line.empty()) walk_[index].waits_at.insert(0, line + " in ");
  }

 private:
  void add_targets_of(const call_text& text, targets_of_rank& targets,
                      const std::map<std::uint32_t, const void*>& awaited) {
    wait_targets all;
    for (const request* const one : text.requests)
      if (is_active(one)) add_targets(*one, all);
    for (const auto node : walk_[index].waits_for)
      if (const auto found = awaited.find(node); found != awaited.end() && text.requests.empty())
        add_targets(*static_cast<const request*>(static_cast<const completion*>(found->second)), all);
    targets.add(all);
  }

  base::wait_walk& walk_;
  rank& of_;
  const bool reads_arguments_;
  bool is_in_task_ = false;
  const void* return_address_ = nullptr;  // of the call in which it waits
};

/// Another node describes it, under the same name.
std::uint32_t node_of_remote_rank(base::wait_walk& walk, world_rank rank) {
  const auto node = walk.at(wait_kind::rank, static_cast<std::uint64_t>(rank));
  walk[node].everywhere = name_of(rank);
  return node;
}

/// The completions that are known only as dependencies. Those of ranks are requests.
std::map<std::uint32_t, const void*> awaited_completions(base::wait_walk& walk) {
  std::map<std::uint32_t, const void*> found;
  for (const auto raw : walk.undescribed(wait_kind::task))
    found.emplace(walk.at(wait_kind::task, raw), detail::record_in(raw));
  return found;
}

using waits_by_rank = std::map<world_rank, ranks_by_number, by_number>;

/// Ranks of other nodes wait for ranks that have locks of windows of this node.
void add_waits_of_other_nodes(waits_by_rank& to) {
  for (const lock_request* const one : locking_access::waiting())
    if (one->rank != world_rank{no_rank}) to[one->rank].insert(one->of->holders().begin(), one->of->holders().end());
}

}  // namespace

void add_wait_edges(base::wait_walk& walk, std::unique_ptr<call_reading> reading) {
  std::vector<rank*> all;
  rank::for_each([&](rank& one) { all.push_back(&one); });
  if (all.empty()) return;
  const auto awaited = awaited_completions(walk);
  std::map<world_rank, std::uint32_t, by_number> nodes;
  waits_by_rank edges;
  std::vector<rank_node> described;
  for (rank* const one : all) {
    rank_node& node = described.emplace_back(walk, *one, reading.get());
    nodes[one->number()] = node.index;
    edges[one->number()] = node.add_call(awaited);
  }
  if (reading) add_waits_of_other_nodes(edges);
  reading.reset();
  for (rank_node& node : described) node.add_line();
  const auto node_of = [&](world_rank rank) {
    if (!nodes.contains(rank)) nodes[rank] = node_of_remote_rank(walk, rank);
    return nodes[rank];
  };
  for (const auto& [from, to_all] : edges)
    for (const world_rank to : to_all) walk.link(node_of(from), node_of(to));
}

void end_hanging_job() {
  rank::write_all_output();
  net::mpi::mark_job(net::mpi::job_mark::reported);
  std::_Exit(1);
}

}  // namespace stretto::ranks
