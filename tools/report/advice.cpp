#include "report/advice.hpp"

#include <algorithm>

#include "report/by_name.hpp"
#include "report/replay.hpp"

namespace stretto::report {
namespace {

constexpr std::size_t most_names = 3;

bool moves(kind k) noexcept { return k == kind::copy || k == kind::message; }

// The names that take most time, of what a user can make faster.
std::vector<std::uint32_t> heaviest(const replay_graph& g) {
  std::vector<std::pair<nanoseconds, std::uint32_t>> time(g.families.size());
  for (std::uint32_t i = 0; i < time.size(); ++i) time[i].second = i;
  for (const operation& o : g.operations)
    if (!moves(o.kind)) time[o.family].first += o.length;
  std::erase_if(time, [](const auto& t) { return t.first == 0; });
  std::sort(time.rbegin(), time.rend());
  if (time.size() > most_names) time.resize(most_names);
  std::vector<std::uint32_t> found;
  for (const auto& t : time) found.push_back(t.second);
  return found;
}

nanoseconds end_of_part(const run& r, std::size_t operations) {
  nanoseconds end = 0;
  for (const record& one : r.records) {
    if (!is_work(one.kind)) continue;
    if (operations-- == 0) break;
    end = std::max(end, one.end);
  }
  return end;
}

}  // namespace

advice find_advice(const run& r, unsigned workers, nanoseconds overhead) {
  advice a;
  const replay_graph g = graph_of(r, workers, overhead);
  a.operations = g.operations.size();
  a.shortened = g.shortened;
  if (g.operations.empty()) return a;
  a.recorded = end_of_part(r, g.operations.size());
  a.replayed = replay(g);
  const auto attempt = [&](std::string change, const replay_graph& changed) {
    const nanoseconds time = replay(changed);
    const double gain = a.replayed == 0 ? 0 : 1 - static_cast<double>(time) / static_cast<double>(a.replayed);
    a.suggestions.push_back({std::move(change), time, gain});
  };
  replay_graph more = g;
  more.workers = 2 * g.workers;
  attempt(std::to_string(more.workers) + " workers instead of " + std::to_string(g.workers), more);
  if (std::any_of(g.operations.begin(), g.operations.end(), [](const operation& o) { return moves(o.kind); }))
    attempt("copies twice as fast", with_speed(g, 2, [](const operation& o) { return moves(o.kind); }));
  attempt("finer grain: long tasks cut in two", with_finer_grain(g));
  if (overhead > 0) attempt("coarser grain: two tasks in a row joined", with_coarser_grain(g, r));
  for (const std::uint32_t family : heaviest(g))
    attempt("\"" + g.families[family] + "\" twice as fast",
            with_speed(g, 2, [&](const operation& o) { return o.family == family && !moves(o.kind); }));
  std::stable_sort(a.suggestions.begin(), a.suggestions.end(), [](const auto& x, const auto& y) { return x.gain > y.gain; });
  return a;
}

}  // namespace stretto::report
