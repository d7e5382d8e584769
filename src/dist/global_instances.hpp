// global_instances.hpp - instances that other nodes have made in global memory: known here once their node has told of them, and from then
// on copied, filled and reduced by this node itself.
//
// A node tells of an instance to whoever asked something of it, before it answers: the first question about an instance goes to its
// node, as about any, and what comes after the answer does not. Where it lies never changes, so it need be told only once; and that it
// is no more, when it is destroyed.
//
// Messages    known: the handle, shape and address. gone: the handle.
// Threads     any of the runtime.
// Invariants  (1) whoever was told of an instance is told of its end. (2) an end is told behind the beginning.
#pragma once

#include <stretto/instance.hpp>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "dist/job.hpp"

namespace stretto::dist {

class global_instances {
 public:
  /// Before job::start.
  explicit global_instances(job& j);

  /// On its node: `to` knows it from now on, by the name `named` that it goes by there. Nothing if it is not in global memory, or does
  /// not exist.
  void announce(rank to, const detail::instance_handle& named, const detail::instance_handle& near, base::thread_context& context);
  void gone(const detail::instance_handle& near) noexcept;

  /// On other nodes: what stands in for it, or nothing.
  detail::instance_handle stand_in(const detail::instance_handle& named) const;
  /// What is under way ends by itself.
  void lost(rank node) noexcept;

 private:
  using name = std::pair<std::uint64_t, std::uint64_t>;  // key and record
  struct remote_instance {
    rank of = 0;
    detail::instance_handle by;
  };
  static name name_of(const detail::instance_handle& h) noexcept {
    return {h.key, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(h.record))};
  }
  void on_announce(rank from, reader& content, base::thread_context& context);
  void on_gone(rank from, reader& content, base::thread_context& context);

  job& job_;
  const message_kind announce_, gone_;
  mutable std::mutex lock_;  // guards what follows, and that ends are told behind beginnings
  std::map<std::uint64_t, std::vector<std::pair<rank, detail::instance_handle>>> announced_;  // by the key of this node's own
  std::map<name, remote_instance> stand_ins_;
};

}  // namespace stretto::dist
