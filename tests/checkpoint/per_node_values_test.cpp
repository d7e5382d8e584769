// Per-node values are saved at the consistent point of the mobile objects, and restored on the node of their number.
#include <doctest/doctest.h>

#include <stretto/checkpoint.hpp>
#include <stretto/stretto.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <memory>
#include <optional>
#include <random>

#include "campaign.hpp"
#include "checkpoint/content_io.hpp"
#include "checkpoint/stepped_job.hpp"
#include "checkpoint/token_program.hpp"
#include "dist/simulated.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;

constexpr std::uint32_t most_nodes = 5;

/// Per node: the number of visits to its handlers, and the values that they brought.
struct visits {
  long count = 0;
  std::vector<int> brought;
};
std::array<visits, most_nodes> of_nodes;

/// Visits another one, until its visits are used up.
struct walker {
  collection<walker> all;
  long count = 0;
  std::vector<int> brought;

  walker() = default;
  explicit walker(std::size_t) {}
  void know(collection<walker> a) { all = a; }
  void visit(int number, int left) {
    ++count, brought.push_back(number);
    visits& v = of_nodes[this_node()];
    ++v.count, v.brought.push_back(number);
    if (number % 7 == 0) migrate(all[std::size_t(number) % all.size()], at_node(std::uint32_t(number) % job_nodes()));
    if (left) send(all[std::size_t(number + left) % all.size()], call<&walker::visit>(number + 1, left - 1));
  }
  long visits_had() const { return count; }
  template <class Archive>
  friend void fields(Archive& a, archived<walker, Archive>& w) {
    a(w.all, w.count, w.brought);
  }
};

template <class F>
void on_each(stepped_job& job, F&& what) {
  for (std::uint32_t n = 0; n < job.nodes(); ++n) job.run_on(n, [&] { what(); });
}
long visits_of(const collection<walker>& all) {
  return reduce(all, call<&walker::visits_had>(), 0L, std::plus<>()).get();
}

TEST_CASE("per-node values match the objects that are saved with them, on any number of nodes afterwards") {
  std::uint64_t waited = 0;
  const auto seeds = scaled<std::uint64_t>(24, 2'000);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const temporary_folder folder;
    const std::string directory = (folder.path / "run.ckpt").string();
    const std::uint32_t before = 1 + std::uint32_t(random() % most_nodes),
                        after = 1 + std::uint32_t(random() % most_nodes);
    const int walks = 1 + int(random() % 6), steps = int(random() % 40);
    of_nodes = {};
    {
      std::vector<std::unique_ptr<per_node_values>> kept;
      stepped_job job(seed, before, random);
      on_each(job, [&] {
        visits& v = of_nodes[this_node()];
        kept.push_back(std::make_unique<per_node_values>());
        kept.back()->keep("count", v.count).keep("brought", v.brought).keep("twice", [&v] { return 2 * v.count; });
      });
      collection<walker> all;
      job.run([&] {
        all = make_collection<walker>(4);
        broadcast(all, call<&walker::know>(all)).get();
        detached([&] {
          for (int w = 0; w < walks; ++w) send(all[std::size_t(w) % 4], call<&walker::visit>(100 * w, steps));
        });
      });
      job.step(random() % 1500);
      job.run([&] { save_checkpoint(directory, {keep("all", all)}).get(); });
      // The run continues and stops early; later counts are lost.
      job.step(random() % 500);
      job.run([&] { wait(quiescence()); });
    }
    of_nodes = {};
    stepped_job job(seed + 1, after, random);
    std::vector<std::uint32_t> taken_on;
    on_each(job, [&] {
      const checkpoint saved = open_checkpoint(directory, verification::when_read);
      for (const std::uint32_t r : saved.nodes_here()) {
        taken_on.push_back(r);
        CHECK((before == after ? r == this_node() : r % job_nodes() == this_node()));
        CHECK(saved.names_of_node(r) == std::vector<std::string>{"brought", "count", "twice"});
        const long count = saved.value_of_node<long>(r, "count");
        CHECK(saved.value_of_node<long>(r, "twice") == 2 * count);
        const auto brought = saved.value_of_node<std::vector<int>>(r, "brought");
        CHECK(std::ssize(brought) == count);
        visits& v = of_nodes[this_node()];
        v.count += count;
        v.brought.insert(v.brought.end(), brought.begin(), brought.end());
      }
    });
    std::ranges::sort(taken_on);
    CHECK(taken_on.size() == before);
    for (std::uint32_t r = 0; r < before; ++r) CHECK(taken_on[r] == r);
    waited += checkpoints::read_contents(directory).messages;
    long counted = 0;
    for (const visits& v : of_nodes) counted += v.count;
    long held = 0;
    job.run([&] {
      const checkpoint saved = open_checkpoint(directory);
      saved.restore_objects();
      wait(quiescence());
      held = visits_of(saved.value<collection<walker>>("all"));
    });
    CHECK(held == long(walks) * (steps + 1));
    CHECK(counted <= held);
    // Restored visits are counted by their nodes now: none is missing or duplicated.
    std::vector<int> brought, expected;
    for (const visits& v : of_nodes) brought.insert(brought.end(), v.brought.begin(), v.brought.end());
    for (int w = 0; w < walks; ++w)
      for (int i = 0; i <= steps; ++i) expected.push_back(100 * w + i);
    std::ranges::sort(brought);
    CHECK(brought == expected);
  }
  if (seeds >= 24) CHECK(waited > 10);  // of few seeds it may be none
}

TEST_CASE("nodes keep objects of the same name, each with its own content, which any node can ask for") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  std::atomic<std::uint32_t> ready = 0, done = 0;
  on_all_nodes({.nodes = 3}, 1, [&](runtime&) {
    const std::uint32_t me = this_node();
    std::vector<float> elements(me + 1, 0.5f + float(me));
    object<float, 1> u(box(0, me + 1), elements.data());
    per_node_values mine;
    mine.keep("u", u);
    // the variable's value at that time
    u = object<float, 1>(box(10, me + 12), std::vector<float>(me + 2, float(me)).data());
    ++ready;
    while (ready < 3) yield();
    if (me == 1) save_checkpoint(directory, {keep("u", 17)}).get(), done = 1;
    while (!done) yield();
  });
  on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    const checkpoint saved = open_checkpoint(directory);
    CHECK(saved.value<int>("u") == 17);
    CHECK(saved.nodes_here() == (this_node() ? std::vector<std::uint32_t>{1} : std::vector<std::uint32_t>{0, 2}));
    for (std::uint32_t r = 0; r < 3; ++r) {
      const auto u = saved.value_of_node<object<float, 1>>(r, "u");
      REQUIRE(u.elements() == box(10, r + 12));
      std::vector<float> all(r + 2);
      wait(u.copy_to(all.data()));
      CHECK(all == std::vector<float>(r + 2, float(r)));
    }
    const error missing = error_of([&] { saved.value_of_node<int>(2, "v"); });
    CHECK(missing.code() == "C04");
    CHECK(std::string(missing.what()).find("contains nothing of node 2 under the name \"v\"") != std::string::npos);
    CHECK(error_of([&] { saved.value_of_node<int>(3, "u"); }).code() == "C04");
    CHECK(saved.names_of_node(3).empty());
    CHECK(error_of([&] { saved.value_of_node<int>(2, "u"); }).code() == "C05");
  });
}

TEST_CASE("a value is not saved once its per_node_values is destroyed, and a failed point leaves the last checkpoint") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  runtime rt({.workers = 2});
  rt.run([&] {
    int step = 3;
    {
      per_node_values mine, more;
      mine.keep("step", step);
      CHECK(error_of([&] { more.keep("step", step); }).code() == "C08");
      CHECK(error_of([&] { more.keep("a/b", step); }).code() == "C08");
      save_checkpoint(directory, {}).get();
      const object<int, 1> unwritten(box(0, 4));
      more.keep("unwritten", unwritten);
      step = 4;
      CHECK(error_of([&] { save_checkpoint(directory, {}).get(); }).code() == "A03");
      CHECK(open_checkpoint(directory).value_of_node<int>(0, "step") == 3);
      CHECK(send(make_mobile<walker>(1u), call<&walker::visits_had>()).get() == 0);  // no node is paused
    }
    save_checkpoint(directory, {}).get();
    CHECK(open_checkpoint(directory).names_of_node(0).empty());
  });
}

TEST_CASE(
    "a damaged file of what a node kept is named when it is read, also where not all files were looked at before") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  runtime rt({.workers = 1});
  rt.run([&] {
    const int step = 3, other = 4;
    per_node_values mine;
    mine.keep("step", step).keep("other", other);
    save_checkpoint(directory, {}).get();
    std::fstream(directory + "/nodes/0/step/c", std::ios::in | std::ios::out | std::ios::binary).put('x');
    CHECK(error_of([&] { open_checkpoint(directory); }).code() == "C02");
    const checkpoint saved = open_checkpoint(directory, verification::when_read);
    CHECK(saved.value_of_node<int>(0, "other") == 4);
    const error e = error_of([&] { saved.value_of_node<int>(0, "step"); });
    CHECK(e.code() == "C02");
    CHECK(std::string(e.what()).find("nodes/0/step/c") != std::string::npos);
  });
}

TEST_CASE("a value that is kept beyond its runtime is none of the next runtime's, whatever its number") {
  const int first = 1, second = 2;
  std::optional<per_node_values> left;
  {
    runtime rt({.workers = 1});
    rt.run([&] { left.emplace().keep("value", first); });
  }
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  runtime rt({.workers = 1});
  rt.run([&] {
    per_node_values mine;
    mine.keep("value", second);
    left.reset();
    save_checkpoint(directory, {}).get();
    CHECK(open_checkpoint(directory).value_of_node<int>(0, "value") == 2);
  });
}

}  // namespace
}  // namespace stretto
