// random_programs.cpp - random programs of events, reservations, barriers, instances, mobile objects, collections, puts
// and gets, and global memory on real processes, against serial models: for the most part those that programs on
// simulated networks are checked against. Node 0 draws what is done, and where.
//
//     random_programs SEEDS [FIRST]        who finds a fault names the seed, and ends the job
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <stretto/instance.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/remote.hpp>
#include <stretto/reservation.hpp>
#include <stretto/stretto.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dist/event_model.hpp"
#include "drawing.hpp"
#include "mobile/program_model.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using test::drawing;
using test::expect;
using test::give_up;
using test::seed_now;
using test::words_of;

namespace {

// Events.

user_event make_user() { return user_event::create(); }
event make_merge(const std::vector<event>& of) { return merge(of); }
event survive(event e) { return ignore_failure(e); }
void end_user(user_event e, const std::string& cause) {
  cause.empty() ? e.trigger() : e.poison(std::make_exception_ptr(std::runtime_error(cause)));
}
void end_after(user_event e, event first) { e.trigger(first); }
void nothing() {}

class event_program {
 public:
  explicit event_program(std::uint64_t seed) : draw_(seed) {}
  void run() {
    add_user();
    const auto steps = 20 + draw_.below(80);
    for (std::size_t step = 0; step < steps; ++step) do_something(step);
    for (std::size_t i = 0; i < handles_.size(); ++i)
      if (serial_.all[i].what == kind::user && !serial_.all[i].ended) end(i, "");
    serial_.settle();
    for (const auto& f : under_way_) expect(words_of(f).empty(), "a call that ends an event: " + words_of(f));
    for (std::size_t i = 0; i < handles_.size(); ++i) watch(i);  // whoever asks late is told the same
    for (const auto& [i, f] : watched_) {
      const std::string said = words_of(f), &cause = serial_.all[i].cause;
      expect(cause.empty() ? said.empty() : said.find(cause) != said.npos,
             "event " + std::to_string(i) + " ends with \"" + cause + "\" but: " + said);
    }
  }

 private:
  using kind = testing::event_model::kind;
  void add(event e, testing::event_model::one one) {
    handles_.push_back(e);
    users_.emplace_back();
    serial_.all.push_back(std::move(one));
  }
  void add_user() {
    const auto n = draw_.node();
    const auto e = async(at_node(n), call<&make_user>()).get();
    add(e, {n});
    users_.back() = e;
  }
  void end(std::size_t i, const std::string& cause) {
    const auto from = draw_.node();
    under_way_.push_back(async(at_node(from), call<&end_user>(*users_[i], cause)));
    serial_.all[i].ended = true;
    serial_.all[i].cause = cause;
    serial_.all[i].poisoned_on = from;
  }
  void do_something(std::size_t step) {
    const std::size_t i = draw_.below(handles_.size());
    const auto n = draw_.node();
    const bool is_open = serial_.all[i].what == kind::user && !serial_.all[i].ended;
    switch (draw_.below(9)) {
      case 0:
      case 1: return add_user();
      case 2:
      case 3: return is_open ? end(i, draw_.below(4) ? "" : "step " + std::to_string(step) + "!") : void();
      case 4: {
        const std::size_t first = draw_.below(handles_.size());
        if (!is_open || serial_.waits_for(first, i)) return;
        under_way_.push_back(async(at_node(n), call<&end_after>(*users_[i], handles_[first])));
        serial_.all[i].what = kind::follow;
        serial_.all[i].inputs = {first};
        return;
      }
      case 5:
      case 6: {
        testing::event_model::one one{n, kind::merge, {}};
        std::vector<event> inputs;
        for (auto k = draw_.below(9); k > 0; --k) {
          one.inputs.push_back(draw_.below(handles_.size()));
          inputs.push_back(handles_[one.inputs.back()]);
        }
        return add(async(at_node(n), call<&make_merge>(inputs)).get(), std::move(one));
      }
      case 7: return add(async(at_node(n), call<&survive>(handles_[i])).get(), {n, kind::survive, {i}});
      default: watch(i);
    }
  }

  void watch(std::size_t i) {
    watched_.emplace_back(i, async(at_node(draw_.node()), after(handles_[i]), call<&nothing>()));
  }

  drawing draw_;
  testing::event_model serial_;
  std::vector<event> handles_;
  std::vector<std::optional<user_event>> users_;
  std::vector<future<void>> under_way_;
  std::vector<std::pair<std::size_t, future<void>>> watched_;
};

// Reservations: whoever holds one counts, and sees nobody else do so.

struct counted {
  std::uint64_t count = 0, holder = 0;
};
void hold_often(const std::vector<reservation>& all, std::uint64_t seed, int times) {
  drawing draw(seed * 31 + this_node());
  for (int i = 0; i < times; ++i) {
    const reservation r = all[draw.below(all.size())];
    const std::uint64_t me = this_node() + 1, yields = draw.below(3);
    const event granted = r.acquire();
    const event done = async(after(granted), [r, me, yields] {
      auto& c = r.payload_as<counted>();
      expect(c.holder == 0, "nobody else holds a reservation");
      c.holder = me;
      const std::uint64_t before = c.count;
      for (std::uint64_t y = 0; y < yields; ++y) yield();
      expect(c.holder == me && c.count == before, "a holder is alone");
      c.count = before + 1;
      c.holder = 0;
    });
    r.release(done);
  }
}
reservation make_reservation(std::uint32_t fairness) {
  return reservation::create({.payload_bytes = sizeof(counted), .fairness = fairness});
}

void reservation_program(std::uint64_t seed) {
  drawing draw(seed);
  std::vector<reservation> all;
  for (auto k = 1 + draw.below(3); k > 0; --k)
    all.push_back(
        async(at_node(draw.node()), call<&make_reservation>(static_cast<std::uint32_t>(draw.below(4)))).get());
  const int times = 10 + static_cast<int>(draw.below(30));
  finish([&] {
    for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&hold_often>(all, seed, times));
  });
  std::uint64_t sum = 0;
  for (const reservation& r : all) {
    wait(r.acquire());
    sum += r.payload_as<counted>().count;
    wait(r.release());
    r.destroy();
  }
  expect(sum == std::uint64_t(times) * job_nodes(), "each hold counted once, not " + std::to_string(sum));
}

// Instances: what is asked for by any node, of any two others, in the order of their events.

using numbers = instance<double>;
std::vector<double> content_of(const numbers& a) {
  std::vector<double> all;
  const auto v = a.view();
  for (coordinate i = v.min(0); i < v.max(0); ++i) all.push_back(v(i));
  return all;
}
event fill_there(const numbers& a, double value, event first) { return fill(a, value, after(first)); }
event copy_there(const numbers& a, const numbers& b, box which, event first) { return copy(a, b, which, after(first)); }
event reduce_there(const numbers& a, const numbers& b, event first) { return reduce<sum<double>>(a, b, after(first)); }

void instance_program(std::uint64_t seed) {
  drawing draw(seed);
  const coordinate size = draw.below(4) ? 50 : 30'000;
  struct one {
    numbers what;
    event last;
    std::vector<double> model;
  };
  std::vector<one> all;
  for (auto k = 2 + draw.below(4); k > 0; --k) {
    const auto made = numbers::create(at_node(draw.node()), {0, size});
    all.push_back({made.made, fill(made.made, 1.0 * double(k), after(made.ready)),
                   std::vector<double>(std::size_t(size), 1.0 * double(k))});
  }
  for (auto steps = 10 + draw.below(30); steps > 0; --steps) {
    one &a = all[draw.below(all.size())], &b = all[draw.below(all.size())];
    const auto n = draw.node();
    const event first = merge(a.last, b.last);
    event last;
    if (&a == &b) {
      const auto value = double(draw.below(100));
      last = async(at_node(n), call<&fill_there>(a.what, value, first)).get();
      a.model.assign(a.model.size(), value);
    } else if (draw.below(2)) {
      const coordinate begin = coordinate(draw.below(std::size_t(size))),
                       end = begin + 1 + coordinate(draw.below(std::size_t(size - begin)));
      last = async(at_node(n), call<&copy_there>(a.what, b.what, box(begin, end), first)).get();
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) b.model[i] = a.model[i];
    } else {
      last = async(at_node(n), call<&reduce_there>(a.what, b.what, first)).get();
      for (std::size_t i = 0; i < b.model.size(); ++i) b.model[i] += a.model[i];
    }
    a.last = b.last = last;
  }
  for (const one& a : all) {
    wait(a.last);
    expect(async(at_node(a.what.node()), call<&content_of>(a.what)).get() == a.model,
           "elements are those of the serial program");
  }
  for (const one& a : all) wait(a.what.destroy());
}

// Mobile objects, whose books show what each node has sent, once and in order.

std::unique_ptr<test::model> sent_here;
void begin_here(const std::vector<mobile<test::book>>& objects) {
  sent_here = std::make_unique<test::model>(job_nodes());
  sent_here->objects = objects;
  test::of_all = sent_here.get();
}
void act_here(std::uint64_t seed) {
  drawing draw(seed * 1000 + this_node());
  const auto& objects = sent_here->objects;
  for (auto steps = 20 + draw.below(40); steps > 0; --steps) {
    const auto o = static_cast<std::uint32_t>(draw.below(objects.size()));
    switch (draw.below(8)) {
      case 0:
      case 1: migrate(objects[o], at_node(draw.node())); break;
      case 2: send(objects[o], call<&test::look>(static_cast<std::uint32_t>(draw.below(3)))); break;
      case 3: test::send_chain(o, 6); break;
      case 4: test::send_line(o, 2).get(); break;
      default: test::send_line(o);
    }
    if (draw.below(7) == 0) yield();
  }
}
std::vector<std::uint32_t> sent_from_here() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t o = 0; o < sent_here->objects.size(); ++o) all.push_back(sent_here->sent_by(this_node(), o));
  return all;
}
int disturbed_here() { return sent_here->disturbed; }

void mobile_program(std::uint64_t seed) {
  drawing draw(seed);
  std::vector<mobile<test::book>> objects;
  const auto count = static_cast<std::uint32_t>(1 + draw.below(6));
  for (std::uint32_t o = 0; o < count; ++o)
    objects.push_back(make_mobile<test::book>(at_node(draw.node()), o, std::string(draw.below(4) ? 0 : 90'000, 'w')));
  for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&begin_here>(objects)).get();
  finish([&] {
    for (std::uint32_t n = 0; n < job_nodes(); ++n) async(at_node(n), call<&act_here>(seed));
  });
  std::vector<std::map<std::uint32_t, std::uint32_t>> books;
  for (const auto& o : objects) books.push_back(test::check_book(send(o, call<&test::read_all>()).get()));
  for (std::uint32_t n = 0; n < job_nodes(); ++n) {
    const auto sent = async(at_node(n), call<&sent_from_here>()).get();
    for (std::uint32_t o = 0; o < count; ++o)
      expect(books[o][n] == sent[o], "object " + std::to_string(o) + " has " + std::to_string(books[o][n]) +
                                         " lines of node " + std::to_string(n) + ", which sent " +
                                         std::to_string(sent[o]));
    expect(async(at_node(n), call<&disturbed_here>()).get() == 0, "a handler that writes is alone");
  }
  for (const auto& o : objects) destroy(o).get();
}

void program(std::uint64_t seed) {
  switch (seed % 8) {
    case 0: return event_program(seed).run();
    case 1: return reservation_program(seed);
    case 2: return instance_program(seed);
    case 3: return test::collection_program(seed);
    case 4: return test::put_program(seed);
    case 5: return test::global_memory_program(seed);
    case 6: return test::barrier_program(seed);
    default: return mobile_program(seed);
  }
}

}  // namespace

int main(int count, char** words) {
  doctest::Context checks;
  checks.setAsDefaultForAssertsOutOfTestCases();
  checks.setAssertHandler([](const doctest::AssertData& a) {
    if (a.m_failed) give_up(std::string(a.m_file) + ":" + std::to_string(a.m_line) + ": " + a.m_expr);
  });
  try {
    const std::uint64_t seeds = count > 1 ? std::strtoull(words[1], nullptr, 10) : 100,
                        first = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
    runtime rt;
    rt.run([&] {
      if (this_node() != 0) return;
      for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        seed_now = seed;
        try {
          program(seed);
        } catch (const std::exception& e) {
          give_up(e.what());
        }
      }
    });
    std::printf("node %u of %u: %llu programs\n", rt.node(), rt.nodes(), static_cast<unsigned long long>(seeds));
  } catch (const std::exception& e) {
    std::puts(e.what());
    return 1;
  }
}
