#include "mobile/rounds.hpp"

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

struct order {
  std::uint64_t object;
  std::uint32_t to;
};
struct taken {
  std::uint64_t moves = 0, moved = 0;
  double seconds = 0;
};

namespace {

mobile_objects& objects_here() { return *base::require_current("balance").runtime->get<mobile_objects>(base::floor_slot::mobile); }

void measure_here() { objects_here().measure(); }

node_row loads_here(std::uint64_t first, std::uint64_t count) {
  objects_here().measure();
  return objects_here().loads(first, count);
}

/// Waits for its moves; returns how many were done.
std::uint64_t move_from_here(const std::vector<order>& all) {
  std::vector<future<void>> moves;
  for (const order& o : all) moves.push_back(migrate(detail::mobile_access::named<void>(o.object), at_node(o.to)));
  std::uint64_t done = 0;
  for (const auto& m : moves) {
    try {
      m.get();
      ++done;
    } catch (...) {  // it stays, or is no more
    }
  }
  return done;
}

node_row windows_here() {
  objects_here().measure();
  return objects_here().loads_in_windows(mobile_objects::then::go_on);
}

/// What became of it; nothing if it failed.
template <class T>
std::optional<T> value_of(const future<T>& f) {
  try {
    return f.get();
  } catch (...) {
    return {};
  }
}

}  // namespace

load_table table_of(const std::vector<node_row>& rows, std::uint64_t first) {
  load_table t;
  for (const node_row& row : rows) {
    for (const node_row::object& o : row.objects)
      t.objects.push_back({o.id - first, static_cast<std::uint32_t>(t.nodes.size()), o.seconds, o.hint, o.bytes, o.device_seconds});
    t.nodes.push_back({row.speed, row.background, row.devices, row.device_background});
  }
  std::ranges::stable_sort(t.objects, std::less<>(), &load_table::object::id);
  // One that moved meanwhile may have been at two nodes, or at none.
  const auto twice = std::ranges::unique(t.objects, std::equal_to<>(), &load_table::object::id);
  t.objects.erase(twice.begin(), twice.end());
  return t;
}

namespace {

/// A task of the thief's.
taken steal_here(std::uint32_t one, std::uint32_t two) {
  const std::uint32_t self = this_node();
  std::vector<node_row> rows{objects_here().loads_in_windows(mobile_objects::then::begin_next)};
  taken t;
  double device_seconds = 0;
  for (const auto& o : rows[0].objects) t.seconds += o.seconds, device_seconds += o.device_seconds;
  const double half = 0.5 * rows[0].window;
  if (t.seconds > half * rows[0].speed || device_seconds > half * std::max(rows[0].devices, 1.0)) return t;
  t.seconds += device_seconds;
  std::vector<std::uint32_t> others{one};
  if (two != one) others.push_back(two);
  std::vector<future<node_row>> asked;
  for (const std::uint32_t n : others) asked.push_back(async(at_node(n), call<&windows_here>()));
  for (const auto& row : asked) rows.push_back(value_of(row).value_or(node_row()));
  const load_table table = table_of(rows, 0);
  std::vector<std::vector<order>> orders(rows.size());
  for (const object_move& m : balancers::stealing{}(table))
    if (m.to == 0) orders[table.objects[m.object].node].push_back({table.objects[m.object].id, self});  // others ask for themselves
  for (std::size_t i = 1; i < orders.size(); ++i) {
    if (orders[i].empty()) continue;
    t.moves += orders[i].size();
    t.moved += value_of(async(at_node(others[i - 1]), call<&move_from_here>(orders[i]))).value_or(0);
  }
  return t;
}

}  // namespace

future<balance_report> let_steal(std::uint64_t seed) {
  const auto where = std::source_location::current();
  const std::uint32_t nodes = job_nodes();
  std::mt19937_64 random(seed);
  std::vector<future<taken>> asked;
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

/// Tells how much load there was.
future<void> look_at(future<balance_report> round, std::function<void(double)> then) {
  try {
    co_await detail::event_awaiter(static_cast<dependency>(round), std::source_location::current());
  } catch (...) {  // the job has ended meanwhile: there is nobody to tell
  }
  const auto report = value_of(round);
  then(report ? report->seconds : 0);
}

}  // namespace

void begin_round(policy p, std::uint64_t draw, std::function<void(double)> over) {
  look_at(p == policy::stealing ? let_steal(draw) : balance(balancer_of(p)), std::move(over));
}

}  // namespace mobiles

namespace detail {

using namespace mobiles;

future<balance_report> balance_objects(object_range which, balancer by, const std::source_location& called) {
  const std::source_location where = called;
  const std::uint32_t nodes = job_nodes();
  std::vector<future<node_row>> asked;
  for (std::uint32_t n = 0; n < nodes; ++n) asked.push_back(async(at_node(n), call<&loads_here>(which.first, which.count), where));
  balance_report report;
  std::vector<node_row> rows;
  for (const auto& row : asked) {
    try {
      co_await event_awaiter(static_cast<dependency>(row), where);
    } catch (...) {
    }
    rows.push_back(value_of(row).value_or(node_row()));
    report.silent += rows.back().speed == 0;
  }
  const load_table table = table_of(rows, which.first);
  rows.clear();
  const object_moves moves = by(table);
  report.objects = table.objects.size();
  report.before = imbalance(table);
  report.after = imbalance(moved(table, moves));
  for (const auto& o : table.objects) report.seconds += o.seconds + o.device_seconds;

  std::vector<std::vector<order>> orders(nodes);
  for (const object_move& m : moves) {
    const load_table::object& o = table.objects[m.object];
    if (o.node == m.to) continue;
    orders[o.node].push_back({o.id + which.first, m.to});
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
  for (std::uint32_t n = 0; n < job_nodes(); ++n) asked.push_back(async(at_node(n), call<&mobiles::measure_here>(), where));
  for (const auto& done : asked) {
    try {
      co_await detail::event_awaiter(static_cast<dependency>(done), where);
    } catch (...) {  // it is lost, and measures nothing
    }
  }
}

}  // namespace stretto
