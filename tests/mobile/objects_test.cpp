// Mobile objects on every node of a job; each node is a runtime with threads of its own on a simulated network.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "dist/simulated.hpp"
#include "mobile/random_migration.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using test::error_of;
using test::migrates_at_random;
using test::on_all_nodes;
using test::words_of;

struct account {
  long balance = 0;
  std::vector<std::string> slips;

  account() = default;
  explicit account(long b) : balance(b) {
    if (b < 0) throw std::runtime_error("no credit");
  }
  account(const std::string& slip, std::vector<long> parts)
      : balance(std::accumulate(parts.begin(), parts.end(), 0L)), slips{slip} {}

  void pay(long sum) { balance += sum; }
  long shown() const { return balance; }
  void note(std::string slip) { slips.push_back(std::move(slip)); }
  std::vector<std::string> all() const { return slips; }
  void refuse(const std::string& why) { throw std::runtime_error(why); }
  std::uint32_t where() const { return this_node(); }

  template <class Archive>
  friend void fields(Archive& a, archived<account, Archive>& x) {
    a(x.balance, x.slips);
  }
};

long doubled(account& a) { return a.balance *= 2; }

TEST_CASE("a handler runs where the object is, and returns its value") {
  for (const std::uint32_t nodes : {1u, 2u, 4u})
    on_all_nodes({.nodes = nodes, .seed = nodes}, 2, [&](runtime&) {
      for (std::uint32_t n = 0; n < nodes; ++n) {
        const auto m = make_mobile<account>(at_node(n), name("savings"), 5);
        send(m, call<&account::pay>(7));
        CHECK(send(m, call<&account::shown>()).get() == 12);
        CHECK(send(m, call<&doubled>()).get() == 24);
        CHECK(send(name("tenfold"), m, call([](account& a, int by) { return a.balance *= by; }, 10)).get() == 240);
        CHECK(send(m,
                   call([](const account& a, const std::string& s) { return s + std::to_string(a.balance); }, "it is "))
                  .get() == "it is 240");
        if (!migrates_at_random()) {
          CHECK(send(m, call<&account::where>()).get() == n);
          CHECK(is_here(m) == (n == this_node()));
        }
        destroy(m).get();
      }
      const auto texts = make_mobile<account>(at_node(nodes - 1), "first", std::vector<long>{1, 2, 3});
      CHECK(send(texts, call<&account::shown>()).get() == 6);
      CHECK(send(texts, call<&account::all>()).get() == std::vector<std::string>{"first"});
      const auto here = make_mobile<account>(3);
      CHECK(is_here(here));
      CHECK(send(here, call<&account::shown>()).get() == 3);
    });
}

TEST_CASE("a name can be sent, compared, hashed and printed") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    const auto m = make_mobile<account>(name("savings"), 1);
    const std::string home = this_node() ? "N1:" : "";
    CHECK(to_string(m) == home + "M1 \"savings\"");
    CHECK(to_string(make_mobile<account>()) == home + "M2");
    CHECK(to_string(mobile<account>()) == "M-");
    CHECK_FALSE(mobile<account>().is_valid());
    CHECK(std::unordered_set<mobile<account>>{m, m}.size() == 1);
    // Sent to the other node, which sends back to the object.
    const auto paid = async(at_node(1 - this_node()), call(
                                                          [](mobile<account> to, long sum) {
                                                            send(to, call<&account::pay>(sum)).get();
                                                            return to_string(to);
                                                          },
                                                          m, 41));
    CHECK(paid.get().find("M1") != std::string::npos);
    CHECK(send(m, call<&account::shown>()).get() == 42);
  });
}

TEST_CASE("messages of one node are handled in the order in which it sent them") {
  on_all_nodes({.nodes = 3, .seed = 5, .jitter_seconds = 1e-5}, 2, [](runtime&) {
    const auto m = make_mobile<account>(at_node((this_node() + 1) % 3));
    std::vector<std::string> expected;
    for (int i = 0; i < 200; ++i) {
      // large ones may be overtaken on the network
      expected.push_back(std::to_string(i) + std::string(i % 50 == 7 ? 3000 : 1, '.'));
      send(m, call<&account::note>(expected.back()));
      if (i % 40 == 20) migrate(m, at_node(std::uint32_t(i / 40) % 3));
    }
    CHECK(send(m, call<&account::all>()).get() == expected);
    destroy(m);
  });
}

TEST_CASE("an object migrates with its state and its waiting messages") {
  on_all_nodes({.nodes = 4, .seed = 3}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto m = make_mobile<account>(name("traveller"), 1);
    for (std::uint32_t n = 0; n < 12; ++n) {
      const auto moved = migrate(m, at_node(n % 4));
      send(m, call<&account::pay>(1));
      const auto at = send(after(moved), m, call<&account::where>()).get();
      if (migrates_at_random()) continue;
      CHECK(at == n % 4);
      CHECK(is_here(m) == (n % 4 == 0));
    }
    CHECK(send(m, call<&account::shown>()).get() == 13);
    migrate(m, at_node(1));
    migrate(m, at_node(2));
    migrate(m, at_node(2)).get();
    if (!migrates_at_random()) CHECK(send(m, call<&account::where>()).get() == 2);
  });
}

TEST_CASE("readers run together, a writer alone, also while it waits") {
  static std::atomic<int> inside{0}, most_readers{0};
  static std::atomic<bool> is_written{false}, was_disturbed{false};
  on_all_nodes({.nodes = 2}, 3, [](runtime&) {
    if (this_node() != 0) return;
    for (const std::uint32_t n : {0u, 1u}) {
      inside = most_readers = 0;
      is_written = was_disturbed = false;
      const auto m = make_mobile<account>(at_node(n));
      const auto reading = call([](const account&) {
        const int now = ++inside;
        int most = most_readers.load();
        while (most < now && !most_readers.compare_exchange_weak(most, now)) continue;
        if (is_written) was_disturbed = true;
        for (int i = 0; i < 20; ++i) yield();
        --inside;
      });
      // Two readers wait for one another: they end only if they run together.
      const auto one = user_event::create(), other = user_event::create();
      const auto meeting = [&](user_event mine, user_event its) {
        return send(m, call(
                           [](const account&, user_event own, event others) {
                             own.trigger();
                             wait(others);
                           },
                           mine, event(its)));
      };
      const auto a = meeting(one, other), b = meeting(other, one);
      a.get();
      b.get();
      finish([&] {
        for (int i = 0; i < 60; ++i) {
          send(m, reading);
          if (i % 6 == 0)
            send(m, call([](account&) {
                   if (inside || is_written.exchange(true)) was_disturbed = true;
                   for (int k = 0; k < 20; ++k) yield();
                   if (inside) was_disturbed = true;
                   is_written = false;
                 }));
        }
      });
      CHECK_FALSE(was_disturbed);
    }
  });
}

TEST_CASE("a handler that throws poisons its reply, and the object stays usable") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    for (const std::uint32_t n : {0u, 1u}) {
      const auto m = make_mobile<account>(at_node(n), 4);
      const auto refused = send(name("advance"), m, call<&account::refuse>("not today"));
      CHECK(words_of(refused).find("not today") != std::string::npos);
      CHECK(send(m, call<&account::shown>()).get() == 4);
    }
  });
}

TEST_CASE("a message waits for its preconditions, and is skipped if one fails") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    for (const std::uint32_t n : {0u, 1u}) {
      const auto m = make_mobile<account>(at_node(n), 4);
      const auto begin = user_event::create(), never = user_event::create();
      const auto late = send(after(begin), name("late"), m, call<&account::pay>(1));
      CHECK(send(m, call<&account::shown>()).get() == 4);
      begin.trigger();
      late.get();
      CHECK(send(m, call<&account::shown>()).get() == 5);
      const auto skipped = send(after(never), name("in vain"), m, call<&account::pay>(100));
      never.poison(std::make_exception_ptr(std::runtime_error("the key is lost")));
      CHECK(words_of(skipped).find("the key is lost") != std::string::npos);
      CHECK(send(m, call<&account::shown>()).get() == 5);
    }
  });
}

/// Sends a token along the accounts, `left` times.
void pass(account& a, std::vector<mobile<account>> ring, std::size_t next, int left) {
  ++a.balance;
  if (left) send(ring[next], call<&pass>(ring, (next + 1) % ring.size(), left - 1));
}

TEST_CASE("a finish waits for handlers on any node, and for messages that they send") {
  on_all_nodes({.nodes = 3}, 2, [](runtime&) {
    if (this_node() != 0) return;
    std::vector<mobile<account>> ring;
    for (std::uint32_t n = 0; n < 7; ++n) ring.push_back(make_mobile<account>(at_node(n % 3)));
    finish([&] { send(ring[0], call<&pass>(ring, 1, 99)); });
    long all = 0;
    for (const auto& m : ring) all += send(m, call<&account::shown>()).get();
    CHECK(all == 100);
    CHECK_THROWS_WITH(finish([&] { send(ring[1], call<&account::refuse>("nobody looks")); }),
                      doctest::Contains("nobody looks"));
    CHECK_THROWS_WITH(
        finish([&] {
          send(ring[1],
               call([](account&, mobile<account> other) { send(other, call<&account::refuse>("a grandchild")); },
                    ring[2]));
        }),
        doctest::Contains("a grandchild"));
    // Tasks of other kinds count, too.
    static std::atomic<int> done{0};
    finish([&] {
      for (const auto& m : ring)
        send(m, call([](account&) {
               for (int i = 0; i < 5; ++i)
                 async([] {
                   yield();
                   ++done;
                 });
             }));
    });
    CHECK(done == 35);
  });
}

TEST_CASE("messages to a destroyed object fail with G02") {
  on_all_nodes({.nodes = 3}, 1, [](runtime&) {
    if (this_node() != 0) return;
    for (std::uint32_t n = 0; n < 3; ++n) {
      const auto m = make_mobile<account>(at_node(n), name("closed"), 3);
      migrate(m, at_node((n + 1) % 3)).get();
      const auto before = send(m, call<&account::shown>());
      const auto gone = destroy(m);
      const auto later = send(m, call<&account::shown>());
      CHECK(before.get() == 3);
      gone.get();
      CHECK(words_of(later).find("G02") != std::string::npos);
      CHECK(words_of(send(m, call<&account::shown>())).find("has been destroyed") != std::string::npos);
      CHECK(words_of(migrate(m, at_node(1))).find("G02") != std::string::npos);
      CHECK(words_of(destroy(m)).find("G02") != std::string::npos);
      CHECK(async(at_node(2), call([](mobile<account> x) { return words_of(send(x, call<&account::shown>())); }, m))
                .get()
                .find("G02") != std::string::npos);
    }
    CHECK(current_mobile_statistics().objects == 0);
  });
}

TEST_CASE("misuse of mobile objects throws in the call") {
  runtime rt({.workers = 1});
  rt.run([] {
    CHECK(error_of([] { send(mobile<account>(), call<&account::pay>(1)); }).code() == "G01");
    CHECK(error_of([] { migrate(mobile<account>(), at_node(0)); }).code() == "G01");
    CHECK(error_of([] { destroy(mobile<account>()); }).code() == "G01");
    CHECK(error_of([] { send(after(user_event::create()), mobile<account>(), call<&account::pay>(1)); }).code() ==
          "G01");
    CHECK(error_of([] { make_mobile<account>(at_node(1)); }).code() == "N02");
    const auto m = make_mobile<account>(2);
    CHECK(error_of([&] { migrate(m, at_node(1)); }).code() == "N02");
    CHECK_THROWS_WITH(make_mobile<account>(-1), "no credit");
    CHECK(send(m, call<&account::shown>()).get() == 2);
  });
  CHECK(error_of([] { make_mobile<account>(); }).code() == "B20");
  CHECK(error_of([] { send(mobile<account>(), call<&account::pay>(1)); }).code() == "B20");
}

TEST_CASE("messages to an object whose constructor fails, fail") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    if (this_node() != 0) return;
    for (const std::uint32_t n : {0u, 1u}) {
      finish([&] {
        const auto m = make_mobile<account>(at_node(n), name("bad"), -1);
        for (int i = 0; i < 3; ++i)
          CHECK(words_of(send(m, call<&account::shown>())).find("no credit") != std::string::npos);
        CHECK(words_of(migrate(m, at_node(1))).find("no credit") != std::string::npos);
      });
      CHECK_THROWS_WITH(finish([&] { make_mobile<account>(at_node(n), -1); }), doctest::Contains("no credit"));
    }
  });
}

struct fragile {
  int kind = 0;
  template <class Archive>
  friend void fields(Archive& a, archived<fragile, Archive>& x) {
    if constexpr (!Archive::is_reading) {
      if (x.kind == 1) throw std::runtime_error("too large to pack");
      a(x.kind);
    } else {
      a(x.kind);
      if (x.kind == 2) throw std::runtime_error("broke on the way");
    }
  }
};

TEST_CASE("an object that cannot be written stays, one that cannot be read is lost") {
  if (migrates_at_random()) return;
  on_all_nodes({.nodes = 3}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto heavy = make_mobile<fragile>(at_node(1));
    send(heavy, call([](fragile& f) { f.kind = 1; })).get();  // a migration overtakes waiting messages
    CHECK(words_of(migrate(heavy, at_node(2))).find("too large to pack") != std::string::npos);
    CHECK(send(heavy, call([](const fragile&) { return this_node(); })).get() == 1);
    send(heavy, call([](fragile& f) { f.kind = 0; })).get();
    migrate(heavy, at_node(2)).get();
    CHECK(send(heavy, call([](const fragile&) { return this_node(); })).get() == 2);

    const auto brittle = make_mobile<fragile>(at_node(1));
    send(brittle, call([](fragile& f) { f.kind = 2; })).get();
    const std::string words = words_of(migrate(brittle, at_node(2)));
    CHECK(words.find("broke on the way") != std::string::npos);
    CHECK(words_of(send(brittle, call([](const fragile&) { return 0; }))).find("broke on the way") !=
          std::string::npos);
  });
}

TEST_CASE("messages to an object of a failed node fail, and other objects stay usable") {
  if (migrates_at_random()) return;
  const simulated_job job({.nodes = 3});
  on_all_nodes(
      {}, 1,
      [&](runtime&) {
        if (this_node() != 0) return;
        const auto there = make_mobile<account>(at_node(2), name("far away"), 1);
        const auto safe = make_mobile<account>(at_node(1), 2);
        const auto of_two =
            finish([] { return async(at_node(2), call([] { return make_mobile<account>(at_node(1), 3); })).get(); });
        CHECK(send(there, call<&account::shown>()).get() == 1);
        CHECK(send(of_two, call<&account::shown>()).get() == 3);
        const auto never = user_event::create();
        const auto waits = send(there, call([](account&, event e) { wait(e); }, event(never)));
        const auto behind = send(there, call<&account::shown>());
        job.kill(2);
        CHECK(words_of(waits).find("G03") != std::string::npos);
        CHECK(words_of(behind).find("N2") != std::string::npos);
        CHECK(words_of(send(there, call<&account::shown>())).find("far away") != std::string::npos);
        CHECK(words_of(send(of_two, call<&account::shown>())).find("G03") != std::string::npos);
        CHECK(words_of(migrate(safe, at_node(2))).find("N05") != std::string::npos);
        CHECK(send(safe, call<&account::shown>()).get() == 2);
        never.trigger();
      },
      &job);
}

/// Animals may have other types; the one that moves is exactly an animal.
struct animal {
  int legs = 4;
  virtual ~animal() = default;
  virtual int counted() const { return legs; }
  int grown(int by) { return legs += by; }
  template <class A>
  friend void fields(A& a, archived<animal, A>& x) {
    a(x.legs);
  }
};

TEST_CASE("an object with virtual functions migrates as the type that it was made as") {
  on_all_nodes({.nodes = 2}, 1, [](runtime&) {
    if (this_node() != 0) return;
    const auto cat = make_mobile<animal>();
    CHECK(send(cat, call<&animal::grown>(2)).get() == 6);
    migrate(cat, at_node(1)).get();
    CHECK(send(cat, call<&animal::counted>()).get() == 6);
    destroy(cat).get();
  });
}

}  // namespace
}  // namespace stretto
