#include "graphs/buffer_programs.hpp"

#include <algorithm>
#include <memory>

namespace bench {
namespace {

using namespace stretto;
using graph::initial_data, graph::mapping, graph::mode;

template <class... Access>
graph::task launch(const box& range, Access&&... uses) {
  graph::task t;
  t.range = range;
  t.accesses.reserve(sizeof...(uses));
  (t.accesses.push_back(std::move(uses)), ...);
  return t;
}
graph::access use(graph::buffer_id b, mode how, mapping where) { return {b, how, std::move(where)}; }

/// A repeated launch: the runtime knows it by the number of its shape, too.
graph::task again(std::uint64_t shape, graph::task t) {
  t.shape = shape;
  return t;
}

graph::buffer written(const box& elements) {
  return {.elements = elements, .initial = initial_data::replicated, .name = {}};
}
graph::buffer fresh(const box& elements) { return {.elements = elements, .initial = initial_data::none, .name = {}}; }

graph_program many_boxes(long repeats, const box& all, std::function<box(long)> of_task) {
  graph_program p{{fresh(all)}, repeats * many + 1, {}};
  p.task = [=](long n) {
    const box range = n == 0 ? all : of_task((n - 1) % many);
    return launch(range, use({0}, n == 0 ? mode::write : mode::read_write, mapping::one_to_one(all)));
  };
  return p;
}

graph_program tree(long nodes, bool expands) {
  constexpr long breadth = 16;
  const box all({0, 0}, {nodes, breadth});
  std::vector<box> parts;  // columns, by task
  for (long step = 1; step <= breadth; step *= 2) {
    const long columns = expands ? breadth / step : step;
    for (long at = 0; at < breadth; at += columns) parts.push_back(box({0, at}, {nodes, at + columns}));
  }
  graph_program p{{written(all)}, static_cast<long>(parts.size()), {}};
  p.task = [=](long n) {
    const box& part = parts[static_cast<std::size_t>(n)];
    return launch(part, use({0}, mode::read, mapping::fixed(all, part)),
                  use({0}, mode::write, mapping::one_to_one(all)));
  };
  return p;
}

// Two buffers that change places at each step, the first time after the tasks that begin.
graph::buffer_id now(long step) { return {static_cast<std::uint32_t>(step % 2)}; }
graph::buffer_id next(long step) { return {static_cast<std::uint32_t>(1 - step % 2)}; }

}  // namespace

graph_program generative(int axes, long nodes) {
  const long width = std::max(2'048L, nodes);
  const auto rows = [=](long from, long to) {
    if (axes == 1) return box(from * width, to * width);
    if (axes == 2) return box({from, 0}, {to, width});
    return box({from, 0, 0}, {to, width / 4, 4});
  };
  const box all = rows(0, generative_steps);
  graph_program p{{fresh(all)}, generative_steps, {}};
  p.task = [=](long t) {
    return launch(rows(t, t + 1), use({0}, mode::read, mapping::fixed(all, rows(0, t))),
                  use({0}, mode::write, mapping::one_to_one(all)));
  };
  return p;
}

graph_program stencil(long steps) {
  const box all({0, 0}, {8'192, 8'192});
  graph_program p{{written(all), written(all)}, steps, {}};
  p.task = [=](long t) {
    auto made = launch(all, use(now(t), mode::read, mapping::star(all, {1, 1})),
                       use(next(t), mode::write, mapping::one_to_one(all)));
    made.how = graph::cut::in_tiles;
    return again(1 + std::uint64_t(t % 2), std::move(made));
  };
  return p;
}

graph_program bodies(long steps) {
  const box every(0, 65'536);
  graph_program p{{written(every), written(every)}, 2 * steps, {}};
  p.task = [=](long n) {
    const bool moves = n % 2;
    return again(1 + std::uint64_t(moves),
                 launch(every,
                        use({0}, moves ? mode::read_write : mode::read,
                            moves ? mapping::one_to_one(every) : mapping::all(every)),
                        use({1}, moves ? mode::read : mode::read_write, mapping::one_to_one(every))));
  };
  return p;
}

graph_program many_tasks(long repeats) {
  return many_boxes(repeats, box({0, 0}, {256, many}), [](long i) { return box({0, i}, {256, i + 1}); });
}
graph_program many_tasks_in_a_row(long repeats) {
  return many_boxes(repeats, box(0, 256 * many), [](long i) { return box(256 * i, 256 * (i + 1)); });
}

graph_program chain(long nodes) {
  const box all({0, 0}, {nodes, nodes});
  graph_program p{{written(all)}, 30, {}};
  p.task = [=](long) {
    return again(1, launch(all, use({0}, mode::read, mapping::transposed(all, {1, 0, 2})),
                           use({0}, mode::write, mapping::one_to_one(all))));
  };
  return p;
}

graph_program soup(long nodes) {
  const box all({0, 0}, {nodes, 100});
  graph_program p{{written(all)}, 100, {}};
  p.task = [=](long n) {
    return launch(box({0, n}, {nodes, n + 1}), use({0}, mode::read_write, mapping::one_to_one(all)));
  };
  return p;
}

graph_program expanding_tree(long nodes) { return tree(nodes, true); }
graph_program contracting_tree(long nodes) { return tree(nodes, false); }

graph_program wave() {
  const box all({0, 0}, {512, 512});
  graph_program p{{fresh(all), fresh(all)}, 203, {}};
  p.task = [=](long n) {
    if (n < 2) return launch(all, use(now(n), mode::write, mapping::one_to_one(all)));
    return again(1 + std::uint64_t(n % 2), launch(all, use(now(n), mode::read_write, mapping::one_to_one(all)),
                                                  use(next(n), mode::read, mapping::star(all, {1, 1}))));
  };
  return p;
}

graph_program jacobi() {
  const box rows(0, 1'024), all({0, 0}, {1'024, 1'024});
  graph_program p{{fresh(rows), fresh(rows), written(all), written(rows)}, 51, {}};
  p.task = [=](long n) {
    if (n == 0) return launch(rows, use({0}, mode::write, mapping::one_to_one(rows)));
    return again(1 + std::uint64_t(n % 2), launch(all, use({2}, mode::read, mapping::one_to_one(all)),
                                                  use({3}, mode::read, mapping::one_to_one(rows)),
                                                  use(next(n), mode::read, mapping::transposed(rows, {1, 0, 2})),
                                                  use(now(n), mode::write, mapping::one_to_one(rows))));
  };
  return p;
}

}  // namespace bench
