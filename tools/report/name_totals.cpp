#include "report/name_totals.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace stretto::report {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Totals under the name that `name_of(label)` says.
template <class F>
std::vector<name_total> totals(const run& r, F&& name_of) {
  std::map<std::pair<kind, std::string>, std::uint32_t> rows;
  std::vector<name_total> all;
  std::vector<std::uint32_t> row_of(r.labels.size());
  for (std::size_t i = 0; i < r.labels.size(); ++i) {
    const label& l = r.labels[i];
    const auto [row, is_new] = rows.try_emplace({l.kind, name_of(l)}, static_cast<std::uint32_t>(all.size()));
    if (is_new) all.push_back({l.kind, row->first.second, l.at});
    row_of[i] = row->second;
  }
  for (const record& one : r.records) {
    name_total& t = all[row_of[one.label]];
    const nanoseconds time = is_work(one.kind) ? one.self : one.length();
    t.shortest = t.count == 0 ? time : std::min(t.shortest, time);
    t.longest = std::max(t.longest, time);
    ++t.count;
    t.total += time;
    t.bytes += one.amount;
  }
  std::erase_if(all, [](const name_total& t) { return t.count == 0; });
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
  return all;
}

}  // namespace

std::string family_of(std::string_view name) {
  std::string family;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (!is_digit(name[i])) family += name[i];
    else if (i == 0 || !is_digit(name[i - 1])) family += '#';
  return family;
}

std::vector<name_total> totals_by_name(const run& r) {
  return totals(r, [](const label& l) { return l.name; });
}
std::vector<name_total> totals_by_family(const run& r) {
  return totals(r, [](const label& l) { return family_of(l.name); });
}
std::vector<name_total> totals_by_kind(const run& r) {
  return totals(r, [](const label& l) { return std::string(name(l.kind)); });
}

std::vector<module_total> totals_by_module(const run& r) {
  std::vector<module_total> sums(r.modules.size() * kind_count);
  for (const record& one : r.records) {
    if (!is_work(one.kind)) continue;
    module_total& t = sums[one.module * kind_count + static_cast<unsigned>(one.kind)];
    t.module = one.module == 0 ? "core" : r.modules[one.module];
    t.kind = one.kind;
    ++t.count;
    t.bytes += one.amount;
    t.time += one.self;
  }
  std::erase_if(sums, [](const module_total& t) { return t.count == 0; });
  std::stable_sort(sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  return sums;
}

std::vector<copy_total> copies_by_cause(const run& r) {
  std::map<std::tuple<std::uint32_t, std::uint16_t, std::uint16_t>, copy_total> found;
  for (const record& one : r.records) {
    if (one.kind != kind::copy && one.kind != kind::fill && one.kind != kind::reduce) continue;
    copy_total& t = found[{one.label, one.from, one.place}];
    ++t.count;
    t.bytes += one.amount;
    t.time += one.self;
  }
  const auto place = [&](std::uint16_t p) { return p == no_place ? std::string() : r.places[p]; };
  std::vector<copy_total> all;
  for (auto& [key, t] : found) {
    const auto [label, from, to] = key;
    t.name = r.labels[label].name;
    t.at = r.labels[label].at;
    t.from = place(from);
    t.to = place(to);
    all.push_back(std::move(t));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  return all;
}

}  // namespace stretto::report
