// rank_window.hpp - a rank's own object of a window: its memory, the ways to those of the other ranks, and its epochs.
//
// Threads     one rank; threads of it may access targets at once, and MPI asks programs to synchronize from one thread
//             at a time.
// Memory      8 bytes and a byte for each rank of the window, in each rank.
// Invariants  (1) a window has a communicator of its own, so that its messages and collectives meet no others.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranks/communicators/communicator.hpp"
#include "ranks/communicators/predefined_attributes.hpp"
#include "ranks/windows/access_epochs.hpp"
#include "ranks/windows/access_server.hpp"
#include "ranks/windows/local_target.hpp"
#include "ranks/windows/memory_block.hpp"
#include "ranks/windows/message_target.hpp"

namespace stretto::ranks {

/// How a window gets its memory; the numbers are those of the ABI.
enum class window_flavor : int { create = 311, allocate, dynamic, shared };

class rank_window {
 public:
  rank_window(std::unique_ptr<communicator> own, window_flavor flavor, base::spin_lock& combining);
  rank_window(const rank_window&) = delete;
  rank_window& operator=(const rank_window&) = delete;
  /// No other rank accesses it any more.
  ~rank_window();

  communicator& comm() { return *comm_; }
  int rank() const { return comm_->rank(); }
  int size() const { return comm_->size(); }
  window_flavor flavor() const { return flavor_; }

  local_target& own() { return own_; }
  window_target& target(int rank) { return *targets_[static_cast<std::size_t>(rank)]; }

  access_epochs epochs;
  /// Receives of the ends of the accesses that post() has allowed.
  std::vector<request_owner> awaited;

  // Changed by programs.
  const std::string& name() const { return name_; }
  void set_name(std::string_view name) { name_ = name.substr(0, communicator::name_limit - 1); }
  attribute_list& attributes() { return attributes_; }
  window_attributes& predefined() { return predefined_; }
  const error_handler_ref& handler() const { return handler_; }
  void set_handler(error_handler_ref handler) { handler_ = std::move(handler); }
  const info& hints() const { return hints_; }
  /// Takes the hints that MPI defines for windows; others are ignored.
  void add_hints(const info& given);

  // Its creation.
  void use_memory(const fixed_memory& memory);
  void keep(memory_block memory) { allocated_ = std::move(memory); }
  void set_targets(std::vector<window_target*> targets) { targets_ = std::move(targets); }
  /// Lets ranks of other nodes access the window by messages.
  void serve(std::unique_ptr<const window_channel> channel);
  /// The window of a rank of another node; `memory` is null if it is dynamic.
  window_target& add_remote(int rank, const fixed_memory* memory);

 private:
  // immutable after construction
  const std::unique_ptr<communicator> comm_;
  const window_flavor flavor_;
  // set by the creation
  memory_block allocated_;
  local_target own_;
  std::vector<window_target*> targets_;  // by rank
  // null and empty if all ranks are on one node
  std::unique_ptr<const window_channel> channel_;
  std::unique_ptr<access_server> server_;
  std::vector<std::unique_ptr<message_target>> remote_;
  window_attributes predefined_;
  // the program changes them
  std::string name_;
  attribute_list attributes_;
  error_handler_ref handler_;
  info hints_;
};

}  // namespace stretto::ranks
