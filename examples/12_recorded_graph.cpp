// 12_recorded_graph.cpp - a repeated time step, recorded once and replayed as one graph.
//
// This program shows recorded graphs. It records two time steps, tasks and copies of halo cells, as one graph with a
// parameter, and replays the graph 500 times. A replay costs less than creating the same tasks again. It helps readers
// who know CUDA graphs, or whose time steps are short.
//
// Heat spreads along a rod that is cut into tiles. Each tile has two arrays, which steps read and write alternately,
// and each array has one cell of each neighbour at its ends.
//
// Output
//   recorded: 44 operations, 50 edges
//   1000 steps in 500 replays: the same as in a serial loop
//   warmest cell 2.1 at 240
//   states made: 1 for replays that are waited for, 2 for 500 more that are not
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

constexpr int tiles = 8, cells = 60, length = tiles * cells;

template <class Cells>
double next(const Cells& u, int i) {
  return u(i) + 0.25 * (u(i - 1) - 2 * u(i) + u(i + 1));
}

int main() {
  runtime rt;
  rt.run([&] {
    const place memory = rt.machine().memories().front();
    std::vector<instance<double>> u[2];
    for (auto& side : u)
      for (int t = 0; t < tiles; ++t) {
        side.push_back(instance<double>::create(at(memory), {t * cells - 1, (t + 1) * cells + 1}).made);
        wait(fill(side.back(), 0.0));
      }
    u[0][4].view()(length / 2) = 100;

    recorded_graph<double> two_steps(name("two steps"));  // the argument: heat added at the middle
    std::vector<recorded_operation> updated;
    for (int step = 0; step < 2; ++step) {
      const auto& from = u[step];
      const auto& to = u[1 - step];
      std::vector<std::vector<recorded_operation>> before(tiles);
      for (int t = 0; t < tiles; ++t) {
        if (step == 1) before[t].push_back(updated[t]);
        // A halo cell is what the neighbour has at the same coordinate.
        for (int other : {t - 1, t + 1}) {
          if (other < 0 || other >= tiles) continue;
          const int cell = other < t ? t * cells - 1 : (t + 1) * cells;
          recorded_tags tags;
          if (step == 1) tags.after = {&updated[other], 1};
          before[t].push_back(copy(two_steps, from[other], from[t], box{cell, cell + 1}, tags));
        }
      }
      std::vector<recorded_operation> now;
      for (int t = 0; t < tiles; ++t)
        now.push_back(two_steps.add(after(before[t]), name("update"), [=](double heat) {
          const auto old = from[t].view(), fresh = to[t].view();
          for (int i = t * cells; i < (t + 1) * cells; ++i) fresh(i) = next(old, i);
          if (t == tiles / 2) fresh(length / 2) += heat;
        }));
      updated = now;
    }
    const auto about = two_steps.statistics();
    std::printf("recorded: %zu operations, %zu edges\n", about.operations, about.edges);

    for (int replay = 0; replay < 500; ++replay) wait(two_steps.replay(0.01 * (replay % 3)));

    std::vector<double> serial(length + 2), other(length + 2);
    const auto at_cell = [](std::vector<double>& v) { return [&v](int i) -> double& { return v[i + 1]; }; };
    at_cell(serial)(length / 2) = 100;
    for (int step = 0; step < 1000; ++step) {
      for (int i = 0; i < length; ++i) at_cell(other)(i) = next(at_cell(serial), i);
      at_cell(other)(length / 2) += 0.01 * (step / 2 % 3);
      std::swap(serial, other);
    }
    bool same = true;
    for (int i = 0; i < length; ++i) same = same && u[0][i / cells].view()(i) == at_cell(serial)(i);
    const auto warmest = std::max_element(serial.begin(), serial.end());
    std::printf("1000 steps in 500 replays: %s a serial loop\n", same ? "the same as in" : "not as in");
    std::printf("warmest cell %.1f at %d\n", *warmest, static_cast<int>(warmest - serial.begin()) - 1);

    event last;
    const std::size_t states = two_steps.statistics().states;
    for (int pair = 0; pair < 250; ++pair) {
      two_steps.replay(0.0, after(last));
      last = two_steps.replay(0.0);  // in turn: after the one before
      wait(last);
    }
    std::printf("states made: %zu for replays that are waited for, %zu for 500 more that are not\n", states,
                two_steps.statistics().states);
  });
}
