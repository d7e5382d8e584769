#include "cc/acc/device_clauses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace stretto::cc::acc {
namespace {

using texts_by_kind = std::array<std::string, device_kinds.size()>;

bool names_kind(const std::string& name, device_kind kind) {
  switch (kind) {
    case device_kind::host: return name == "host" || name == "multicore";
    case device_kind::opencl: return name == "opencl";
    case device_kind::nvidia: return name == "nvidia";
  }
  return false;
}

bool names_kind(const clause& types, device_kind kind) {
  return std::ranges::any_of(types.names, [kind](const std::string& name) { return names_kind(name, kind); });
}

bool names_others(const clause& types) { return std::ranges::find(types.names, "*") != types.names.end(); }

bool is_level(clause_kind kind) {
  return kind == clause_kind::gang || kind == clause_kind::worker || kind == clause_kind::vector;
}
bool is_way_of_loop(clause_kind kind) {
  return is_level(kind) || kind == clause_kind::seq || kind == clause_kind::auto_ || kind == clause_kind::independent;
}

/// Whether the clauses for one kind of devices replace a common clause: one of the same name, or one that excludes it.
bool is_replaced(clause_kind common, const directive& own) {
  if (own.find(common)) return true;
  if (own.find(clause_kind::seq)) return is_way_of_loop(common);
  const bool has_other_way = std::ranges::any_of(own.clauses, [](const clause& c) { return is_way_of_loop(c.kind); });
  if (common == clause_kind::seq) return has_other_way;
  return (common == clause_kind::auto_ && own.find(clause_kind::independent)) ||
         (common == clause_kind::independent && own.find(clause_kind::auto_));
}

bool is_same_text(const texts_by_kind& texts) {
  return std::ranges::all_of(texts, [&](const std::string& one) { return one == texts[0]; });
}

texts_by_kind texts_of(const directive& d, const std::function<std::string(const directive&)>& of) {
  texts_by_kind texts;
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = of(directive_for(d, device_kinds[i]));
  return texts;
}

// acc_device_host and acc_device_nvidia.
constexpr std::string_view is_host = "stretto_acc_device_type() == 2", is_nvidia = "stretto_acc_device_type() == 5";

}  // namespace

directive directive_for(const directive& d, device_kind kind) {
  const bool names_device =
      d.kind == directive_kind::init || d.kind == directive_kind::shutdown || d.kind == directive_kind::set;
  if (names_device || !d.find(clause_kind::device_type)) return d;
  const bool is_named = std::ranges::any_of(
      d.clauses, [kind](const clause& one) { return one.kind == clause_kind::device_type && names_kind(one, kind); });
  directive result{d.kind, d.where, {}};
  std::vector<clause> common;
  const clause* types = nullptr;
  for (const clause& one : d.clauses) {
    if (one.kind == clause_kind::device_type) types = &one;
    else if (!types) common.push_back(one);
    else if (is_named ? names_kind(*types, kind) : names_others(*types)) result.clauses.push_back(one);
  }
  std::erase_if(common, [&](const clause& one) { return is_replaced(one.kind, result); });
  result.clauses.insert(result.clauses.begin(), common.begin(), common.end());
  return result;
}

bool depends_on_device(const placed_directive& one) {
  return one.what.find(clause_kind::device_type) || std::ranges::any_of(one.inside, depends_on_device);
}

std::string choice_by_device(const texts_by_kind& texts) {
  if (is_same_text(texts)) return texts[0];
  return fmt::format("({} ? {} : {} ? {} : {})", is_host, texts[0], is_nvidia, texts[2], texts[1]);
}

std::string choice_by_device(const directive& d, const std::function<std::string(const directive&)>& of) {
  return choice_by_device(texts_of(d, of));
}

std::string branches_by_device(const directive& d, const std::function<std::string(const directive&)>& of) {
  const texts_by_kind texts = texts_of(d, of);
  if (is_same_text(texts)) return texts[0];
  return fmt::format("if ({}) {{ {}}} else if ({}) {{ {}}} else {{ {}}} ", is_host, texts[0], is_nvidia, texts[2],
                     texts[1]);
}

}  // namespace stretto::cc::acc
