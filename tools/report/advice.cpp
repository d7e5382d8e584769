#include "report/advice.hpp"

#include <algorithm>
#include <functional>
#include <thread>

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

struct attempt {
  std::string change;
  std::function<nanoseconds()> replayed;
  nanoseconds time = 0;
};

// At most two at a time, for the memory that they take.
void replay_all(std::vector<attempt>& all) {
  const auto every_second = [&](std::size_t first) {
    for (std::size_t i = first; i < all.size(); i += 2) all[i].time = all[i].replayed();
  };
  if (std::thread::hardware_concurrency() < 2) {
    every_second(0);
    return every_second(1);
  }
  std::exception_ptr failure;
  std::thread beside([&] {
    try {
      every_second(1);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  try {
    every_second(0);
  } catch (...) {
    beside.join();
    throw;
  }
  beside.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

advice find_advice(const run& r) {
  advice a;
  const replay_graph g = graph_of(r);
  a.operations = g.operations.size();
  if (g.operations.empty()) return a;
  for (const record& one : r.records)
    if (is_work(one.kind)) a.recorded = std::max(a.recorded, one.end);

  const replayer again(g);
  std::vector<attempt> all{{"", [&] { return again.run(); }}};
  if (std::none_of(r.tracks.begin(), r.tracks.end(), is_rank_track)) {  // ranks are not cut, nor are there more
    all.push_back({"finer grain: long tasks cut in two", [&] { return replay(with_finer_grain(g)); }});
    all.push_back({std::to_string(2 * g.workers) + " workers instead of " + std::to_string(g.workers),
                   [&] { return again.run({.workers = 2 * g.workers}); }});
    all.push_back({"coarser grain: two tasks in a row joined", [&] { return replay(with_coarser_grain(g)); }});
  }
  const auto is_move = [](const operation& o) { return moves(o.kind); };
  if (std::any_of(g.operations.begin(), g.operations.end(), is_move))
    all.push_back({"copies twice as fast", [&] { return again.run({.speed = 2, .are_faster = is_move}); }});
  for (const std::uint32_t family : heaviest(g))
    all.push_back({"\"" + g.families[family] + "\" twice as fast", [&again, family] {
                     return again.run({.speed = 2, .are_faster = [family](const operation& o) {
                                         return o.family == family && !moves(o.kind);
                                       }});
                   }});
  replay_all(all);
  a.replayed = all[0].time;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double gain = a.replayed == 0 ? 0 : 1 - static_cast<double>(all[i].time) / static_cast<double>(a.replayed);
    a.suggestions.push_back({std::move(all[i].change), all[i].time, gain});
  }
  std::stable_sort(a.suggestions.begin(), a.suggestions.end(),
                   [](const suggestion& x, const suggestion& y) { return x.gain > y.gain; });
  return a;
}

}  // namespace stretto::report
