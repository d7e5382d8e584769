#include "graph/task_graph.hpp"

namespace stretto::graph {

buffer_id task_graph::add(const buffer& b) { return fronts_.add(access_fronts(b.elements, tasks_)); }

ordered_task task_graph::add(const task& t) {
  ordered_task made{{tasks_.next()}, {}};
  const std::vector<used_boxes>& used = used_.find(t.shape, [&](std::vector<used_boxes>& made) {
    if (made.size() < t.accesses.size()) made.resize(t.accesses.size());
    for (std::size_t i = 0; i < t.accesses.size(); ++i) {
      made[i].clear();
      t.accesses[i].where.used_by(t.range, t.range, made[i]);
    }
  });
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < t.accesses.size(); ++i)
      for (const box& b : used[i]) f(fronts_.at(t.accesses[i].buffer), t.accesses[i].how, b);
    for (const reduction& r : t.reductions) {
      access_fronts& all = fronts_.at(r.buffer);
      f(all, mode::write, all.elements());
    }
  };
  each([&](access_fronts& f, mode how, const box& b) {
    writes(how) ? f.before_writing(b, made.follows) : f.before_reading(b, made.follows);
  });
  effects_.before(t, tasks_, made.follows);
  tasks_.append(made.follows);
  effects_.add(t, tasks_, made.id.number);
  each([&](access_fronts& f, mode how, const box& b) {
    if (!writes(how)) f.read(b, made.id.number, made.follows);
  });
  each([&](access_fronts& f, mode how, const box& b) {
    if (writes(how)) f.write(b, made.id.number);
  });
  return made;
}

std::optional<ordered_task> task_graph::add_horizon() {
  std::optional<ordered_task> made;
  if (!policy_.is_due(tasks_.grown(), tasks_.front())) return made;
  made.emplace().id = {tasks_.next()};
  tasks_.append_horizon(made->follows);
  ++horizons_;
  return made;
}

ordered_task task_graph::add_epoch() {
  ordered_task made{{tasks_.next()}, {}};
  tasks_.append_epoch(made.follows);
  return made;
}

}  // namespace stretto::graph
