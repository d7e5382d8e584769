// histograms.cpp - a histogram on node 0 of values that all nodes have, by several methods.
//
//   fold, list, automatic   a reduction instance on each node, applied to the histogram from there
//   localize                one node after another takes the whole histogram, adds, and returns it
//   batches                 buckets are spread over mobile objects; a message brings 4,096 values
//   messages                the same with a message for each value
//   single_reductions       one node after another; a reduction of one element for each value
//   single_copies           one node after another; each value copies its bucket here, adds, and copies it back
//
// The last three pay an operation or more for each value, so they count fewer values (single_values).
//
// Source      the methods of peers/stretto/reductions.cpp, after the Realm paper, which calls the last two "single
//             reductions" and "single reads/writes".
#include <stretto/stretto.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "common/histogram.hpp"
#include "peers/nodes/benchmarks.hpp"

using namespace stretto;

namespace {

using counter = std::uint32_t;
using table = instance<counter>;
using votes = reduction_instance<sum<counter>>;

constexpr int phases = 3;

std::vector<std::uint32_t> mine;  // the buckets of this node's values

void draw(std::uint32_t part, std::uint32_t parts, std::uint32_t buckets, long values) {
  mine = bench::drawn_buckets(part, parts, buckets, values);
}

/// Has `values` drawn by all nodes together, then times phases of it.
template <class Phase>
double nanoseconds_per_value(const bench::options& o, long values, Phase&& phase) {
  std::vector<event> ready;
  for (std::uint32_t n = 0; n < job_nodes(); ++n)
    ready.push_back(async(at_node(n), call<&draw>(n, job_nodes(), static_cast<std::uint32_t>(o.size), values)));
  wait(merge(ready));
  const bench::stopwatch clock;
  for (int i = 0; i < phases; ++i) phase();
  return clock.nanoseconds_per(double{phases} * static_cast<double>(bench::drawn_values(job_nodes(), values)));
}

void check(long found, long values) {
  bench::expect("sum of all buckets", found, phases * bench::drawn_values(job_nodes(), values));
}

table empty_table(const bench::options& o) {
  const auto made = table::create(at(this_machine().memories().front()), {0, o.size}).made;
  wait(fill(made, counter{0}));
  return made;
}
void check_and_destroy(const table& t, const bench::options& o, long values) {
  long sum = 0;
  const auto v = t.view();
  for (coordinate i = 0; i < o.size; ++i) sum += v(i);
  check(sum, values);
  wait(t.destroy());
}

void contribute(votes to) {
  auto c = to.contribute();
  for (const auto e : mine) c(e) << counter{1};
}

bench::outcome time_reductions(const bench::options& o, reduction_style style) {
  if (this_node() != 0) return {};
  const table counts = empty_table(o);
  std::vector<votes> of_nodes;
  for (std::uint32_t n = 0; n < job_nodes(); ++n)
    of_nodes.push_back(votes::create(at_node(n), {0, o.size}, {.style = style}));
  const double ns = nanoseconds_per_value(o, bench::values_of_histogram, [&] {
    event applied;
    std::vector<event> cleared;
    for (std::uint32_t n = 0; n < job_nodes(); ++n) {
      const event contributed = async(at_node(n), call<&contribute>(of_nodes[n]));
      applied = reduce(of_nodes[n], counts, after(merge(std::vector{contributed, applied})));
      cleared.push_back(clear(of_nodes[n], after(applied)));
    }
    wait(merge(cleared));
  });
  for (const votes& v : of_nodes) wait(v.destroy());
  check_and_destroy(counts, o, bench::values_of_histogram);
  return {.value = ns};
}

void add_to_all_of(table counts, coordinate buckets) {
  const auto here = table::create(at(this_machine().memories().front()), {0, buckets}).made;
  wait(copy(counts, here));
  for (auto v = here.view(); const auto e : mine) ++v(e);
  wait(copy(here, counts));
  wait(here.destroy());
}

// Operations on one bucket are ordered by events, so each follows the one before it in its chain. The chains are many
// enough that messages of one need not wait for those of another.
constexpr std::size_t chains = 64;

table scratch;  // of this node, with an element for each bucket; made before the clock runs

void make_scratch(coordinate buckets) {
  scratch = table::create(at(this_machine().memories().front()), {0, buckets}).made;
  wait(fill(scratch, counter{1}));
}
void destroy_scratch() { wait(scratch.destroy()); }

void add_by_single_reductions(table counts, coordinate) {
  std::array<event, chains> last;
  for (const coordinate e : mine) {
    event& before = last[static_cast<std::size_t>(e) % chains];
    before = reduce<sum<counter>>(scratch, counts, box(e, e + 1), after(before));
  }
  wait(merge(last));
}

void add_by_single_copies(table counts, coordinate) {
  const auto v = scratch.view();
  std::array<event, chains> last;
  for (const coordinate e : mine) {
    event& before = last[static_cast<std::size_t>(e) % chains];
    const event read = copy(counts, scratch, box(e, e + 1), after(before));
    const event added = async(after(read), [v, e] { ++v(e); });
    before = copy(scratch, counts, box(e, e + 1), after(added));
  }
  wait(merge(last));
}

/// The nodes one after the other: `add(counts, buckets)` changes the histogram from each.
template <auto add>
bench::outcome time_in_turn(const bench::options& o, long values) {
  if (this_node() != 0) return {};
  const table counts = empty_table(o);
  const double ns = nanoseconds_per_value(o, values, [&] {
    for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<add>(counts, o.size)).get();
  });
  check_and_destroy(counts, o, values);
  return {.value = ns};
}

/// The same of few values, with a scratch on each node.
template <auto add>
bench::outcome time_single_operations(const bench::options& o) {
  if (this_node() != 0) return {};
  for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&make_scratch>(o.size)).get();
  const bench::outcome result = time_in_turn<add>(o, bench::single_values);
  for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&destroy_scratch>()).get();
  return result;
}

/// Buckets that belong together.
struct share_of_buckets {
  std::vector<counter> counts;
  void add_one(std::uint32_t bucket) { ++counts[bucket]; }
  void add(std::vector<std::uint32_t> buckets) {
    for (const auto e : buckets) ++counts[e];
  }
  long sum() const { return std::accumulate(counts.begin(), counts.end(), 0L); }
  template <class Archive>
  friend void fields(Archive& a, archived<share_of_buckets, Archive>& x) {
    a(x.counts);
  }
};
using shares = std::vector<mobile<share_of_buckets>>;

void send_in_batches(shares to, std::uint32_t buckets_each) {
  constexpr std::size_t batch = 4096;
  std::vector<std::vector<std::uint32_t>> falls(to.size());
  const auto send_batch = [&](std::size_t owner) {
    send(to[owner], call<&share_of_buckets::add>(std::exchange(falls[owner], {})));
  };
  finish([&] {
    for (const auto e : mine) {
      auto& list = falls[e / buckets_each];
      list.push_back(e % buckets_each);
      if (list.size() == batch) send_batch(e / buckets_each);
    }
    for (std::size_t owner = 0; owner < to.size(); ++owner) send_batch(owner);
  });
}

void send_one_by_one(shares to, std::uint32_t buckets_each) {
  finish([&] {
    for (const auto e : mine) send(to[e / buckets_each], call<&share_of_buckets::add_one>(e % buckets_each));
  });
}

/// All nodes at once: `send_all(shares, buckets of each)` sends from each.
template <auto send_all>
bench::outcome time_messages(const bench::options& o, long values) {
  if (this_node() != 0) return {};
  const auto each = static_cast<std::uint32_t>((o.size + job_nodes() - 1) / job_nodes());
  shares all;
  for (std::uint32_t n = 0; n < job_nodes(); ++n)
    all.push_back(make_mobile<share_of_buckets>(at_node(n), std::vector<counter>(each)));
  const double ns = nanoseconds_per_value(o, values, [&] {
    std::vector<event> sent;
    for (std::uint32_t n = 0; n < job_nodes(); ++n) sent.push_back(async(at_node(n), call<send_all>(all, each)));
    wait(merge(sent));
  });
  long sum = 0;
  for (const auto& one : all) {
    sum += send(one, call<&share_of_buckets::sum>()).get();
    destroy(one).get();
  }
  check(sum, values);
  return {.value = ns};
}

}  // namespace

bench::outcome time_histogram_folds(const bench::options& o) { return time_reductions(o, reduction_style::fold); }
bench::outcome time_histogram_lists(const bench::options& o) { return time_reductions(o, reduction_style::list); }
bench::outcome time_histogram_automatic(const bench::options& o) {
  return time_reductions(o, reduction_style::automatic);
}

bench::outcome time_histogram_localized(const bench::options& o) {
  return time_in_turn<&add_to_all_of>(o, bench::values_of_histogram);
}
bench::outcome time_histogram_single_reductions(const bench::options& o) {
  return time_single_operations<&add_by_single_reductions>(o);
}
bench::outcome time_histogram_single_copies(const bench::options& o) {
  return time_single_operations<&add_by_single_copies>(o);
}

bench::outcome time_histogram_batches(const bench::options& o) {
  return time_messages<&send_in_batches>(o, bench::values_of_histogram);
}
bench::outcome time_histogram_messages(const bench::options& o) {
  return time_messages<&send_one_by_one>(o, bench::single_values);
}
