// global_instances.hpp - instances that other nodes have made in global memory. Once a node knows such an instance, it
// copies, fills and reduces it by itself.
//
// The owner announces an instance to a node before it replies to that node's first request about it. So the first
// request goes to the owner, and later ones do not. An instance never moves: its location is announced once, and its
// destruction once.
//
// Messages    known: handle, shape and address. gone: handle.
// Threads     any of the runtime.
// Invariants  (1) a node that got the announcement of an instance also gets that of its destruction. (2) the
//             announcement of a destruction is sent after that of the instance.
#pragma once

#include <stretto/instance.hpp>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "dist/instance_messages.hpp"
#include "dist/job.hpp"

namespace stretto::dist {

class global_instances {
 public:
  /// Before job::start.
  explicit global_instances(job& j);

  /// On the owner: announces the local instance `near` to node `to`, which knows it as `named`. Does nothing if the
  /// instance is not in global memory, does not exist, or was announced there before.
  void announce(rank to, const detail::instance_handle& named, const detail::instance_handle& near,
                base::thread_context& context);
  void gone(const detail::instance_handle& near) noexcept;

  /// On other nodes: the local stand-in of the instance, or an empty handle.
  detail::instance_handle stand_in(const detail::instance_handle& named) const;
  /// Forgets the instances of that node. Operations in flight end by themselves.
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
  void on_known(rank from, const global_instance_known& m, base::thread_context& context);
  void on_gone(rank from, const global_instance_gone& m, base::thread_context& context);

  job& job_;
  mutable std::mutex lock_;  // guards what follows, and the order of announcements
  std::map<std::uint64_t, std::vector<std::pair<rank, detail::instance_handle>>>
      announced_;  // to which node, as what; by the key of a local instance
  std::map<name, remote_instance> stand_ins_;
};

}  // namespace stretto::dist
