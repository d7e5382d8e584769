// module_set.hpp - the modules of one runtime: their life cycle, and their claims and registrations.
//
// Threads     the thread that makes and destroys the runtime; once the runtime runs, any thread may use find and read
//             registrations.
// Invariants  finalise() finalises exactly the modules whose initialise returned, once, in reverse order.
#pragma once

#include <stretto/module.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/options.hpp"
#include "platform/channel_registry.hpp"
#include "sched/poll_coordinator.hpp"
#include "trace/counters.hpp"
#include "trace/snapshot.hpp"

namespace stretto::modules {

/// One module of a runtime.
struct membership {
  std::shared_ptr<module> is;
  std::string name;
  std::vector<poller*> pollers;
  bool initialised = false;
};

class module_set {
 public:
  /// Throws M01 for an empty or duplicate name, M02 for an object that another runtime uses.
  module_set(std::vector<std::shared_ptr<module>> given, sched::poll_coordinator& polls, trace::counters& counters,
             base::error_form errors);
  module_set(const module_set&) = delete;
  ~module_set();

  /// The machine extended by the places that modules add.
  platform extended(const platform& machine) const;
  /// Initialises the modules in order; `machine` must outlive the set. Throws M03, M04, M10, M11; the caller must
  /// finalise then.
  void initialise(base::runtime_context& runtime, const platform& machine);
  /// Calls the modules in order. Throws M04.
  void started(runtime& owner);
  /// Finalises in reverse order. Failures are printed to the error stream (M06), and the runtime ends nevertheless.
  void finalise() noexcept;

  module* find(const std::type_info& type) const noexcept;
  std::string names() const;

  /// Registers for the core, before modules are initialised.
  places::channel_registry& channels_of_core() noexcept { return *channels_; }
  /// All registered channels.
  std::shared_ptr<const places::channel_registry> channels() const noexcept { return channels_; }
  const std::vector<place_server*>& servers() const noexcept { return servers_; }
  /// The module that performs the operations at each place, and the copies between two places.
  trace::module_owners owners() const;

 private:
  friend class stretto::module_host;
  struct channel_owner {
    place_kind from, to;
    const membership* by;
  };

  std::vector<std::unique_ptr<membership>> members_;
  sched::poll_coordinator& polls_;
  trace::counters& counters_;
  base::error_form errors_;  // format of printed errors
  const platform* machine_ = nullptr;
  std::vector<const membership*> claims_;  // by place
  std::vector<place_server*> servers_;     // by place; only for places without workers
  std::shared_ptr<places::channel_registry> channels_;
  std::vector<channel_owner> channel_owners_;
};

}  // namespace stretto::modules
