// other_nodes.hpp - the interface for operations on instances of other nodes; absent if there is one node.
//
// The data floor does not know networks. A handle that is not local (data::is_local) goes to the registered
// implementation. It has the operation done on the node of the instances, by run_here with handles that are local
// there.
//
// Threads     any thread of the runtime.
#pragma once

#include <stretto/reduce.hpp>

#include <array>
#include <cstddef>
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

namespace stretto::data {

struct remote_operation_request {
  enum class action : std::uint8_t {
    copy,
    fill,
    gather,
    scatter,
    reduce_held,
    reduce_values,
    fold,
    clear,
    destroy,
    ready
  };

  action what = action::copy;
  /// The first is written (gather, scatter: the dense array, the table, the indices).
  std::array<detail::instance_handle, 3> used{};
  unsigned used_count = 1;
  bool is_whole = true;  // else `boxes` of used[0]; a fill or a reduction has one box
  std::span<const box> boxes = {};
  point shift = {};                              // added to a coordinate of used[0] to find it in used[1]
  std::span<const std::byte> value = {};         // of a fill
  const detail::reduction_kind* kind = nullptr;  // of a reduction
  std::uint32_t contributor = 0;                 // of a fold
  detail::index_kind indices = detail::index_kind::int64;
};
/// "copy", "reduce".
const char* word_of(remote_operation_request::action v) noexcept;

/// Facts about an instance, created or not. They never change.
struct instance_facts {
  layout shape;
  place memory;  // on its node
  std::string name;
};
instance_facts facts_of(const detail::instance_record& r);

class other_nodes {
 public:
  virtual ~other_nodes() = default;

  /// Whether that node belongs to the same job, so that its instances can be used.
  virtual bool reaches(std::uint16_t node) const noexcept = 0;
  /// Numbers of nodes as programs count them, from 0.
  virtual std::uint32_t self() const noexcept = 0;
  virtual std::uint32_t nodes() const noexcept = 0;
  virtual std::uint32_t index_of(std::uint16_t node) const noexcept = 0;
  /// Whether messages read and write memory of that driver's devices in place.
  virtual bool takes_memory_of(std::string_view driver) const noexcept = 0;

  /// The local instance that another node has named; nothing if the request to create it has not arrived yet. Throws
  /// D01 if it was destroyed, and the error that prevented its creation.
  virtual detail::instance_handle near(const detail::instance_handle& named, const char* verb,
                                       const std::source_location& where) = 0;

  /// Creates an instance on another node.
  virtual detail::made_elsewhere create(std::uint32_t node, const detail::instance_request& request,
                                        const preconditions& after, const std::source_location& where) = 0;
  virtual detail::instance_handle create_reduction(std::uint32_t node, const detail::instance_request& request,
                                                   const detail::reduction_kind& kind, reduction_style style,
                                                   const std::source_location& where) = 0;
  /// Facts about an instance of another node, cached or requested from that node, for which the task waits. Throws the
  /// error of that node, and N05.
  virtual std::shared_ptr<const instance_facts> facts(const detail::instance_handle& h, const char* verb,
                                                      const std::source_location& where) = 0;
  /// A local stand-in for an instance that another node has in global memory; nothing if it is not known (yet) here.
  virtual detail::instance_handle stand_in(const detail::instance_handle& h) const = 0;
  /// Announces that an instance of this node in global memory is destroyed.
  virtual void gone(const detail::instance_handle& h) noexcept = 0;
  virtual event submit(const remote_operation_request& r, const preconditions& after,
                       const std::source_location& where) = 0;
  /// Back pressure before a copy in global memory: suspends the task while too many requested operations are
  /// outstanding.
  virtual void hold_back(const std::source_location& where) = 0;
  /// Counts such a copy as an outstanding operation while the result lives.
  virtual std::shared_ptr<const void> counted_copy() = 0;

  /// Names the target that another node posts, or will post, under `number` (below 2^63), for copies of boxes
  /// (remote_operation_request: not is_whole). Such a copy ends when its elements are in place there, and waits until
  /// the target is posted.
  virtual detail::instance_handle posted_name(std::uint32_t node, std::uint64_t number) const = 0;
  /// Posts a receive: once `after` has ended, elements that other nodes copy to this node's `number` go to `target`, an
  /// instance of this node that may be yet to be created.
  ///
  ///   number   below 2^63; not posted twice while elements of it are outstanding
  ///   parts    disjoint boxes of the target; each element arrives once, from some node, in any boxes and copies
  ///   done     one event per part, set here: all elements of the part are in place. Poisoned if some will not come, if
  ///            `after` is (arriving elements are then dropped, and their copies end with that cause), or if a node
  ///            fails that might have been the sender (N05)
  ///
  /// A copy that names elements of no part fails (D06). Its other elements of the same piece are dropped.
  virtual void post(std::uint64_t number, const detail::instance_handle& target, std::span<const box> parts,
                    std::span<event> done, const preconditions& after, const std::source_location& where) = 0;
  /// Fails what is posted here under `first` and above, now or later, with `why`, and copies to it. Nothing of it is
  /// written any more.
  virtual void fail_posted(std::uint64_t first, const failure_ref& why, base::thread_context& context) noexcept = 0;
};

/// To be called after the floor has started and before threads use instances; null: there is one node.
void set_other_nodes(base::runtime_context& runtime, other_nodes* others) noexcept;

/// Bit of a key in a handle that another node has named.
inline constexpr std::uint64_t named_by_others = std::uint64_t{1} << 47;
/// Whether the record is on this node: the instance is this node's, and the handle was made here.
inline bool is_local(const detail::instance_handle& h, const base::thread_context& context) noexcept {
  return h.key >> 47 == std::uint64_t{context.runtime->node} << 1;
}
template <class... Handle>
bool are_local(const base::thread_context& context, const Handle&... h) noexcept {
  return (is_local(h, context) && ...);
}

/// The handle by which the instance goes here. Throws D13 if there is no such node, D24 if the instance is another
/// node's, D09 if it is yet to be created, and errors of other_nodes::near.
detail::instance_handle local_by_name(const detail::instance_handle& h, const char* verb, base::thread_context& context,
                                      const std::source_location& where);
inline detail::instance_handle local_handle(const detail::instance_handle& h, const char* verb,
                                            base::thread_context& context, const std::source_location& where) {
  return is_local(h, context) || !h.record ? h : local_by_name(h, verb, context, where);
}

/// Facts about an instance of another node; null for one of this node. Throws as other_nodes::facts, and D13.
std::shared_ptr<const instance_facts> facts_elsewhere(const detail::instance_handle& h, const char* verb,
                                                      base::thread_context& context, const std::source_location& where);

/// Has the operation done on the node of its instances. Throws D13 for an empty handle, or one of another job.
event ask(remote_operation_request r, const preconditions& after, base::thread_context& context,
          const std::source_location& where);
/// Runs an operation of which all instances are local.
event run_here(const remote_operation_request& r, const preconditions& after, const std::source_location& where);

/// The attachments of this runtime.
const std::shared_ptr<attachments>& attachments_of(const base::thread_context& context) noexcept;

/// As in remote_attachments; nothing if the runtime is alone, or there is nothing to hold.
kept_attachments keep_for(std::uint32_t node, std::vector<std::shared_ptr<const void>>&& along,
                          const base::thread_context& context);
void acknowledge_message(std::uint32_t sender, kept_attachments message, const base::thread_context& context);

}  // namespace stretto::data
