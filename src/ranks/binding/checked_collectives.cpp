#include "ranks/binding/checked_collectives.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <stretto/error.hpp>

#include "ranks/binding/described_call.hpp"
#include "ranks/binding/operation_handles.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/datatypes/type_signature.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/process/usage_report.hpp"

namespace stretto::ranks::usage_check {
namespace {

/// A collective as a rank calls it.
struct collective_call_of_rank {
  std::string name;
  int root = collective_arguments::no_root;
  std::uint64_t operation = 0;  // handle of a predefined one
  data_of_call data;            // of unknown type if it may differ from rank to rank
};

/// The first call of several, and how many have been compared with it.
struct begun_collective {
  collective_call_of_rank first;
  int count = 0;
};

/// Shared by all ranks of the process.
struct shared_collectives {
  std::mutex mutex;
  std::map<std::pair<const communicator_members*, int>, begun_collective> of_ranks;
  /// By the first rank of the communicator, its number and the number of the collective.
  std::map<std::tuple<std::int32_t, std::uint32_t, std::int32_t>, begun_collective> of_nodes;
};

shared_collectives& begun() {
  static auto* const all = new shared_collectives;  // ranks may outlive static objects
  return *all;
}

/// How the arguments of two ranks differ; empty if they do not.
std::string difference(const collective_call_of_rank& one, const collective_call_of_rank& other) {
  if (one.name != other.name) return "the ranks call different collectives";
  if (one.root != other.root) return "the roots differ";
  if (one.operation && other.operation && one.operation != other.operation) return "the operations differ";
  const data_of_call &a = one.data, &b = other.data;
  if (!a.type || !b.type) return {};
  if (compare_signatures(*a.type, a.count, *b.type, b.count) || compare_signatures(*b.type, b.count, *a.type, a.count))
    return "the counts or the types differ";
  return {};
}

/// Compares a call with the first one at this place, and forgets the place with the last of `all`. True for the first.
template <class Table>
bool compare_with_first(Table& table, const typename Table::key_type& key, int all, collective_call_of_rank call) {
  const auto [place, is_first] = table.try_emplace(key);
  begun_collective& begun = place->second;
  if (is_first) {
    begun.first = std::move(call);
  } else if (const std::string how = difference(begun.first, call); !how.empty()) {
    report_usage(error("R13", "the ranks of a communicator disagree about a collective")
                     .fact("one", begun.first.data.site.text())
                     .fact("other", call.data.site.text())
                     .because(how)
                     .remedy("all ranks must call the same collectives in the same order, with equal arguments"));
  }
  if (++begun.count >= all) table.erase(place);
  return is_first;
}

collective_call_of_rank calling_collective(const collective_arguments& a) {
  collective_call_of_rank made{innermost_call->name, a.root, 0, {innermost_description(), 0, {}}};
  if (is_predefined(a.operation)) made.operation = reinterpret_cast<std::uintptr_t>(a.operation);
  if (a.count >= 0 && a.type != MPI_DATATYPE_NULL)
    made.data.count = a.count, made.data.type = datatype_ref(&object_of(a.type));
  return made;
}

collective_notice notice_of(const collective_call_of_rank& call, const communicator& over, int number) {
  const communicator_members& members = over.members();
  const std::set<int> nodes(members.nodes.begin(), members.nodes.end());
  return {.first = static_cast<std::int32_t>(members.local[0]),
          .communicator = static_cast<std::uint32_t>(members.number),
          .number = number,
          .nodes = static_cast<std::uint32_t>(nodes.size()),
          .name = call.name,
          .root = call.root,
          .operation = call.operation,
          .data = describe(call.data)};
}

}  // namespace

void begins(const collective_arguments& a, const communicator& over, int number) {
  if (!innermost_call || over.is_intercommunicator()) return;
  const std::vector<int>& nodes = over.members().nodes;
  const auto here =
      nodes.empty() ? over.size() : std::ranges::count(nodes, nodes[static_cast<std::size_t>(over.rank())]);
  const collective_call_of_rank call = calling_collective(a);
  {
    const std::scoped_lock lock(begun().mutex);
    const std::pair key{over.shared_members().get(), number};
    if (!compare_with_first(begun().of_ranks, key, static_cast<int>(here), call) || nodes.empty()) return;
  }
  const collective_notice notice = notice_of(call, over, number);
  node_ranks& node = rank::current()->node();
  if (nodes[0] == nodes[static_cast<std::size_t>(over.rank())]) begun_elsewhere(notice);
  else if (node.notify_collective) node.notify_collective(nodes[0], notice);
}

void begun_elsewhere(const collective_notice& notice) {
  const std::scoped_lock lock(begun().mutex);
  compare_with_first(begun().of_nodes, {notice.first, notice.communicator, notice.number},
                     static_cast<int>(notice.nodes),
                     {notice.name, notice.root, notice.operation, described_elsewhere(notice.data)});
}

}  // namespace stretto::ranks::usage_check
