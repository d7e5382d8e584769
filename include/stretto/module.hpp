// module.hpp - how a library adds operations at places: its life cycle, claims, pollers, channels, statistics.
//
// A module stands outside the core and uses public headers only; the core knows none by name.
//
// Threads     initialise, started and finalise: the thread that makes and destroys the runtime, the last as worker 0.
//             The rest as each class says.
// Invariants  (1) modules are initialised in the order of runtime_options::modules, before any worker exists, and
//             finalised in reverse, after everything that can run has run and while workers still do. (2) a module
//             whose initialise returned is finalised, also if a later one fails. (3) a place, a pair of memory kinds
//             and a poller belong to one module.
// Source      module life cycle, registration per kind of place, pollers: HiPER (Grossman et al.), where they hang off
//             global tables; per-module instrumentation there counts calls and times as the statistics do here.
#pragma once

#include <stretto/channel.hpp>
#include <stretto/place_server.hpp>
#include <stretto/poller.hpp>
#include <stretto/statistics.hpp>

#include <atomic>
#include <memory>
#include <source_location>
#include <string_view>
#include <typeinfo>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

class platform;
class runtime;

namespace modules {
class module_set;
struct membership;
}  // namespace modules

/// What a module may ask of the runtime that it is being initialised for. Good only inside `initialise`.
class module_host {
 public:
  /// The places there are, those that modules added included.
  const platform& machine() const noexcept;

  /// The module answers for this place from now on. If no worker's path reaches the place, `server` gets the tasks that
  /// are spawned at it; without a server such a task is refused, with S02, as ever. `server` outlives the runtime.
  ///
  ///   throws   M03 if another module has claimed it
  void claim(place p, place_server* server = nullptr, std::source_location where = std::source_location::current());
  /// All places of that kind; there may be none.
  std::vector<place> claim(place_kind kind, place_server* server = nullptr,
                           std::source_location where = std::source_location::current());

  /// Asked from now on while it has something pending. It outlives the runtime. Throws M11 if it was added already.
  void add_poller(poller& p);

  /// Copies from memories of one kind to those of the other, in this direction, go through `by`. Throws M10 if they
  /// have a channel already; between two kinds of host memory they always do.
  void add_channel(place_kind from, place_kind to, std::shared_ptr<channel> by);

  /// A counter under the module's name; the same words give the same counter. For all of the module's life.
  statistic add_statistic(std::string_view what, place at = {});

 private:
  friend class modules::module_set;
  module_host(modules::module_set& set, modules::membership& of) noexcept : set_(set), of_(of) {}
  modules::module_set& set_;
  modules::membership& of_;
};

/// To be derived from; one object per runtime.
///
///     auto timers = std::make_shared<timer>();
///     stretto::runtime rt({.modules = {timers}});
///     rt.run([&] { wait(timers->after_seconds(0.5)); });
class module {
 public:
  module() = default;
  module(const module&) = delete;
  virtual ~module() = default;

  /// For messages and statistics; unique in its runtime.
  virtual std::string_view name() const noexcept = 0;

  /// Adds places and links that only the module knows of, before the platform is built from them.
  virtual void add_places(platform_description& machine) const;

  /// Before any worker exists; nothing may be spawned or made pending. What it throws ends the start of the runtime
  /// (M04), after it has undone what it did itself.
  virtual void initialise(module_host& host) = 0;

  /// The workers run: the module may start threads, and attach them. As initialise, but finalise follows its failure.
  virtual void started(runtime& owner);

  /// The end: ends or poisons what is pending, detaches and joins its threads. It may spawn and wait; not so where the
  /// start of the runtime failed before there were workers, and started was never called.
  virtual void finalise();

 private:
  friend class modules::module_set;
  std::atomic<bool> in_use_{false};
};

namespace detail {
module* module_of_type(const std::type_info& type);
[[noreturn]] void no_such_module(const std::type_info& type, const std::source_location& where);
}  // namespace detail

/// The module of that very type in the calling thread's runtime, so that libraries need not hand modules around.
///
///   throws   M09 if there is none; B20 on a thread of no runtime
///   cost     a search among the runtime's modules: a few ns each
template <class Module>
Module& this_runtimes(std::source_location where = std::source_location::current()) {
  module* const found = detail::module_of_type(typeid(Module));
  if (!found) detail::no_such_module(typeid(Module), where);
  return static_cast<Module&>(*found);
}

}  // namespace stretto

STRETTO_API_END
