// Objects with large parts, which are sent from where they lie and received in place.
#include <doctest/doctest.h>

#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/mobile.hpp>
#include <stretto/task.hpp>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/simulated.hpp"
#include "mobile/random_migration.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;

std::vector<std::uint32_t> counted_from(std::uint32_t first, std::size_t n) {
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), first);
  return all;
}

struct block {
  std::array<std::uint32_t, 20'000> cells{};
  std::string note;
  friend bool operator==(const block&, const block&) = default;
  template <class Archive>
  friend void fields(Archive& a, archived<block, Archive>& b) {
    a(b.note, b.cells);
  }
};

struct heavy {
  std::vector<std::uint32_t> numbers;
  std::vector<std::vector<char>> rows;
  std::map<int, std::string> texts;
  std::unique_ptr<block> apart;
  std::optional<std::vector<double>> perhaps;
  std::vector<std::uint32_t> doubled;  // is sent as fields() writes it
  std::uint64_t sum = 0;               // of `numbers`, known when these have been read
  int taken = 0;

  heavy() = default;
  explicit heavy(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto size = [&] { return random() % 3 ? random() % 30'000 : random() % 200; };
    numbers = counted_from(seed, size());
    rows.resize(random() % 4);
    for (auto& r : rows) r.assign(4 * size(), static_cast<char>('a' + random() % 20));
    for (unsigned i = 0; i < random() % 3; ++i) texts[static_cast<int>(random() % 10)] = std::string(3 * size(), 't');
    if (random() % 2) {
      apart = std::make_unique<block>();
      apart->note = "block " + std::to_string(seed);
      std::iota(apart->cells.begin(), apart->cells.end(), seed);
    }
    if (random() % 2) perhaps = std::vector<double>(size(), 0.5);
    doubled.assign(size(), seed);
    sum = std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
  }
  bool is_that_of(std::uint32_t seed) const {
    const heavy fresh(seed);
    return numbers == fresh.numbers && rows == fresh.rows && texts == fresh.texts && !apart == !fresh.apart &&
           (!apart || *apart == *fresh.apart) && perhaps == fresh.perhaps && doubled == fresh.doubled &&
           sum == fresh.sum;
  }
  int take() { return taken++; }
  void grow(std::size_t n) { numbers.resize(n); }

  template <class Archive>
  friend void fields(Archive& a, archived<heavy, Archive>& h) {
    a(h.taken, h.rows, h.numbers);
    if constexpr (Archive::is_reading) h.sum = std::accumulate(h.numbers.begin(), h.numbers.end(), std::uint64_t{0});
    std::vector<std::uint32_t> twice = h.doubled;
    for (auto& x : twice) x *= 2;
    a(twice, h.texts, h.apart, h.perhaps);
    if constexpr (Archive::is_reading) {
      h.doubled = twice;
      for (auto& x : h.doubled) x /= 2;
    }
  }
};

bool is_that_of(const heavy& h, std::uint32_t seed) { return h.is_that_of(seed); }

TEST_CASE("objects of any shape are equal after migrations, whatever fields() does with their parts") {
  for (std::uint32_t seed = 1; seed <= scaled<std::uint32_t>(20, 400); ++seed) {
    CAPTURE(seed);
    on_all_nodes({.nodes = 3, .seed = seed}, 1 + seed % 2, [&](runtime&) {
      if (this_node() != 0) return;
      const auto m = make_mobile<heavy>(seed);
      for (const std::uint32_t to : {1u, 2u, 0u, 1u}) {
        const auto moved = migrate(m, at_node(to));
        for (int i = 0; i < 3; ++i) send(m, call<&heavy::take>());
        moved.get();
        CHECK(send(m, call<&is_that_of>(seed)).get());
      }
      CHECK(send(m, call<&heavy::take>()).get() == 12);
      destroy(m).get();
    });
  }
}

std::atomic<int> refuses{0};

/// The node sometimes lacks memory for a later part when an earlier one has arrived.
struct greedy {
  std::vector<char> first = std::vector<char>(100'000, '1'), second = std::vector<char>(200'000, '2');
  std::uint32_t where() const { return this_node(); }
  template <class Archive>
  friend void fields(Archive& a, archived<greedy, Archive>& g) {
    a(g.first);
    if (Archive::is_reading && refuses > 0) {
      --refuses;
      throw std::bad_alloc();
    }
    a(g.second);
  }
};
std::size_t count_twos(const greedy& g) {
  return static_cast<std::size_t>(std::count(g.second.begin(), g.second.end(), '2'));
}
void sign(greedy& g) { g.first[0] = 's'; }

TEST_CASE("an object stays if memory for one of its parts is missing, and migrates later") {
  if (migrates_at_random()) return;
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(10, 300); ++seed) {
    CAPTURE(seed);
    on_all_nodes({.nodes = 3, .seed = seed}, 1 + seed % 2, [&](runtime&) {
      if (this_node() != 0) return;
      const auto m = make_mobile<greedy>(at_node(static_cast<std::uint32_t>(seed % 3)), name("greedy"));
      const std::uint32_t before = send(m, call<&greedy::where>()).get(), to = (before + 1 + seed % 2) % 3;
      refuses = 1;
      const auto moved = migrate(m, at_node(to));
      const auto signs = send(m, call<&sign>());
      CHECK(thrown_by([&] { moved.get(); }).find("bad_alloc") != std::string::npos);
      signs.get();
      CHECK(send(m, call<&greedy::where>()).get() == before);
      migrate(m, at_node(to)).get();
      CHECK(send(m, call<&greedy::where>()).get() == to);
      CHECK(send(m, call<&count_twos>()).get() == 200'000);
    });
  }
}

struct unreadable {
  std::vector<char> content = std::vector<char>(100'000, 'u');
  int touched = 0;
  void touch() { ++touched; }
  template <class Archive>
  friend void fields(Archive& a, archived<unreadable, Archive>& u) {
    std::uint8_t less = Archive::is_reading ? 1 : 0;
    if (less) {
      std::vector<std::uint64_t> other;  // too many elements for the bytes
      a(other);
    } else {
      a(u.content);
    }
  }
};

TEST_CASE("an object with unreadable parts is lost, and reported as lost") {
  if (migrates_at_random()) return;
  on_all_nodes({.nodes = 2, .seed = 5}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto m = make_mobile<unreadable>();
    CHECK(thrown_by([&] { migrate(m, at_node(1)).get(); }).find("B40") != std::string::npos);
    CHECK(thrown_by([&] { send(m, call<&unreadable::touch>()).get(); }).find("B40") != std::string::npos);
  });
}

/// Counts large replies and arguments that were whole.
std::string echo(const std::string& text) { return text; }
struct listener {
  std::size_t heard = 0;
  std::string receive(const std::string& text) {
    heard += text.size();
    return text + "!";
  }
};

TEST_CASE("large arguments and replies arrive whole, for functions and for objects that migrate meanwhile") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(10, 300); ++seed) {
    CAPTURE(seed);
    on_all_nodes({.nodes = 3, .seed = seed, .jitter_seconds = seed % 2 ? 2e-6 : 1e-5}, 1 + seed % 2, [&](runtime&) {
      if (this_node() != 0) return;
      const auto m = make_mobile<listener>(at_node(1));
      std::mt19937_64 random(seed);
      std::vector<std::pair<std::string, future<std::string>>> echoed, heard;
      std::size_t sum = 0;
      for (int i = 0; i < 12; ++i) {
        const std::string text(random() % 3 ? random() % 120'000 : random() % 2'000, static_cast<char>('a' + i));
        echoed.emplace_back(text, async(at_node(1 + i % 2), call<&echo>(text)));
        heard.emplace_back(text + "!", send(m, call<&listener::receive>(text)));
        if (i % 3 == 0) migrate(m, at_node(static_cast<std::uint32_t>(random() % 3)));
        sum += text.size();
      }
      for (auto& [text, f] : echoed) CHECK((f.get() == text));
      for (auto& [text, f] : heard) CHECK((f.get() == text));
      CHECK(send(m, call([](const listener& l) { return l.heard; })).get() == sum);
    });
  }
}

TEST_CASE("threads of many nodes migrate large objects while others send to them") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(4, 200); ++seed) {
    CAPTURE(seed);
    const std::uint32_t nodes = 2 + std::uint32_t(seed % 3), objects = 4;
    const simulated_job job({.nodes = nodes, .seed = seed, .jitter_seconds = seed % 2 ? 2e-6 : 1e-5});
    std::vector<mobile<heavy>> all(objects);
    std::atomic<std::uint32_t> ready{0}, through{0};
    on_all_nodes(
        {}, 2,
        [&](runtime&) {
          const std::uint32_t me = this_node();
          for (std::uint32_t o = me; o < objects; o += nodes) all[o] = make_mobile<heavy>(o + 1);
          ++ready;
          while (ready < nodes) yield();
          std::mt19937_64 random(seed * 10 + me);
          finish([&] {
            for (int i = 0; i < 25; ++i) {
              const auto o = static_cast<std::uint32_t>(random() % objects);
              if (random() % 2) migrate(all[o], at_node(static_cast<std::uint32_t>(random() % nodes)));
              else send(all[o], call<&heavy::take>());
              if (random() % 4 == 0) CHECK(send(all[o], call<&is_that_of>(o + 1)).get());
            }
          });
          ++through;
          while (through < nodes) yield();
          if (me) return;
          for (std::uint32_t o = 0; o < objects; ++o) {
            CHECK(send(all[o], call<&is_that_of>(o + 1)).get());
            destroy(all[o]).get();
          }
        },
        &job);
  }
}

}  // namespace
}  // namespace stretto
