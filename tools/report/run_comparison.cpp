#include "report/run_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

namespace stretto::report {

comparison compare(const run& before, const analysis& of_before, const run& after, const analysis& of_after) {
  comparison c{
      before.title, before.length, after.length, of_before.path.longest_chain, of_after.path.longest_chain, {}};
  std::map<std::pair<std::string, std::string>, compared> rows;
  const auto collect = [&](const analysis& a, nanoseconds compared::*time, std::uint64_t compared::*count) {
    const auto add = [&](std::string part, std::string text, nanoseconds t, std::uint64_t n) {
      compared& row = rows[{part, text}];
      row.part = std::move(part);
      row.name = std::move(text);
      row.*time += t;
      row.*count += n;
    };
    for (const name_total& t : a.names)
      if (is_work(t.kind)) add(name(t.kind), t.name, t.total, t.count);
    for (const idle_total& t : a.idle.totals)
      add("idle", t.what.empty() ? name(t.cause) : std::string(name(t.cause)) + ": " + t.what, t.time, t.count);
  };
  collect(of_before, &compared::before, &compared::count_before);
  collect(of_after, &compared::after, &compared::count_after);
  for (auto& [key, row] : rows) c.rows.push_back(std::move(row));
  const auto difference = [](const compared& r) { return std::llabs(r.after - r.before); };
  std::stable_sort(c.rows.begin(), c.rows.end(),
                   [&](const auto& a, const auto& b) { return difference(a) > difference(b); });
  return c;
}

nlohmann::ordered_json to_json(const comparison& c, std::size_t most_rows) {
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < std::min(c.rows.size(), most_rows); ++i) {
    const compared& r = c.rows[i];
    rows.push_back({{"part", r.part},
                    {"name", r.name},
                    {"before", r.before},
                    {"after", r.after},
                    {"count_before", r.count_before},
                    {"count_after", r.count_after}});
  }
  return {{"before_file", c.before_file},   {"before", c.before},           {"after", c.after},
          {"chain_before", c.chain_before}, {"chain_after", c.chain_after}, {"rows", std::move(rows)}};
}

std::string to_text(const comparison& c) {
  std::string text = fmt::format("\nbeside {}: {} before, {} after; longest chain {} before, {} after\n",
                                 plain_name(c.before_file, 200), time_text(c.before), time_text(c.after),
                                 time_text(c.chain_before), time_text(c.chain_after));
  for (std::size_t i = 0; i < std::min<std::size_t>(c.rows.size(), 8); ++i) {
    const compared& r = c.rows[i];
    const nanoseconds change = r.after - r.before;
    text += fmt::format("  {:>10}  {} to {}  {} {}\n", (change < 0 ? "-" : "+") + time_text(std::llabs(change)),
                        time_text(r.before), time_text(r.after), r.part, plain_name(r.name));
  }
  return text;
}

}  // namespace stretto::report
