// order_check_test.cpp - STRETTO_CHECK=1 finds races and unwritten reads, and reports nothing in correct programs.
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <source_location>

#include <stretto/platform.hpp>
#include <stretto/stretto.hpp>

#include "base/config.hpp"
#include "campaign.hpp"
#include "data/data_state.hpp"
#include "data/order_check.hpp"

using namespace stretto;

namespace {

/// Runs `body(ram)` in a runtime with checks; returns its failure as text.
template <class Body>
std::string error_text_of(Body&& body, unsigned workers = 1, const char* check = "1") {
  const std::shared_ptr<const platform> machine =
      std::make_shared<platform>(platform::synthetic("core:" + std::to_string(workers) + " pu:1"));
  setenv("STRETTO_CHECK", check, 1);
  runtime rt({.machine = machine});
  unsetenv("STRETTO_CHECK");
  try {
    rt.run([&] { body(machine->memories()[0]); });
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

template <class Body>
void finds_nothing(Body&& body) {
  for (const unsigned workers : {1u, 2u, 4u}) CHECK(error_text_of(body, workers) == "");
}
template <class Body>
void finds(const char* code, Body&& body) {
  for (const unsigned workers : {1u, 2u, 4u}) {
    const std::string error_text = error_text_of(body, workers);
    CHECK_MESSAGE(error_text.find(std::string("error ") + code + ":") != std::string::npos, error_text);
  }
}

instance<int> make(place ram, std::string_view called, coordinate length = 10) {
  return instance<int>::create(at(ram), {0, length}, {.name = called}).made;
}

std::string line(const std::source_location& here, int behind) {
  return "order_check_test.cpp:" + std::to_string(static_cast<int>(here.line()) + behind);
}

}  // namespace

TEST_CASE("a copy that does not wait for the fill of its source is reported, with both lines") {
  std::source_location here;
  const std::string error_text = error_text_of([&](place ram) {
    auto u = make(ram, "u"), v = make(ram, "v");
    here = std::source_location::current();
    fill(u, {0, 6}, 1);
    wait(copy(u, v, {4, 6}));
  });
  CHECK(error_text ==
        "error D21: nothing orders fill and copy, which use the same elements of instance \"u\"\n"
        "  first       fill, " +
            line(here, 1) +
            "\n"
            "  second      copy, " +
            line(here, 2) +
            "\n"
            "  elements    [4,6)\n"
            "  because     one of them writes, and neither waits for the other: the result depends on timing\n"
            "  try         let the second one wait: copy(..., after(event of the first))");
}

TEST_CASE("reads of unwritten elements are reported, with the elements") {
  std::source_location here;
  const std::string error_text = error_text_of([&](place ram) {
    here = std::source_location::current();
    auto u = instance<int>::create(at(ram), {0, 10}, {.name = "u"}).made, v = make(ram, "v");
    event filled = fill(u, {0, 5}, 1);
    wait(copy(u, v, after(filled)));
  });
  CHECK(error_text ==
        "error D22: copy reads elements of instance \"u\" that nothing has written\n"
        "  submitted   " +
            line(here, 3) +
            "\n"
            "  created     " +
            line(here, 1) +
            "\n"
            "  elements    [5,10)\n"
            "  because     they hold whatever the memory held before\n"
            "  try         fill the instance first, or let the operation wait for the one that writes them");
}

TEST_CASE("without STRETTO_CHECK nothing is looked at") {
  CHECK(error_text_of(
            [](place ram) {
              auto u = make(ram, "u"), v = make(ram, "v");
              copy(v, u);
              fill(u, 1);
              wait(copy(u, v));
            },
            1, "0") == "");
}

TEST_CASE("operations ordered by events, waits, merges or chains of them are not reported") {
  finds_nothing([](place ram) {
    auto u = make(ram, "u"), v = make(ram, "v"), w = make(ram, "w");
    event filled = fill(u, 1);
    event copied = copy(u, v, after(filled));
    event again = copy(v, w, after(copied));
    wait(fill(u, 2, after(again)));  // after the copy from u, over two others
    event left = fill(u, {0, 5}, 3), right = fill(u, {5, 10}, 4);
    event both = merge(left, right);
    wait(copy(u, v, after(both)));
    wait(left), wait(right);
    wait(copy(u, w, after(merge({left, right, fill(v, 1)}))));  // some of them have ended
    wait(fill(u, 5));
    event one_reader = copy(u, v), other_reader = copy(u, w);
    wait(one_reader), wait(other_reader);
    event one = copy(u, v, after(fill(v, 0, after(fill(w, 0)))));
    wait(one);
  });
}

TEST_CASE("writers that share an ancestor but do not follow one another are reported") {
  finds("D21", [](place ram) {
    auto u = make(ram, "u");
    event first = fill(u, 0);
    event left = fill(u, 1, after(first));
    wait(fill(u, 2, after(first)));
    wait(left);
  });
}

TEST_CASE("a writer that waits for only one of two readers is reported") {
  finds("D21", [](place ram) {
    auto u = make(ram, "u"), v = make(ram, "v"), w = make(ram, "w");
    wait(fill(u, 1));
    event one = copy(u, v), other = copy(u, w);
    wait(fill(u, 2, after(one)));
    wait(other);
  });
}

TEST_CASE("two tasks that write the same elements are reported, whichever workers run them") {
  finds("D21", [](place ram) {
    auto u = make(ram, "u");
    async([u] { wait(fill(u, 1)); });
    async([u] { wait(fill(u, 2)); });
  });
}

TEST_CASE("a task follows its preconditions and its spawner, and its waiters follow what it waited for") {
  finds_nothing([](place ram) {
    auto u = make(ram, "u"), v = make(ram, "v");
    event filled = fill(u, 1);
    auto left = async(after(filled), [=] { wait(copy(u, v)); });
    auto right = async(after(left), [=] { wait(fill(u, 2)); });
    right.get();
    wait(fill(v, 3));
    async([=] { wait(fill(v, 4)); }).get();
    event last = fill(v, 5);
    wait(copy(v, u, after(last)));
  });
}

TEST_CASE("a task that does not wait for its operation does not make others follow it") {
  finds("D21", [](place ram) {
    auto u = make(ram, "u");
    auto lazy = async([u] { fill(u, 1); });
    auto next = async(after(lazy), [u] { wait(fill(u, 2)); });
    next.get();
  });
}

TEST_CASE("accesses ordered by untracked means are not reported") {
  finds_nothing([](place ram) {
    auto u = make(ram, "u"), v = make(ram, "v");
    // A user event that a task triggers.
    const auto go = user_event::create();
    async([=] { wait(fill(u, 1)), go.trigger(); });
    wait(copy(u, v, after(go)));
    // A finish.
    finish([&] { async([=] { wait(fill(u, 2)); }); });
    wait(fill(u, 3));
    // A barrier.
    auto b = barrier::create(2);
    for (int i = 0; i < 2; ++i) async([=] { wait(fill(u, {5 * i, 5 * i + 5}, i)), b.arrive(); });
    wait(b);
    wait(copy(u, v));
    // A reservation.
    auto lock = reservation::create();
    finish([&] {
      for (int i = 0; i < 4; ++i)
        async([=] {
          event held = lock.acquire();
          event filled = fill(u, i, after(held));
          lock.release(filled);
        });
    });
    wait(fill(u, 9));
    // A promise.
    promise<int> p;
    auto f = p.get_future();
    async([u, p = std::move(p)]() mutable { wait(fill(u, 1)), p.set(1); });
    f.get();
    wait(copy(u, v));
    // A completion queue.
    // A converted future, and one whose failure is ignored.
    auto filler = async([u] { wait(fill(u, 5)); });
    event converted = filler;
    wait(copy(u, v, after(ignore_failure(converted))));
    event again = filler, ignored = ignore_failure(again);
    wait(fill(u, 6, after(ignored)));
    // A recorded graph.
    recorded_graph<> g;
    fill(g, u, 8);
    wait(copy(u, v, after(g.replay())));
    wait(g.replay());
    wait(fill(u, 1));
    completion_queue q = completion_queue::create();
    q.add(fill(u, 7));
    while (q.pop(1).empty()) yield();
    wait(copy(u, v));
  });
}

TEST_CASE("elements that the program itself may have written, or owns, are not said to be unwritten") {
  finds_nothing([](place ram) {
    auto u = make(ram, "u"), v = make(ram, "v");
    for (int i = 0; i < 10; ++i) u.view()(i) = i;
    wait(copy(u, v));
    int mine[10] = {};
    wait(copy(instance<int>::external(mine, {0, 10}), v));
  });
}

TEST_CASE("new instances hold a pattern that shows") {
  const std::string error_text = error_text_of([](place ram) {
    auto u = make(ram, "u");
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(u.data());
    for (int i = 0; i < 40; ++i) CHECK(bytes[i] == 0xcd);
  });
  CHECK(error_text == "");
}

TEST_CASE("a destruction that does not wait for uses of the instance is reported, and one that waits is not") {
  finds("D21", [](place ram) {
    auto u = make(ram, "u");
    fill(u, 1);
    u.destroy();
  });
  finds_nothing([](place ram) {
    auto u = make(ram, "u"), v = make(ram, "v");
    event filled = fill(u, 1);
    event copied = copy(u, v, after(filled));
    wait(u.destroy(after(copied)));
    wait(copied);
    v.destroy();
    make(ram, "w").destroy();
  });
}

TEST_CASE("scatters into one table are not compared with one another, but with other writers") {
  const auto scattered = [](place ram, bool filled_meanwhile) {
    auto table = make(ram, "table");
    auto indices = instance<std::int64_t>::create(at(ram), {0, 10}).made;
    auto values = make(ram, "values");
    wait(merge({fill(table, 0), fill(indices, 3), fill(values, 1)}));
    event one = scatter(values, indices, table), other = scatter(values, indices, table);
    if (filled_meanwhile) wait(fill(table, 2, after(one)));
    wait(one), wait(other);
  };
  finds_nothing([&](place ram) { scattered(ram, false); });
  finds("D21", [&](place ram) { scattered(ram, true); });
}

// The model: operation j follows i if a dependency was given, or if it follows one that follows i.
TEST_CASE("random operations with random preconditions are reported exactly if two conflict and nothing orders them") {
  constexpr int count = 12;
  for (std::uint32_t seed = 0; seed < test::scaled(300u, 10'000u); ++seed) {
    std::mt19937 random(seed);
    const unsigned density = 1 + random() % 8;
    bool writes[count], follows[count][count] = {};
    box where[count];
    for (int j = 0; j < count; ++j) {
      writes[j] = random() % 2;
      const coordinate from = random() % 8;
      where[j] = {from, from + 1 + static_cast<coordinate>(random() % 3)};
      for (int i = 0; i < j; ++i)
        if (random() % 8 < density) {
          follows[j][i] = true;
          for (int k = 0; k < i; ++k) follows[j][k] = follows[j][k] || follows[i][k];
        }
    }
    // Redundant edges are given, too, or not: they make no difference.
    bool expected = false;
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < j; ++i)
        expected = expected || (!follows[j][i] && (writes[i] || writes[j]) && where[i].meets(where[j]));
    const std::string error_text = error_text_of(
        [&](place ram) {
          auto u = make(ram, "u", 16);
          wait(fill(u, 0));
          std::vector<instance<int>> copies;
          std::vector<event> done;
          for (int j = 0; j < count; ++j) {
            std::vector<event> before;
            for (int i = 0; i < j; ++i)
              if (follows[j][i]) before.push_back(done[i]);
            if (writes[j]) {
              done.push_back(fill(u, where[j], j, after(before)));
            } else {
              copies.push_back(make(ram, "copy", 16));
              done.push_back(copy(u, copies.back(), where[j], after(before)));
            }
          }
          for (const event e : done) wait(ignore_failure(e));
        },
        1 + seed % 2);
    CHECK_MESSAGE((error_text.find("D21") != std::string::npos) == expected, "seed " << seed << ": " << error_text);
  }
}

// Operations in the body and in tasks, ordered by events, merges of them, conversions and waits of the body.
TEST_CASE("random programs of tasks, merges and waits are reported exactly if unordered operations conflict") {
  constexpr int count = 10;
  const auto seeds = test::scaled(400u, 10'000u);
  unsigned racy = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    std::mt19937 random(seed);
    const unsigned density = 3 + random() % 6;
    bool writes[count], in_task[count], merged[count], awaited[count], follows[count][count] = {};
    box where[count];
    const auto add = [&](int j, int i) {
      follows[j][i] = true;
      for (int k = 0; k < i; ++k) follows[j][k] = follows[j][k] || follows[i][k];
    };
    bool direct[count][count] = {};
    for (int j = 0; j < count; ++j) {
      writes[j] = random() % 2, in_task[j] = random() % 2, merged[j] = random() % 2, awaited[j] = random() % 6 == 0;
      const coordinate from = random() % 6;
      where[j] = {from, from + 1 + static_cast<coordinate>(random() % 3)};
      for (int i = 0; i < j; ++i) {
        if (random() % 8 < density) add(j, i), direct[j][i] = true;
        if (awaited[i]) add(j, i);
      }
    }
    bool expected = false;
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < j; ++i)
        expected = expected || (!follows[j][i] && (writes[i] || writes[j]) && where[i].meets(where[j]));
    racy += expected;
    // Only the second of two accesses is stopped, once the race is found: the race itself may happen and be seen by the
    // sanitizer.
    if (base::thread_sanitizer && expected) continue;
    const std::string error_text = error_text_of(
        [&](place ram) {
          auto u = make(ram, "u", 16);
          wait(fill(u, 0));
          std::vector<event> done;
          for (int j = 0; j < count; ++j) {
            std::vector<event> before;
            for (int i = 0; i < j; ++i)
              if (direct[j][i]) before.push_back(done[i]);
            if (merged[j]) before = {merge(before)};
            auto target = make(ram, "copy", 16);
            const auto work = [=, write = writes[j], part = where[j]](const preconditions& after) {
              return write ? fill(u, part, j, after) : copy(u, target, part, after);
            };
            if (in_task[j]) done.push_back(async(after(before), [=] { wait(work({})); }));
            else done.push_back(work(after(before)));
            if (awaited[j]) wait(ignore_failure(done[j]));
          }
          for (const event e : done) wait(ignore_failure(e));
        },
        1 + seed % 4);
    CHECK_MESSAGE((error_text.find("D21") != std::string::npos) == expected, "seed " << seed << ": " << error_text);
  }
  CHECK(racy > seeds / 8);
  CHECK(racy < seeds - seeds / 8);
}

TEST_CASE("long programs are followed in bounded memory") {
  finds_nothing([](place ram) {
    const auto size = [] {
      return base::current()->runtime->get<data::data_state>(base::floor_slot::data)->checks->size();
    };
    auto u = make(ram, "u"), v = make(ram, "v");
    event e = merge(fill(u, 0), fill(v, 0));
    data::order_check::sizes early{};
    const int n = test::scaled(200'000, 2'000'000);
    for (int i = 0; i < n; ++i) {
      e = i % 2 ? copy(u, v, after(e)) : copy(v, u, after(e));
      if (i % 50 == 0) {
        make(ram, "w").destroy();
        async([] {}).get();
      }
      if (i == n / 2) early = size();
    }
    wait(e);
    const auto late = size();
    CHECK(late.events <= 1 << 17);
    CHECK(late.tasks <= early.tasks + 64);
    CHECK(late.chains <= early.chains + 8);
    CHECK(late.instances <= 4);
    CHECK(late.accesses <= 16);
  });
}

TEST_CASE("the access history of an instance stays small, however its elements are cut") {
  const std::string error_text = error_text_of([](place ram) {
    auto u = make(ram, "u", 10000);
    wait(fill(u, 0));
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
      const coordinate from = random() % 9000;
      wait(fill(u, {from, from + 1 + static_cast<coordinate>(random() % 1000)}, i));
    }
    CHECK(base::current()->runtime->get<data::data_state>(base::floor_slot::data)->checks->size().accesses <=
          data::access_history::most_accesses);
    fill(u, 1);
    wait(fill(u, {0, 1}, 2));
  });
  CHECK(error_text.find("D21") != std::string::npos);
}

TEST_CASE("reductions by one operator take turns, so that nothing need order them; by two operators something must") {
  finds_nothing([](place ram) {
    const auto to = make(ram, "to"), from = make(ram, "from");
    wait(merge(fill(to, 0), fill(from, 1)));
    wait(merge(reduce<sum<int>>(from, to), reduce<sum<int>>(from, to)));
    wait(reduce<maximum<int>>(from, to));
  });
  finds("D21", [](place ram) {
    const auto to = make(ram, "to"), from = make(ram, "from");
    const event filled = merge(fill(to, 0), fill(from, 1));
    wait(merge(reduce<sum<int>>(from, to, after(filled)), reduce<product<int>>(from, to, after(filled))));
  });
  finds("D21", [](place ram) {
    const auto to = make(ram, "to"), from = make(ram, "from");
    const event filled = merge(fill(to, 0), fill(from, 1));
    wait(merge(reduce<sum<int>>(from, to, after(filled)), fill(to, 3, after(filled))));
  });
}
