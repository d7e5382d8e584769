#include "mobile/balancing_rounds.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <utility>

#include <stretto/coroutine.hpp>
#include <stretto/job.hpp>

#include "mobile/mobile_objects.hpp"
#include "sched/task_execution.hpp"

namespace stretto {

namespace mobiles {

struct migration_order {
  object_id object;
  std::uint32_t to;
};
struct steal_result {
  std::uint64_t moves = 0, moved = 0;
  double seconds = 0;
};

namespace {

mobile_objects& objects_here() {
  return *base::require_current("balance").runtime->get<mobile_objects>(base::floor_slot::mobile);
}

void measure_here() { objects_here().measure(); }

load_report loads_here(object_id first, std::uint64_t count) {
  objects_here().measure();
  return objects_here().load_report_of(first, count);
}

/// Waits for these migrations; returns how many succeeded.
std::uint64_t move_from_here(const std::vector<migration_order>& all) {
  std::vector<future<void>> moves;
  for (const migration_order& o : all)
    moves.push_back(migrate(detail::mobile_access::named<void>(base::value_of(o.object)), at_node(o.to)));
  std::uint64_t done = 0;
  for (const auto& m : moves) {
    try {
      m.get();
      ++done;
    } catch (...) {  // the object stays, or does not exist any more
    }
  }
  return done;
}

load_report windows_here() {
  objects_here().measure();
  return objects_here().windowed_load_report(load_measurement::window_step::continue_window);
}

/// The value; nothing if the task failed.
template <class T>
std::optional<T> value_of(const future<T>& f) {
  try {
    return f.get();
  } catch (...) {
    return {};
  }
}

}  // namespace

load_table load_table_of(const std::vector<load_report>& rows, object_id first) {
  load_table t;
  for (const load_report& row : rows) {
    for (const load_report::object& o : row.objects)
      t.objects.push_back({index_of(o.id, first), static_cast<std::uint32_t>(t.nodes.size()), o.seconds, o.hint,
                           o.bytes, o.device_seconds});
    t.nodes.push_back({row.speed, row.background, row.devices, row.device_background});
  }
  std::ranges::stable_sort(t.objects, std::less<>(), &load_table::object::id);
  // An object that moved meanwhile may have been reported by two nodes, or by none.
  const auto twice = std::ranges::unique(t.objects, std::equal_to<>(), &load_table::object::id);
  t.objects.erase(twice.begin(), twice.end());
  return t;
}

namespace {

/// Runs on a node that may steal: if it has little load, takes objects from one of two other nodes.
steal_result steal_here(std::uint32_t one, std::uint32_t two) {
  const std::uint32_t self = this_node();
  std::vector<load_report> rows{objects_here().windowed_load_report(load_measurement::window_step::begin_next)};
  steal_result t;
  double device_seconds = 0;
  for (const auto& o : rows[0].objects) t.seconds += o.seconds, device_seconds += o.device_seconds;
  const double half = 0.5 * rows[0].window;
  if (t.seconds > half * rows[0].speed || device_seconds > half * std::max(rows[0].devices, 1.0)) return t;
  t.seconds += device_seconds;
  std::vector<std::uint32_t> others{one};
  if (two != one) others.push_back(two);
  std::vector<future<load_report>> asked;
  for (const std::uint32_t n : others) asked.push_back(async(at_node(n), call<&windows_here>()));
  for (const auto& row : asked) rows.push_back(value_of(row).value_or(load_report()));
  const load_table table = load_table_of(rows, {});
  std::vector<std::vector<migration_order>> orders(rows.size());
  for (const object_move& m : balancers::stealing{}(table))
    // other nodes steal for themselves
    if (m.to == 0) orders[table.objects[m.object].node].push_back({object_id{table.objects[m.object].id}, self});
  for (std::size_t i = 1; i < orders.size(); ++i) {
    if (orders[i].empty()) continue;
    t.moves += orders[i].size();
    t.moved += value_of(async(at_node(others[i - 1]), call<&move_from_here>(orders[i]))).value_or(0);
  }
  return t;
}

}  // namespace

future<balance_report> run_stealing_round(std::uint64_t seed) {
  const auto where = std::source_location::current();
  const std::uint32_t nodes = job_nodes();
  std::mt19937_64 random(seed);
  std::vector<future<steal_result>> asked;
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const auto other = [&] { return static_cast<std::uint32_t>((n + 1 + random() % (nodes - 1)) % nodes); };
    const std::uint32_t one = other();
    asked.push_back(async(at_node(n), call<&steal_here>(one, other()), where));
  }
  balance_report report;
  for (const auto& row : asked) {
    try {
      co_await detail::event_awaiter(static_cast<dependency>(row), where);
    } catch (...) {
    }
    const auto t = value_of(row);
    report.silent += !t;
    if (!t) continue;
    report.moves += t->moves;
    report.moved += t->moved;
    report.seconds += t->seconds;
  }
  co_return report;
}

namespace {

balancer balancer_of(policy p) {
  switch (p) {
    case policy::greedy: return balancers::greedy{};
    case policy::refine: return balancers::refine{};
    case policy::diffusion: return balancers::diffusion{};
    default: return balancers::none{};
  }
}

/// Calls `then` with the load that the round measured; with 0 if the round failed.
future<void> report_load_when_done(future<balance_report> round, std::function<void(double)> then) {
  try {
    co_await detail::event_awaiter(static_cast<dependency>(round), std::source_location::current());
  } catch (...) {  // the job has ended meanwhile
  }
  const auto report = value_of(round);
  then(report ? report->seconds : 0);
}

}  // namespace

void begin_round(policy p, std::uint64_t draw, std::function<void(double)> on_done) {
  report_load_when_done(p == policy::stealing ? run_stealing_round(draw) : balance(balancer_of(p)), std::move(on_done));
}

}  // namespace mobiles

namespace detail {

using namespace mobiles;

future<balance_report> balance_objects(object_range which, balancer by, const std::source_location& called) {
  const std::source_location where = called;
  const std::uint32_t nodes = job_nodes();
  std::vector<future<load_report>> asked;
  for (std::uint32_t n = 0; n < nodes; ++n)
    asked.push_back(async(at_node(n), call<&loads_here>(object_id{which.first}, which.count), where));
  balance_report report;
  std::vector<load_report> rows;
  for (const auto& row : asked) {
    try {
      co_await event_awaiter(static_cast<dependency>(row), where);
    } catch (...) {
    }
    rows.push_back(value_of(row).value_or(load_report()));
    report.silent += rows.back().speed == 0;
  }
  const load_table table = load_table_of(rows, object_id{which.first});
  rows.clear();
  const object_moves moves = by(table);
  report.objects = table.objects.size();
  report.before = imbalance(table);
  report.after = imbalance(moved(table, moves));
  for (const auto& o : table.objects) report.seconds += o.seconds + o.device_seconds;

  std::vector<std::vector<migration_order>> orders(nodes);
  for (const object_move& m : moves) {
    const load_table::object& o = table.objects[m.object];
    if (o.node == m.to) continue;
    orders[o.node].push_back({object_id{which.first + o.id}, m.to});
    ++report.moves;
  }
  std::vector<future<std::uint64_t>> moving;
  for (std::uint32_t n = 0; n < nodes; ++n)
    if (!orders[n].empty()) moving.push_back(async(at_node(n), call<&move_from_here>(orders[n]), where));
  for (const auto& done : moving) {
    try {
      co_await event_awaiter(static_cast<dependency>(done), where);
    } catch (...) {
    }
    report.moved += value_of(done).value_or(0);
  }
  co_return report;
}

}  // namespace detail

future<void> measure_loads(std::source_location where) {
  std::vector<future<void>> asked;
  for (std::uint32_t n = 0; n < job_nodes(); ++n)
    asked.push_back(async(at_node(n), call<&mobiles::measure_here>(), where));
  for (const auto& done : asked) {
    try {
      co_await detail::event_awaiter(static_cast<dependency>(done), where);
    } catch (...) {  // a failed node measures nothing
    }
  }
}

}  // namespace stretto
