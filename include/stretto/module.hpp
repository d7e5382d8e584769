// module.hpp - modules: extend a runtime by places, operations, pollers, channels and statistics of a library.
//
//     class clock_module : public module {
//      public:
//       std::string_view name() const noexcept override { return "clock"; }
//       void initialise(module_host& host) override { reads_ = host.add_statistic("reads"); }
//       double seconds() {
//         const auto timing = reads_.measure();
//         return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
//       }
//
//      private:
//       statistic reads_;
//     };
//     void use_it() {
//       runtime rt({.modules = {std::make_shared<clock_module>()}});
//       rt.run([] { std::printf("%g\n", this_runtimes<clock_module>().seconds()); });
//     }
//
// A module uses public headers only; the runtime knows no module by name.
//
// Threads     initialise, started and finalise: the thread that makes and destroys the runtime; finalise runs as worker
//             0. Other members: see each class.
// Invariants  (1) modules are initialised in the order of runtime_options::modules before any worker exists, and
//             finalised in reverse order after all runnable tasks have run, while workers still exist. (2) a module
//             whose initialise returned is finalised, also if a later one fails. (3) a place, a pair of memory kinds
//             and a poller belong to at most one module.
// Source      module life cycle, registration per kind of place, pollers, counters per module: HiPER (Grossman et al.),
//             where they are global tables.
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

class module;
class platform;
class runtime;

namespace modules {
class module_set;
struct membership;
}  // namespace modules

/// The interface of the runtime for a module that is being initialised. Valid only inside `initialise`.
class module_host {
 public:
  /// The platform of the runtime, with the places that modules have added.
  const platform& machine() const noexcept;

  /// Claims a place for the module.
  ///
  ///   server   runs the tasks spawned at the place, if no worker's path reaches it; must outlive the runtime. Without
  ///            a server, such a spawn throws S02
  ///   throws   M03 if another module has claimed the place, P16 for a place of another platform
  void claim(place p, place_server* server = nullptr, std::source_location where = std::source_location::current());
  /// Claims all places of that kind and returns them; there may be none. Throws M03.
  std::vector<place> claim(place_kind kind, place_server* server = nullptr,
                           std::source_location where = std::source_location::current());

  /// Adds a poller, which the runtime calls while it has pending operations. It must outlive the runtime. Throws M11 if
  /// it was added before.
  void add_poller(poller& p);

  /// Makes copies from memories of kind `from` to those of kind `to` use this channel. Throws M10 if these kinds have a
  /// channel, as any two kinds of host memory do.
  void add_channel(place_kind from, place_kind to, std::shared_ptr<channel> by);

  /// The first other module of the runtime that is a `Capability`: a module's class, or an abstract class from which
  /// modules derive to offer something. Null if there is none. It may be initialised later: use it from `started` on.
  template <class Capability>
  Capability* find() const noexcept;

  /// A counter of the module; calls with the same arguments return the same counter. Throws T03 if there are too many,
  /// P16 for a place of another platform.
  statistic add_statistic(std::string_view what, place at = {});

 private:
  friend class modules::module_set;
  module_host(modules::module_set& set, modules::membership& of) noexcept : set_(set), of_(of) {}
  module* other(std::size_t index) const noexcept;  // null behind the last one

  modules::module_set& set_;
  modules::membership& of_;
};

/// The base class of modules. A module object belongs to one runtime, which gets it by runtime_options::modules.
class module {
 public:
  module() = default;
  module(const module&) = delete;
  virtual ~module() = default;

  /// The name in messages and statistics; unique in its runtime, otherwise the runtime throws M01. Must not throw.
  virtual std::string_view name() const noexcept = 0;

  /// Adds the module's places and links to the description before the runtime builds its platform. Throws what ends the
  /// start of the runtime.
  virtual void add_places(platform_description& machine) const;

  /// Called before any worker exists. It must not spawn tasks or start operations. If it throws, the start of the
  /// runtime fails with M04; the module must have undone its own effects.
  virtual void initialise(module_host& host) = 0;

  /// Called when the workers run. The module may start threads and attach them. If it throws, the start of the runtime
  /// fails with M04, and finalise follows.
  virtual void started(runtime& owner);

  /// Called at the end of the runtime. It must end or poison pending operations, and detach and join its threads. It
  /// may spawn and wait, unless the start of the runtime failed and started was never called. If it throws, the runtime
  /// reports M06.
  virtual void finalise();

 private:
  friend class modules::module_set;
  std::atomic<bool> in_use_{false};
};

template <class Capability>
Capability* module_host::find() const noexcept {
  for (std::size_t i = 0; module* const one = other(i); ++i)
    if (auto* const found = dynamic_cast<Capability*>(one)) return found;
  return nullptr;
}

namespace detail {
module* module_of_type(const std::type_info& type);
[[noreturn]] void no_such_module(const std::type_info& type, const std::source_location& where);
}  // namespace detail

/// The module of exactly this type in the calling thread's runtime.
///
///   throws   M09 if there is none; B20 on a thread of no runtime
///   cost     a search among the runtime's modules: a few ns per module
template <class Module>
Module& this_runtimes(std::source_location where = std::source_location::current()) {
  module* const found = detail::module_of_type(typeid(Module));
  if (!found) detail::no_such_module(typeid(Module), where);
  return static_cast<Module&>(*found);
}

}  // namespace stretto

STRETTO_API_END
