// other_nodes.hpp - operations on instances that are another node's: what is asked, and of whom; absent where there is one node.
//
// The data floor knows nothing of networks. A handle that is not at hand here (data::is_near) goes to whoever is registered, who has
// the operation done where the instances are: with run_here, of handles that are near there.
//
// Threads     any thread of the runtime.
#pragma once

#include <stretto/reduce.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "data/attachments.hpp"
#include "data/moves.hpp"
#include "data/node_talk.hpp"

namespace stretto::data {

struct remote_operation_request {
  enum class action : std::uint8_t { copy, fill, gather, scatter, reduce_held, reduce_values, fold, clear, destroy, ready };

  action what = action::copy;
  /// The first is written (of gather and scatter: the dense one, the table, the indices).
  std::array<detail::instance_handle, 3> used{};
  unsigned used_count = 1;
  bool is_whole = true;              // and if not, `boxes` of used[0]; of a fill or a reduction there is one
  std::span<const box> boxes = {};
  point shift = {};                  // from a coordinate of used[0] to that of used[1]
  std::span<const std::byte> value = {};          // of a fill
  const detail::reduction_kind* kind = nullptr;   // of a reduction
  std::uint32_t contributor = 0;                  // of a fold
  detail::index_kind indices = detail::index_kind::int64;
};
/// "copy", "reduce".
const char* word_of(remote_operation_request::action v) noexcept;

/// What an instance is, existing or not. It does not change.
struct instance_facts {
  layout shape;
  place memory;  // of its node
  std::string name;
};
instance_facts facts_of(const detail::instance_record& r);

class other_nodes {
 public:
  virtual ~other_nodes() = default;

  /// Whether an instance of that node's number may be asked for: it is of the same job.
  virtual bool reaches(std::uint16_t node) const noexcept = 0;
  /// Numbers of nodes, as programs count them.
  virtual std::uint32_t self() const noexcept = 0;
  virtual std::uint32_t nodes() const noexcept = 0;
  virtual std::uint32_t index_of(std::uint16_t node) const noexcept = 0;
  /// Whether messages go from and to memory of that driver's devices in place.
  virtual bool takes_memory_of(std::string_view driver) const noexcept = 0;

  /// An instance of this node by the name that another gave it; nothing if the request for it has not come yet. Throws D01 if it was
  /// destroyed, and why it could not be made.
  virtual detail::instance_handle near(const detail::instance_handle& named, const char* verb, const std::source_location& where) = 0;

  /// On another node.
  virtual detail::made_elsewhere create(std::uint32_t node, const detail::instance_request& request, const preconditions& after,
                                        const std::source_location& where) = 0;
  virtual detail::instance_handle create_reduction(std::uint32_t node, const detail::instance_request& request,
                                                   const detail::reduction_kind& kind, reduction_style style,
                                                   const std::source_location& where) = 0;
  /// Of an instance of another node: as kept, or as that node answers, for which the task waits. Throws what it
  /// answers, and N05.
  virtual std::shared_ptr<const instance_facts> facts(const detail::instance_handle& h, const char* verb,
                                                      const std::source_location& where) = 0;
  /// An instance of this node over the elements of one that another node has in global memory; nothing if it is not known (yet) here.
  virtual detail::instance_handle stand_in(const detail::instance_handle& h) const = 0;
  /// One of this node's in global memory is destroyed: its handle.
  virtual void gone(const detail::instance_handle& h) noexcept = 0;
  virtual event submit(const remote_operation_request& r, const preconditions& after, const std::source_location& where) = 0;
  /// Before a task asks for a copy in the memory of all nodes: it waits while too much that was asked for has yet to be done.
  virtual void hold_back(const std::source_location& where) = 0;
  /// Such a copy counts as what was asked of others, as long as this lives.
  virtual std::shared_ptr<const void> counted_copy() = 0;

  /// What another node has posted, or will post, under `number` (below 2^63): the target of copies of boxes (far_request: not is_whole),
  /// which end when their elements are in place there, and wait until it is posted.
  virtual detail::instance_handle posted_name(std::uint32_t node, std::uint64_t number) const = 0;
  /// Once `after` has ended, elements that other nodes copy to this node's `number` go to `target`, of this node, made or yet to be made.
  ///
  ///   number   below 2^63; posted once, while something of it is still to come
  ///   parts    disjoint boxes of the target; each of their elements comes once, from some node, in whatever boxes and copies
  ///   done     as many; set to events: all elements of that part are in place. Poisoned if some will not come, `after` is (what comes is
  ///            dropped then, and its copies end with that cause), or a node is lost, which might have been the one to send (N05)
  ///
  /// A copy that names elements of no part fails (D06); those of its other elements that come in the same piece are given up.
  virtual void post(std::uint64_t number, const detail::instance_handle& target, std::span<const box> parts, std::span<event> done,
                    const preconditions& after, const std::source_location& where) = 0;
  /// What is posted here under `first` and above, now or later, fails for `why`, and so do copies to it; nothing of it is written any more.
  virtual void fail_posted(std::uint64_t first, const failure_ref& why, base::thread_context& context) noexcept = 0;

  /// Before the runtime's threads poll; who listens outlives their last poll. Null: nobody.
  virtual void listen(listener* who) noexcept = 0;
  /// To who listens on another node; nothing if that node is lost. Never waits.
  virtual void say(std::uint32_t node, std::span<const std::byte> words) = 0;
};

/// Before the runtime's threads use instances, after the floor was started; null: there is one node.
void set_other_nodes(base::runtime_context& runtime, other_nodes* others) noexcept;

/// Of a handle by another node's name.
inline constexpr std::uint64_t named_by_others = std::uint64_t{1} << 47;
/// Whether the record is at hand: the instance is this node's, and the handle was made here.
inline bool is_local(const detail::instance_handle& h, const base::thread_context& context) noexcept {
  return h.key >> 47 == std::uint64_t{context.runtime->node} << 1;
}
template <class... Handle>
bool are_local(const base::thread_context& context, const Handle&... h) noexcept {
  return (is_local(h, context) && ...);
}

/// The handle by which it goes here. Throws D13 if there is no such node, D24 if the instance is another node's, D09 if it has yet to
/// be made, and what other_nodes::near throws.
detail::instance_handle local_by_name(const detail::instance_handle& h, const char* verb, base::thread_context& context,
                                     const std::source_location& where);
inline detail::instance_handle local_handle(const detail::instance_handle& h, const char* verb, base::thread_context& context,
                                    const std::source_location& where) {
  return is_local(h, context) || !h.record ? h : local_by_name(h, verb, context, where);
}

/// Of an instance of another node; null for one of this. Throws as other_nodes::facts, and D13.
std::shared_ptr<const instance_facts> facts_elsewhere(const detail::instance_handle& h, const char* verb,
                                                      base::thread_context& context, const std::source_location& where);

/// Has it done wherever the instances are. Throws D13 for a handle of nothing, or of another job.
event ask(remote_operation_request r, const preconditions& after, base::thread_context& context, const std::source_location& where);
/// All that it uses is near.
event run_here(const remote_operation_request& r, const preconditions& after, const std::source_location& where);

/// What has gone along with messages of this runtime.
const std::shared_ptr<attachments>& attachments_of(const base::thread_context& context) noexcept;

/// As far_enclosures; nothing in a runtime that is alone, or where there is nothing to hold.
std::uint64_t keep_for(std::uint32_t node, std::vector<std::shared_ptr<const void>>&& along, const base::thread_context& context);
void acknowledge_message(std::uint32_t sender, std::uint64_t message, const base::thread_context& context);

}  // namespace stretto::data
