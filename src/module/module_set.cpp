#include "module/module_set.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <utility>

#include <stretto/error.hpp>
#include <stretto/platform.hpp>

#include "base/error_output.hpp"
#include "data/host_channel.hpp"
#include "module/module_channel.hpp"

namespace stretto {

void module::add_places(platform_description&) const {}
void module::started(runtime&) {}
void module::finalise() {}

namespace modules {
namespace {

std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

/// Converts an exception of `body` to M04, unless the error names its modules itself.
template <class Body>
void convert_failure(const membership& m, const char* what, Body&& body) {
  const auto failed = [&](const std::string& why) {
    return error("M04", "module " + in_quotes(m.name) + " failed " + what)
        .because(why)
        .remedy("fix the cause, or omit the module; the modules before it have been finalised");
  };
  try {
    body();
  } catch (const error& e) {
    if (e.code().starts_with('M')) throw;
    throw failed(e.code() + ": " + e.sentence() + (e.why().empty() ? "" : "; " + e.why()));
  } catch (const std::exception& e) {
    throw failed(e.what());
  } catch (...) {
    throw failed("the exception is not a std::exception");
  }
}

}  // namespace

module_set::module_set(std::vector<std::shared_ptr<module>> given, sched::poll_coordinator& polls,
                       trace::counters& counters, base::error_form errors)
    : polls_(polls), counters_(counters), errors_(errors), channels_(std::make_shared<places::channel_registry>()) {
  data::add_host_channels(*channels_);
  for (auto& g : given) {
    if (!g) throw error("M01", "the list of modules contains a null pointer");
    std::string name(g->name());
    if (name.empty()) throw error("M01", "a module of a runtime has an empty name").remedy("return one from name()");
    for (const auto& m : members_)
      if (m->name == name)
        throw error("M01", "two modules of a runtime are named " + in_quotes(name))
            .because("errors and statistics identify modules by name")
            .remedy("give each module to a runtime once");
    members_.push_back(std::make_unique<membership>());
    members_.back()->is = std::move(g);
    members_.back()->name = std::move(name);
  }
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i]->is->in_use_.exchange(true)) {
      for (std::size_t j = 0; j < i; ++j) members_[j]->is->in_use_ = false;
      throw error("M02", "module " + in_quotes(members_[i]->name) + " is in use by another runtime")
          .because("a module object keeps the state of one runtime")
          .remedy("make an object for each runtime");
    }
}

module_set::~module_set() {
  for (auto& m : members_) m->is->in_use_ = false;
}

platform module_set::extended(const platform& machine) const {
  if (members_.empty()) return machine;
  platform_description d = machine.describe();
  for (const auto& m : members_) convert_failure(*m, "to add its places", [&] { m->is->add_places(d); });
  return d == machine.describe() ? machine : platform::build(std::move(d));
}

void module_set::initialise(base::runtime_context& runtime, const platform& machine) {
  machine_ = &machine;
  claims_.assign(machine.place_count(), nullptr);
  servers_.assign(machine.place_count(), nullptr);
  runtime.set(base::floor_slot::module, this);
  for (auto& m : members_) {
    module_host host(*this, *m);
    convert_failure(*m, "to initialise", [&] { m->is->initialise(host); });
    m->initialised = true;
  }
}

void module_set::started(runtime& owner) {
  for (auto& m : members_) convert_failure(*m, "to start", [&] { m->is->started(owner); });
}

void module_set::finalise() noexcept {
  for (std::size_t i = members_.size(); i-- > 0;) {
    membership& m = *members_[i];
    if (!std::exchange(m.initialised, false)) continue;
    try {
      try {
        m.is->finalise();
      } catch (const std::exception& e) {
        throw error("M06", "module " + in_quotes(m.name) + " failed to finalise").because(e.what());
      }
      std::size_t left = 0;
      for (poller* p : m.pollers) p->stop_polling(), left += p->pending();
      if (left)
        throw error("M06", "module " + in_quotes(m.name) + " left " + std::to_string(left) +
                               (left == 1 ? " operation" : " operations") + " pending when it was finalised")
            .because("their events will never trigger")
            .remedy("end or poison them in finalise()");
    } catch (const error& e) {
      base::print_error(e, errors_);  // a destructor cannot throw
    } catch (...) {
      base::print_error(error("M06", "module " + in_quotes(m.name) + " failed to finalise"), errors_);
    }
  }
}

trace::module_owners module_set::owners() const {
  trace::module_owners all;
  for (const membership* m : claims_) all.of_place.push_back(m ? m->name : std::string());
  for (const channel_owner& c : channel_owners_)
    for (const place from : machine_->places(c.from))
      for (const place to : machine_->places(c.to))
        all.of_copies.push_back(
            {static_cast<std::uint16_t>(from.index), static_cast<std::uint16_t>(to.index), c.by->name});
  return all;
}

module* module_set::find(const std::type_info& type) const noexcept {
  for (const auto& m : members_) {
    module& is = *m->is;
    if (typeid(is) == type) return &is;
  }
  return nullptr;
}

std::string module_set::names() const {
  std::string all;
  for (const auto& m : members_) all += (all.empty() ? "" : ", ") + m->name;
  return all;
}

}  // namespace modules

const platform& module_host::machine() const noexcept { return *set_.machine_; }

void module_host::claim(place p, place_server* server, std::source_location where) {
  const std::string& name = set_.machine_->name(p);  // throws P16 for a place of another platform
  const modules::membership*& by = set_.claims_[p.index];
  if (by && by != &of_)
    throw error("M03", "modules \"" + by->name + "\" and \"" + of_.name + "\" both claim place \"" + name + "\"")
        .fact("claimed", where)
        .because("each place is served by at most one module")
        .remedy("omit one of them, or let them claim different places");
  by = &of_;
  if (server && !set_.machine_->is_served(p)) set_.servers_[p.index] = server;
}

std::vector<place> module_host::claim(place_kind kind, place_server* server, std::source_location where) {
  std::vector<place> all = set_.machine_->places(kind);
  for (const place p : all) claim(p, server, where);
  return all;
}

void module_host::add_poller(poller& p) {
  set_.polls_.add(p);
  of_.pollers.push_back(&p);
}

void module_host::add_channel(place_kind from, place_kind to, std::shared_ptr<channel> by) {
  if (set_.channels_->find(from, to)) {
    std::string owner = "the core";
    for (const auto& c : set_.channel_owners_)
      if (c.from == from && c.to == to) owner = "module \"" + c.by->name + "\"";
    throw error("M10", "module \"" + of_.name + "\" adds a channel from " + std::string(to_string(from)) + " to " +
                           std::string(to_string(to)) + ", which " + owner + " has added already")
        .because("at most one channel may copy between two kinds of memory")
        .remedy("omit one of them, or wrap both in a channel that selects one");
  }
  set_.channels_->add(from, to, std::make_shared<modules::module_channel>(std::move(by)));
  set_.channel_owners_.push_back({from, to, &of_});
}

module* module_host::other(std::size_t index) const noexcept {
  for (const auto& m : set_.members_)
    if (m.get() != &of_ && index-- == 0) return m->is.get();
  return nullptr;
}

statistic module_host::add_statistic(std::string_view what, place at) {
  return {set_.counters_, set_.counters_.declare(of_.name, what, at ? set_.machine_->name(at) : std::string())};
}

namespace detail {

module* module_of_type(const std::type_info& type) {
  const auto* set = base::require_current("this_runtimes").runtime->get<modules::module_set>(base::floor_slot::module);
  return set ? set->find(type) : nullptr;
}

void no_such_module(const std::type_info& type, const std::source_location& where) {
  int status = 0;
  char* plain = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string text = plain ? plain : type.name();
  std::free(plain);
  const auto* set = base::require_current("this_runtimes").runtime->get<modules::module_set>(base::floor_slot::module);
  const std::string names = set ? set->names() : std::string();
  throw error("M09", "this runtime has no module of type " + text)
      .fact("called", where)
      .fact("modules", names.empty() ? "none" : names)
      .remedy("pass it to the runtime: runtime_options{.modules = {std::make_shared<" + text + ">()}}");
}

}  // namespace detail
}  // namespace stretto
