// module_set.hpp - the modules of one runtime: their life cycle, and what each has claimed and registered.
//
// Threads     the thread that makes and destroys the runtime; find, and what has been registered, from any once the
//             runtime runs.
// Invariants  finalise() ends exactly those whose initialise returned, in reverse, once.
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
  /// Throws M01 for names that are empty or used twice, M02 for an object that another runtime uses.
  module_set(std::vector<std::shared_ptr<module>> given, sched::poll_coordinator& polls, trace::counters& counters,
             base::error_form errors);
  module_set(const module_set&) = delete;
  ~module_set();

  /// The machine with the places that modules add.
  platform extended(const platform& machine) const;
  /// Each in turn; `machine` outlives the set. Throws M03, M04, M10, M11; the caller finalises then.
  void initialise(base::runtime_context& runtime, const platform& machine);
  /// Each in turn. Throws M04.
  void started(runtime& owner);
  /// In reverse. What goes wrong is written to the error stream: the runtime ends all the same (M06).
  void finalise() noexcept;

  module* find(const std::type_info& type) const noexcept;
  std::string names() const;

  /// For those of the core, before modules are initialised.
  places::channel_registry& channels_of_core() noexcept { return *channels_; }
  /// What was registered, for the floors below.
  std::shared_ptr<const places::channel_registry> channels() const noexcept { return channels_; }
  const std::vector<place_server*>& servers() const noexcept { return servers_; }
  /// Whose the operations at each place, and the copies between two, are.
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
  base::error_form errors_;  // how they are printed
  const platform* machine_ = nullptr;
  std::vector<const membership*> claims_;  // by place
  std::vector<place_server*> servers_;     // by place; only where no worker serves
  std::shared_ptr<places::channel_registry> channels_;
  std::vector<channel_owner> channel_owners_;
};

}  // namespace stretto::modules
