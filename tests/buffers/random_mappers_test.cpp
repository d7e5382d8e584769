// Random programs in one and three axes, with every mapper, every kind of host task, and resized arrays, on up to seven
// nodes, compared with loops.
#include <stretto/buffer.hpp>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

STRETTO_KERNEL(fill_from, (out<unsigned> u, unsigned first), { u(global_id(0)) = (unsigned)global_id(0) * 7u + first; })
STRETTO_KERNEL(add_across, (in<unsigned> u, inout<unsigned> v, int by, int length), {
  int i = global_id(0);
  v(i) = v(i) * 3u + u((i + length - by) % length) + 5u * u((i + by) % length);
})
STRETTO_KERNEL(add_some, (in<unsigned> u, inout<unsigned> v, int first, int last), {
  unsigned s = 1u;
  for (int k = first; k < last; ++k) s = s * 5u + u(k);
  v(global_id(0)) = v(global_id(0)) * 3u + s;
})
STRETTO_KERNEL(add_share, (in<unsigned> u, inout<unsigned> v, int first, int items, int length), {
  int i = global_id(0) - first;
  unsigned s = 1u;
  for (int k = i * length / items; k < (i + 1) * length / items; ++k) s = s * 5u + u(k);
  v(global_id(0)) = v(global_id(0)) * 3u + s;
})
STRETTO_KERNEL(add_mirrored, (in<unsigned> u, inout<unsigned> v, int length), {
  int i = global_id(0);
  v(i) = v(i) * 3u + u(i) + 5u * u(length - 1 - i);
})
STRETTO_KERNEL(mix_in, (in<unsigned> u, reduce<bit_xor<unsigned>> to, int length),
               { to(global_id(0) % length) << u(global_id(0)) * 3u; })

STRETTO_KERNEL(fill_space, (out<double, 3> u, int seed), {
  u(global_id(0), global_id(1), global_id(2)) = (global_id(0) * 31 + global_id(1) * 7 + global_id(2) + seed) % 101;
})
/// Neighbouring elements at this distance along each axis, if they exist.
STRETTO_KERNEL(add_star, (in<double, 3> u, inout<double, 3> v, int n0, int n1, int n2), {
  int i = global_id(0);
  int j = global_id(1);
  int k = global_id(2);
  double s = u(i, j, k);
  if (i > 0) s += 2 * u(i - 1, j, k);
  if (j > 0) s += 3 * u(i, j - 1, k);
  if (k + 1 < n2) s += 5 * u(i, j, k + 1);
  s += v(i, j, k);
  v(i, j, k) = s - 1009 * floor(s / 1009);
})
STRETTO_KERNEL(add_corner, (in<double, 3> u, inout<double, 3> v, int n0, int n1, int n2), {
  int i = global_id(0);
  int j = global_id(1);
  int k = global_id(2);
  double s = v(i, j, k) + 2 * u((i + n0 - 1) % n0, j, (k + 1) % n2);
  v(i, j, k) = s - 1009 * floor(s / 1009);
})
STRETTO_KERNEL(add_column, (in<double, 3> u, inout<double, 3> v, int n1), {
  int i = global_id(0);
  int k = global_id(2);
  double s = v(i, global_id(1), k);
  for (int j = 0; j < n1; ++j) s += (j + 1) * u(i, j, k);
  v(i, global_id(1), k) = s - 1009 * floor(s / 1009);
})
STRETTO_KERNEL(add_turned_round, (in<double, 3> u, inout<double, 3> v), {
  double s = v(global_id(0), global_id(1), global_id(2)) + 2 * u(global_id(1), global_id(2), global_id(0));
  v(global_id(0), global_id(1), global_id(2)) = s - 1009 * floor(s / 1009);
})
STRETTO_KERNEL(add_ends, (in<double, 3> u, inout<double, 3> v, int n0), {
  int j = global_id(1);
  int k = global_id(2);
  double s = v(global_id(0), j, k) + u(0, j, k) + 2 * u(n0 - 1, j, k);
  v(global_id(0), j, k) = s - 1009 * floor(s / 1009);
})

std::size_t at(coordinate n) { return static_cast<std::size_t>(n); }

class any_program {
 public:
  explicit any_program(std::uint32_t seed) : random_(seed) {}

 protected:
  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  /// On devices or on the host, with any cut.
  template <class... Given>
  void go(const Given&... given) {
    switch (number(0, 4)) {
      case 0: launch(on(device_kind::host), given...); break;
      case 1: launch(in_tiles, given...); break;
      case 2: launch(in_pieces{2}, given...); break;
      default: launch(given...);
    }
  }

 private:
  std::mt19937 random_;
};

/// Rows of different lengths.
class program_of_lines : any_program {
 public:
  using any_program::any_program;

  void run() {
    for (int e = 0; e < 20; ++e) others_.emplace_back("other");
    for (int a = 0; a < 3; ++a) {
      const int n = number(1, 40);
      loops_.emplace_back(at(n));
      all_.emplace_back(box(0, n));
      fill(a, 0);
    }
    for (int s = number(5, 25); s > 0; --s) {
      step();
      if (number(0, 2) == 0) go_beside();
      if (number(0, 9) == 0) set_horizons({.step = static_cast<std::uint64_t>(number(0, 4))});
      if (number(0, 6) == 0) compare(number(0, 2));
    }
    for (int a = 0; a < 3; ++a) compare(a);
    // Entries of tasks on this node, without a lock: each once, in program order between tasks that affect the side
    // effect.
    if (beside_) wait(host_task(affects(effect_), on_each_node, [this] { CHECK(here_.size() >= on_all_); }));
    CHECK(std::ranges::is_sorted(here_));
  }

 private:
  /// A task that records its number, with a chunk or without; or one that reads the record.
  void go_beside() {
    const int n = ++beside_;
    const auto note_it = [this, n] { here_.push_back(n); };
    switch (number(0, 3)) {
      case 0: host_task(affects(effect_, others_[at(number(0, 19))]), on_each_node, note_it), ++on_all_; break;
      case 1:
        host_task(affects(effect_), stretto::uses(others_[at(number(0, 19))]), collective{}, note_it), ++on_all_;
        break;
      case 2: host_task(affects(effect_), in_pieces{2}, box(0, number(1, 9)), note_it); break;
      default:
        host_task(stretto::uses(effect_), on_each_node, [this, n, least = on_all_] {
          CHECK(here_.size() >= least);
          CHECK((here_.empty() || here_.back() < n));
        });
    }
  }

  side_effect effect_{"noted"};
  std::vector<side_effect> others_;  // more than effect_order keeps before it forgets some
  std::vector<int> here_;
  int beside_ = 0;
  std::size_t on_all_ = 0;

  using line = std::vector<unsigned>;

  void fill(int a, int from) {
    const int n = length(a), first = number(0, 1000);
    if (from >= n) return;
    go(fill_from, box(from, n), all_[at(a)](one_to_one), static_cast<unsigned>(first));
    for (int i = from; i < n; ++i) loops_[at(a)][at(i)] = static_cast<unsigned>(i * 7 + first);
  }
  int length(int a) const { return static_cast<int>(loops_[at(a)].size()); }

  void step() {
    const int a = number(0, 2), b = (a + number(1, 2)) % 3;
    const buffer<unsigned>&u = all_[at(a)], &v = all_[at(b)];
    const line from = loops_[at(a)];
    line& to = loops_[at(b)];
    const int m = length(a), n = length(b), most = std::min(m, n), first = number(0, most - 1),
              last = number(first + 1, most);
    const auto some = [&](int low, int high) {
      unsigned s = 1;
      for (int k = low; k < high; ++k) s = s * 5 + from[at(k)];
      return s;
    };
    const auto each = [&](const std::function<unsigned(int)>& adds) {
      for (int i = first; i < last; ++i) to[at(i)] = to[at(i)] * 3 + adds(i);
    };
    switch (number(0, 9)) {
      case 0: {
        const int by = number(0, std::min(m - 1, 4));
        go(add_across, box(first, last), u(wrapped(by)), v(one_to_one), by, m);
        each([&](int i) { return from[at((i + m - by) % m)] + 5 * from[at((i + by) % m)]; });
        break;
      }
      case 1: {
        const int low = number(0, m - 1), high = number(low + 1, m);
        go(add_some, box(first, last), u(fixed(box(low, high))), v(one_to_one), low, high);
        each([&](int) { return some(low, high); });
        break;
      }
      case 2:
        go(add_share, box(first, last), u(even_split), v(one_to_one), first, last - first, m);
        each([&](int i) { return some((i - first) * m / (last - first), (i - first + 1) * m / (last - first)); });
        break;
      case 3:
        go(add_mirrored, box(first, last), u([](const box& part, const box& all) {
             return std::vector<box>{part, box(all.max()[0] - part.max()[0], all.max()[0] - part.min()[0])};
           }),
           v(one_to_one), m);
        each([&](int i) { return from[at(i)] + 5 * from[at(m - 1 - i)]; });
        break;
      case 4:
        host_task(
            box(first, last),
            [m](const box& part, view<const unsigned> u, view<unsigned> v) {
              for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
                v(i) = v(i) * 3 + u(i) + (i + 1 < m ? 5 * u(i + 1) : 0);
            },
            u.in(neighborhood(1)), v.inout(one_to_one));
        each([&](int i) { return from[at(i)] + (i + 1 < m ? 5 * from[at(i + 1)] : 0); });
        break;
      case 5:
        host_task(
            on_one_node,
            [first, last](view<unsigned> v) {
              for (int i = first; i < last; ++i) v(i) = v(i) * 3 + 2;
            },
            v.inout(fixed(box(first, last))));
        each([](int) { return 2u; });
        break;
      case 6:
        host_task(
            on_each_node,
            [expected = some(0, m), m](view<const unsigned> u) {
              unsigned s = 1;
              for (int k = 0; k < m; ++k) s = s * 5 + u(k);
              CHECK(s == expected);
            },
            u.in(all));
        break;
      case 7:
        host_task(
            collective{static_cast<std::uint32_t>(number(0, 1))},
            [n](collective_part me, view<unsigned> v) {
              const std::int64_t low = std::int64_t{me.node} * n / me.nodes,
                                 high = (std::int64_t{me.node} + 1) * n / me.nodes;
              for (std::int64_t i = low; i < high; ++i) v(i) = v(i) * 3 + 4;
            },
            v.inout(even_split));
        for (unsigned& x : to) x = x * 3 + 4;
        break;
      case 8: {
        const int longer = number(1, 40);
        all_[at(b)] = v.resized(box(0, longer));
        to.resize(at(longer));
        fill(b, n);
        break;
      }
      default:
        if (number(0, 1)) {
          go(mix_in, box(first, last), u(one_to_one), v.from_identity(), n);
          std::ranges::fill(to, 0u);
        } else {
          go(mix_in, box(first, last), u(one_to_one), v, n);
        }
        for (int i = first; i < last; ++i) to[at(i % n)] ^= from[at(i)] * 3;
    }
  }

  void compare(int a) {
    const auto seen = all_[at(a)].read().get();
    line is;
    for (int i = 0; i < length(a); ++i) is.push_back(seen.view()(i));
    CHECK(is == loops_[at(a)]);
  }

  std::vector<line> loops_;
  std::vector<buffer<unsigned>> all_;
};

class program_in_space : any_program {
 public:
  using any_program::any_program;

  void run() {
    for (int& n : n_) n = number(1, 7);
    if (number(0, 1)) n_[1] = n_[2] = n_[0];
    for (int a = 0; a < 2; ++a) {
      all_.emplace_back(whole());
      go(fill_space, whole(), all_.back()(one_to_one), a);
      loops_.emplace_back(at(whole().volume()));
      each(whole(), [&](int i, int j, int k) { element(a, i, j, k) = (i * 31 + j * 7 + k + a) % 101; });
    }
    for (int s = number(4, 16); s > 0; --s) step();
    for (int a = 0; a < 2; ++a) {
      const auto seen = all_[at(a)].read().get();
      int wrong = 0;
      each(whole(), [&](int i, int j, int k) { wrong += seen.view()(i, j, k) != element(a, i, j, k); });
      CHECK(wrong == 0);
    }
  }

 private:
  box whole() const { return box({0, 0, 0}, {n_[0], n_[1], n_[2]}); }
  double& element(int a, int i, int j, int k) { return loops_[at(a)][at((i * n_[1] + j) * n_[2] + k)]; }
  template <class F>
  static void each(const box& b, F f) {
    for (auto i = b.min()[0]; i < b.max()[0]; ++i)
      for (auto j = b.min()[1]; j < b.max()[1]; ++j)
        for (auto k = b.min()[2]; k < b.max()[2]; ++k) f(static_cast<int>(i), static_cast<int>(j), static_cast<int>(k));
  }

  void step() {
    const int a = number(0, 1), b = 1 - a;
    const buffer<double, 3>&u = all_[at(a)], &v = all_[at(b)];
    point low, high;
    for (int x = 0; x < 3; ++x)
      low[x] = number(0, n_[at(x)] - 1), high[x] = number(static_cast<int>(low[x]) + 1, n_[at(x)]);
    const box range = box::between(low, high);
    const auto [n0, n1, n2] = n_;
    const auto from = [&, before = loops_[at(a)], n1, n2](int i, int j, int k) {
      return before[at((i * n1 + j) * n2 + k)];
    };
    const auto adds = [&](const std::function<double(int, int, int)>& what) {
      each(range, [&](int i, int j, int k) {
        const double s = element(b, i, j, k) + what(i, j, k);
        element(b, i, j, k) = s - 1009 * std::floor(s / 1009);
      });
    };
    const auto beside = [&, n2](int i, int j, int k) {
      return from(i, j, k) + (i > 0 ? 2 * from(i - 1, j, k) : 0) + (j > 0 ? 3 * from(i, j - 1, k) : 0) +
             (k + 1 < n2 ? 5 * from(i, j, k + 1) : 0);
    };
    switch (number(0, 6)) {
      case 0: go(add_star, range, u(star(1)), v(one_to_one), n0, n1, n2), adds(beside); break;
      case 1: go(add_star, range, u(neighborhood(1, 1, 1)), v(one_to_one), n0, n1, n2), adds(beside); break;
      case 2:
        go(add_corner, range, u(wrapped(1, 0, 1)), v(one_to_one), n0, n1, n2);
        adds([&, n0, n2](int i, int j, int k) { return 2 * from((i + n0 - 1) % n0, j, (k + 1) % n2); });
        break;
      case 3:
        go(add_column, range, u(slice(1)), v(one_to_one), n1);
        adds([&, n1](int i, int, int k) {
          double s = 0;
          for (int j = 0; j < n1; ++j) s += (j + 1) * from(i, j, k);
          return s;
        });
        break;
      case 4:
        if (n0 != n1 || n1 != n2) return;
        go(add_turned_round, range, u(transposed_by(1, 2, 0)), v(one_to_one));
        adds([&](int i, int j, int k) { return 2 * from(j, k, i); });
        break;
      case 5:
        go(add_ends, range, u([](const box& part, const box& all) {
             const auto plane = [&](coordinate at) {
               return box({at, part.min()[1], part.min()[2]}, {at + 1, part.max()[1], part.max()[2]});
             };
             return std::vector<box>{plane(0), plane(all.max()[0] - 1)};
           }),
           v(one_to_one), n0);
        adds([&, n0](int, int j, int k) { return from(0, j, k) + 2 * from(n0 - 1, j, k); });
        break;
      default:
        host_task(
            range,
            [n0](const box& part, view<const double, 3> u, view<double, 3> v) {
              each(part, [&](int i, int j, int k) {
                const double s = v(i, j, k) + u(i, j, k) + (i + 1 < n0 ? u(i + 1, j, k) : 0);
                v(i, j, k) = s - 1009 * std::floor(s / 1009);
              });
            },
            u.in(star(1, 0)), v.inout(one_to_one));
        adds([&, n0](int i, int j, int k) { return from(i, j, k) + (i + 1 < n0 ? from(i + 1, j, k) : 0); });
    }
  }

  std::array<int, 3> n_{};
  std::vector<std::vector<double>> loops_;
  std::vector<buffer<double, 3>> all_;
};

template <class Program>
void run_many(std::uint32_t programs) {
  const with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  constexpr const char* kinds[] = {"none", "sim", "sim:2(exports)", "sim:3"};
  for (std::uint32_t seed = 0; seed < programs; ++seed) {
    const std::uint32_t nodes = seed % 7 + 1;
    const std::string kind = kinds[seed / 7 % 4];
    const with_variable check("STRETTO_CHECK", seed % 5 == 0 ? "1" : "0");
    CAPTURE(seed);
    INFO(nodes << " nodes with " << kind);
    test::on_nodes_of(simulated_job({.nodes = nodes, .seed = seed}), {.workers = seed % 2 + 1, .devices = kind},
                      [&](runtime&) { Program(seed).run(); });
  }
}

}  // namespace

TEST_CASE("random programs on lines of unlike lengths give what loops give, by every mapper and kind of task") {
  run_many<program_of_lines>(test::scaled(84u, 3000u));
}

TEST_CASE("random programs in three axes give what loops give") {
  run_many<program_in_space>(test::scaled(84u, 3000u));
}

}  // namespace stretto
