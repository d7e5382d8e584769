#include "cc/acc/directive_rules.hpp"

#include <algorithm>

namespace stretto::cc::acc {
namespace {

using d = directive_kind;
using c = clause_kind;
using f = argument_form;

constexpr std::array rules_of_directives{
    // Two-part names come first.
    directive_rule{d::parallel_loop, "parallel loop"},
    directive_rule{d::kernels_loop, "kernels loop"},
    directive_rule{d::serial_loop, "serial loop"},
    directive_rule{d::enter_data, "enter data"},
    directive_rule{d::exit_data, "exit data"},
    directive_rule{d::parallel, "parallel"},
    directive_rule{d::kernels, "kernels"},
    directive_rule{d::serial, "serial"},
    directive_rule{d::loop, "loop"},
    directive_rule{d::data, "data"},
    directive_rule{d::host_data, "host_data"},
    directive_rule{d::declare, "declare"},
    directive_rule{d::update, "update"},
    directive_rule{d::cache, "cache"},
    directive_rule{d::atomic, "atomic"},
    directive_rule{d::routine, "routine"},
    directive_rule{d::wait, "wait"},
    directive_rule{d::init, "init"},
    directive_rule{d::shutdown, "shutdown"},
    directive_rule{d::set, "set"},
    directive_rule{d::mpi, "mpi"},
};
static_assert(rules_of_directives.size() == directive_kinds);

constexpr directive_set parallels = in(d::parallel) | in(d::parallel_loop);
constexpr directive_set kernels = in(d::kernels) | in(d::kernels_loop);
constexpr directive_set serials = in(d::serial) | in(d::serial_loop);
constexpr directive_set computes = parallels | kernels | serials;
constexpr directive_set loops = in(d::loop) | in(d::parallel_loop) | in(d::kernels_loop) | in(d::serial_loop);
constexpr directive_set regions = computes | in(d::data);
constexpr directive_set declares = in(d::declare);
constexpr directive_set enters = in(d::enter_data);
constexpr directive_set exits = in(d::exit_data);
constexpr directive_set updates = in(d::update);
constexpr directive_set devices = in(d::init) | in(d::shutdown) | in(d::set);
constexpr directive_set routines = in(d::routine);

constexpr std::array rules_of_clauses{
    clause_rule{c::if_, "if", f::expression,
                regions | enters | exits | in(d::host_data) | updates | in(d::wait) | devices, false},
    clause_rule{c::self, "self", f::optional_expression, computes, false},
    clause_rule{c::async, "async", f::optional_expression,
                regions | enters | exits | updates | in(d::wait) | in(d::mpi), false},
    clause_rule{c::wait, "wait", f::wait, regions | enters | exits | updates, true},
    clause_rule{c::device_type, "device_type", f::names, regions | loops | updates | routines | devices, true},
    clause_rule{c::device_type, "dtype", f::names, regions | loops | updates | routines | devices, true},
    clause_rule{c::default_, "default", f::default_value, regions, false},

    clause_rule{c::copy, "copy", f::variables, regions | declares, true},
    clause_rule{c::copy, "pcopy", f::variables, regions | declares, true},
    clause_rule{c::copy, "present_or_copy", f::variables, regions | declares, true},
    clause_rule{c::copyin, "copyin", f::modified_variables, regions | declares | enters, true},
    clause_rule{c::copyin, "pcopyin", f::modified_variables, regions | declares | enters, true},
    clause_rule{c::copyin, "present_or_copyin", f::modified_variables, regions | declares | enters, true},
    clause_rule{c::copyout, "copyout", f::modified_variables, regions | declares | exits, true},
    clause_rule{c::copyout, "pcopyout", f::modified_variables, regions | declares | exits, true},
    clause_rule{c::copyout, "present_or_copyout", f::modified_variables, regions | declares | exits, true},
    clause_rule{c::create, "create", f::modified_variables, regions | declares | enters, true},
    clause_rule{c::create, "pcreate", f::modified_variables, regions | declares | enters, true},
    clause_rule{c::create, "present_or_create", f::modified_variables, regions | declares | enters, true},
    clause_rule{c::no_create, "no_create", f::variables, regions, true},
    clause_rule{c::present, "present", f::variables, regions | declares, true},
    clause_rule{c::deviceptr, "deviceptr", f::variables, regions | declares, true},
    clause_rule{c::attach, "attach", f::variables, regions | enters, true},
    clause_rule{c::detach, "detach", f::variables, exits, true},
    clause_rule{c::delete_, "delete", f::variables, exits, true},
    clause_rule{c::finalize, "finalize", f::none, exits, false},
    clause_rule{c::use_device, "use_device", f::variables, in(d::host_data), true},
    clause_rule{c::if_present, "if_present", f::none, in(d::host_data) | updates, false},
    clause_rule{c::device_resident, "device_resident", f::variables, declares, true},
    clause_rule{c::link, "link", f::variables, declares, true},
    clause_rule{c::update_host, "self", f::variables, updates, true},
    clause_rule{c::update_host, "host", f::variables, updates, true},
    clause_rule{c::update_device, "device", f::variables, updates, true},

    clause_rule{c::private_, "private", f::variables, parallels | serials | loops, true},
    clause_rule{c::firstprivate, "firstprivate", f::variables, parallels | serials, true},
    clause_rule{c::reduction, "reduction", f::reduction, parallels | serials | loops, true},
    clause_rule{c::num_gangs, "num_gangs", f::expressions, parallels | kernels, false},
    clause_rule{c::num_workers, "num_workers", f::expression, parallels | kernels, false},
    clause_rule{c::vector_length, "vector_length", f::expression, parallels | kernels, false},

    clause_rule{c::gang, "gang", f::gang, loops | routines, false},
    clause_rule{c::worker, "worker", f::worker, loops | routines, false},
    clause_rule{c::vector, "vector", f::vector, loops | routines, false},
    clause_rule{c::seq, "seq", f::none, loops | routines, false},
    clause_rule{c::auto_, "auto", f::none, loops, false},
    clause_rule{c::independent, "independent", f::none, loops, false},
    clause_rule{c::collapse, "collapse", f::collapse, loops, false},
    clause_rule{c::tile, "tile", f::tile, loops, false},

    clause_rule{c::read, "read", f::none, in(d::atomic), false},
    clause_rule{c::write, "write", f::none, in(d::atomic), false},
    clause_rule{c::update_atomic, "update", f::none, in(d::atomic), false},
    clause_rule{c::capture, "capture", f::none, in(d::atomic), false},
    clause_rule{c::bind, "bind", f::function, routines, false},
    clause_rule{c::nohost, "nohost", f::none, routines, false},
    clause_rule{c::device_num, "device_num", f::expression, devices, false},
    clause_rule{c::default_async, "default_async", f::expression, in(d::set), false},
    clause_rule{c::sendbuf, "sendbuf", f::buffer, in(d::mpi), false},
    clause_rule{c::recvbuf, "recvbuf", f::buffer, in(d::mpi), false},
};

}  // namespace

std::span<const directive_rule> directive_rules() noexcept { return rules_of_directives; }
std::span<const clause_rule> clause_rules() noexcept { return rules_of_clauses; }

std::string_view name_of(directive_kind kind) noexcept {
  return std::ranges::find(rules_of_directives, kind, &directive_rule::kind)->name;
}

const clause_rule* find_rule(std::string_view name, directive_kind on) noexcept {
  const auto found = std::ranges::find_if(
      rules_of_clauses, [&](const clause_rule& one) { return one.name == name && (one.allowed & in(on)) != 0; });
  return found == rules_of_clauses.end() ? nullptr : &*found;
}

}  // namespace stretto::cc::acc
