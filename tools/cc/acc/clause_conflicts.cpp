#include "cc/acc/clause_conflicts.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <stretto/error.hpp>
#include <string>
#include <string_view>

#include "cc/acc/directive_rules.hpp"

namespace stretto::cc::acc {
namespace {

using c = clause_kind;

[[noreturn]] void refuse(const directive& d, std::string sentence, std::string because, std::string remedy) {
  throw error("O04", std::move(sentence))
      .fact("at", fmt::format("{}:{}", d.where.file, d.where.line))
      .because(std::move(because))
      .remedy(std::move(remedy));
}

bool sets_device(directive_kind kind) {
  return kind == directive_kind::init || kind == directive_kind::shutdown || kind == directive_kind::set;
}

/// The clauses up to the next device_type: they hold for the same devices.
using clause_span = std::span<const clause>;

const clause* find(clause_span all, c kind) {
  const auto found = std::ranges::find(all, kind, &clause::kind);
  return found == all.end() ? nullptr : &*found;
}

void check_repetition(const directive& d, clause_span all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const clause_rule* const rule = find_rule(all[i].spelling, d.kind);
    if (!rule || rule->is_repeatable || find(all.first(i), all[i].kind) == nullptr) continue;
    refuse(d, fmt::format("the clause \"{}\" comes twice on \"{}\"", all[i].spelling, name_of(d.kind)),
           "a directive may have one of them for each type of device", "keep one of them");
  }
}

void check_exclusion(const directive& d, clause_span all) {
  static constexpr std::array pairs{std::pair{c::seq, c::gang},        std::pair{c::seq, c::worker},
                                    std::pair{c::seq, c::vector},      std::pair{c::seq, c::auto_},
                                    std::pair{c::seq, c::independent}, std::pair{c::auto_, c::independent}};
  for (const auto& [one, other] : pairs) {
    const clause* const a = find(all, one);
    const clause* const b = find(all, other);
    if (!a || !b) continue;
    refuse(d, fmt::format("the clauses \"{}\" and \"{}\" exclude each other", a->spelling, b->spelling),
           a->kind == c::seq ? "a loop with seq runs in one thread"
                             : "auto lets the translator decide what independent states",
           "keep one of them");
  }
}

/// On a loop, a compute construct, an update or a routine: what the source sets for one type of device.
bool may_follow_device_type(c kind) {
  switch (kind) {
    case c::async:
    case c::wait:
    case c::num_gangs:
    case c::num_workers:
    case c::vector_length:
    case c::gang:
    case c::worker:
    case c::vector:
    case c::seq:
    case c::auto_:
    case c::independent:
    case c::collapse:
    case c::tile:
    case c::bind: return true;
    default: return false;
  }
}

void check_order(const directive& d, clause_span behind) {
  for (const clause& one : behind) {
    if (may_follow_device_type(one.kind)) continue;
    refuse(d, fmt::format("the clause \"{}\" cannot follow device_type", one.spelling),
           "clauses behind device_type hold for devices of that type, and this one holds for all",
           "move it ahead of device_type");
  }
}

struct need {
  directive_kind of;
  std::string_view names;
  std::array<c, 11> any;
  std::size_t count;
};

constexpr std::array needs{
    need{directive_kind::data,
         "copy, copyin, copyout, create, no_create, present, deviceptr, attach and default",
         {c::copy, c::copyin, c::copyout, c::create, c::no_create, c::present, c::deviceptr, c::attach, c::default_},
         9},
    need{directive_kind::enter_data, "copyin, create and attach", {c::copyin, c::create, c::attach}, 3},
    need{directive_kind::exit_data, "copyout, delete and detach", {c::copyout, c::delete_, c::detach}, 3},
    need{directive_kind::host_data, "use_device", {c::use_device}, 1},
    need{directive_kind::update, "self, host and device", {c::update_host, c::update_device}, 2},
    need{directive_kind::declare,
         "copy, copyin, copyout, create, present, deviceptr, device_resident and link",
         {c::copy, c::copyin, c::copyout, c::create, c::present, c::deviceptr, c::device_resident, c::link},
         8},
    need{directive_kind::routine, "gang, worker, vector and seq", {c::gang, c::worker, c::vector, c::seq}, 4},
    need{directive_kind::set,
         "default_async, device_num and device_type",
         {c::default_async, c::device_num, c::device_type},
         3},
};

void check_needs(const directive& d) {
  for (const need& one : needs) {
    if (one.of != d.kind) continue;
    const std::span any(one.any.data(), one.count);
    if (std::ranges::any_of(any, [&](c kind) { return d.find(kind) != nullptr; })) return;
    refuse(d, fmt::format("the directive \"{}\" lacks a clause", name_of(d.kind)),
           fmt::format("it needs one of {}", one.names), "add one of them, or remove the directive");
  }
}

}  // namespace

void check_conflicts(const directive& d) {
  clause_span rest = d.clauses;
  for (bool is_behind = false; !rest.empty() || !is_behind; is_behind = true) {
    const auto next = std::ranges::find(rest, c::device_type, &clause::kind);
    const clause_span same = rest.first(static_cast<std::size_t>(next - rest.begin()));
    check_repetition(d, same);
    check_exclusion(d, same);
    if (is_behind && !sets_device(d.kind)) check_order(d, same);
    rest = next == rest.end() ? clause_span{} : rest.subspan(same.size() + 1);
  }
  check_needs(d);
}

}  // namespace stretto::cc::acc
