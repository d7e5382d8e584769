// random_elements.cpp - elements that several nodes put into objects of one another and get from there, and instances
// in the memory of all nodes: what is there in the end is what a serial program leaves.
#include <doctest/doctest.h>

#include <stretto/copy.hpp>
#include <stretto/event.hpp>
#include <stretto/finish.hpp>
#include <stretto/global_object.hpp>
#include <stretto/instance.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/platform_of.hpp>
#include <stretto/reduce.hpp>
#include <stretto/remote.hpp>

#include <string>
#include <vector>

#include "drawing.hpp"

namespace stretto::test {
namespace {

using numbers = std::vector<std::int64_t>;
using shared_numbers = global_object<std::int64_t>;

struct piece {
  std::size_t begin = 0, end = 0;
};
piece drawn(drawing& draw, std::size_t within) {
  const std::size_t begin = draw.below(within);
  return {begin, begin + 1 + draw.below(within - begin)};
}
box box_of(const piece& p) { return box(static_cast<coordinate>(p.begin), static_cast<coordinate>(p.end)); }

shared_numbers share_numbers(std::size_t size, std::int64_t first) {
  const numbers all(size, first);
  object<std::int64_t> o(box(0, static_cast<coordinate>(size)));
  wait(o.copy_from(all.data()));
  return share(o);
}

/// Each node owns a stretch of every object, into which it alone puts and from which it gets: in the order of what it
/// asks.
bool act_on(const std::vector<shared_numbers>& all, std::size_t size, std::uint64_t seed) {
  drawing draw(seed * 613 + this_node());
  const std::size_t each = size / job_nodes(), first = each * this_node();
  std::vector<numbers> model(all.size(), numbers(each, 7));
  std::vector<future<std::int64_t>> seen;
  std::vector<std::int64_t> wanted;
  const auto far = [&](std::size_t o, const piece& p) { return all[o](box_of({first + p.begin, first + p.end})); };
  for (auto steps = 10 + draw.below(25); steps > 0; --steps) {
    const std::size_t o = draw.below(all.size());
    const piece p = drawn(draw, each);
    const std::size_t n = p.end - p.begin;
    if (draw.below(3)) {
      numbers sent(n);
      for (std::size_t i = 0; i < n; ++i)
        model[o][p.begin + i] = sent[i] = static_cast<std::int64_t>(draw.random() >> 1);
      if (draw.below(2)) {
        put(std::span(sent), far(o, p)).get();
      } else {  // and a handler, which is told what has come
        const coordinate at = static_cast<coordinate>(first + p.begin);
        seen.push_back(put(std::span(sent), far(o, p),
                           call(
                               [](object<std::int64_t>& there, coordinate i) {
                                 std::int64_t one = 0;
                                 wait(there.copy_to(&one, box(i, i + 1)));
                                 return one;
                               },
                               at)));
        seen.back().get();
        wanted.push_back(sent.front());
      }
    } else {
      numbers come(n);
      get(far(o, p), std::span(come)).get();
      expect(std::equal(come.begin(), come.end(), model[o].begin() + static_cast<std::ptrdiff_t>(p.begin)),
             "what is got is what was put there");
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) expect(seen[i].get() == wanted[i], "a handler sees what was put");
  for (std::size_t o = 0; o < all.size(); ++o) {
    numbers come(each);
    get(far(o, {0, each}), std::span(come)).get();
    expect(come == model[o], "object " + std::to_string(o) + " has what its serial program leaves");
  }
  return true;
}

}  // namespace

void put_program(std::uint64_t seed) {
  drawing draw(seed);
  const std::size_t size = job_nodes() * (draw.below(3) ? 40 : 20'000);
  std::vector<shared_numbers> all;
  for (auto k = 1 + draw.below(3); k > 0; --k)
    all.push_back(async(at_node(draw.node()), call<&share_numbers>(size, std::int64_t{7})).get());
  std::vector<future<bool>> acting;
  for (std::uint32_t n = 0; n < job_nodes(); ++n) acting.push_back(async(at_node(n), call<&act_on>(all, size, seed)));
  for (auto& f : acting) f.get();
  for (const auto& o : all) unshare(o).get();
}

namespace {

using doubles = instance<double>;

place global_place() { return this_machine().places(place_kind::global_memory).front(); }
event fill_it(const doubles& a, double value, event first) { return fill(a, value, after(first)); }
event copy_it(const doubles& a, const doubles& b, box part, event first) { return copy(a, b, part, after(first)); }
event add_it(const doubles& a, const doubles& b, event first) { return reduce<sum<double>>(a, b, after(first)); }

}  // namespace

/// In the order of their events, by any node: most are in the memory of all, some in one node's own.
void global_memory_program(std::uint64_t seed) {
  drawing draw(seed);
  const coordinate size = draw.below(3) ? 60 : 40'000;  // the large ones lie on several nodes
  struct one {
    doubles what;
    event last;
    std::vector<double> model;
  };
  std::vector<one> all;
  for (auto k = 2 + draw.below(3); k > 0; --k) {
    const auto value = static_cast<double>(k);
    const at_place in = draw.below(3) ? at(global_place()) : at_place{};
    const auto made = doubles::create(at_node(draw.node()), in, {0, size});
    all.push_back(
        {made.made, fill(made.made, value, after(made.ready)), std::vector<double>(std::size_t(size), value)});
  }
  for (auto steps = 10 + draw.below(25); steps > 0; --steps) {
    one &a = all[draw.below(all.size())], &b = all[draw.below(all.size())];
    const auto n = draw.node();
    const event first = merge(a.last, b.last);
    event last;
    if (&a == &b) {
      const auto value = static_cast<double>(draw.below(100));
      last = async(at_node(n), call<&fill_it>(a.what, value, first)).get();
      a.model.assign(a.model.size(), value);
    } else if (draw.below(2)) {
      const piece p = drawn(draw, static_cast<std::size_t>(size));
      last = async(at_node(n), call<&copy_it>(a.what, b.what, box_of(p), first)).get();
      std::copy(a.model.begin() + static_cast<std::ptrdiff_t>(p.begin),
                a.model.begin() + static_cast<std::ptrdiff_t>(p.end),
                b.model.begin() + static_cast<std::ptrdiff_t>(p.begin));
    } else {
      last = async(at_node(n), call<&add_it>(a.what, b.what, first)).get();
      for (std::size_t i = 0; i < b.model.size(); ++i) b.model[i] += a.model[i];
    }
    a.last = b.last = last;
  }
  for (const one& a : all) {
    std::vector<double> seen(a.model.size());
    const auto here = doubles::external(seen.data(), box(0, size));
    wait(copy(a.what, here, after(a.last)));
    here.destroy();
    expect(seen == a.model, "elements in the memory of all nodes are those of the serial program");
  }
  for (const one& a : all) wait(a.what.destroy());
}

}  // namespace stretto::test
