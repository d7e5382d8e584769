// Checkpoints of buffers: they hold the state at their position in the program, on any number of nodes; damaged ones
// are refused.
#include <doctest/doctest.h>

#include <stretto/stretto.hpp>

#include <chrono>
#include <cmath>
#include <mutex>
#include <random>

#include "campaign.hpp"
#include "checkpoint/file_content.hpp"
#include "checkpoint/killed_child.hpp"
#include "dist/simulated.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

namespace fs = std::filesystem;
using test::content_of, test::error_of, test::overwrite, test::scaled, test::temporary_folder, test::with_variable;

STRETTO_KERNEL(saved_wave, (in<double, 2> now, inout<double, 2> other, int n), {
  const int i = global_id(0);
  const int j = global_id(1);
  if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
    other(i, j) = 2 * now(i, j) - other(i, j) +
                  0.2 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j));
})

/// The state of the program besides its buffers.
struct course {
  int step = 0;
  std::vector<double> energies = {};
  std::string name = {};
  template <class Archive>
  friend void fields(Archive& a, archived<course, Archive>& c) {
    a(c.step, c.energies, c.name);
  }
};

struct ended_wave {
  std::vector<double> field;
  int began_at = 0;
  std::uint64_t saved = 0;
  bool operator==(const ended_wave& other) const { return field == other.field; }
};

constexpr int points_along = 23;

/// A wave simulation with checkpoints. All nodes compute the same.
ended_wave wave(const std::string& directory, const checkpoint_policy& policy, int steps) {
  const box all_points({0, 0}, {points_along, points_along});
  const auto pulse = [](coordinate i, coordinate j) {
    const auto x = static_cast<double>(i - 9), y = static_cast<double>(j - 7);
    return i == 0 || j == 0 || i == points_along - 1 || j == points_along - 1 ? 0.0 : std::exp(-0.1 * (x * x + y * y));
  };
  buffer<double, 2> now(all_points, pulse, {.name = "now"}), other(all_points, pulse, {.name = "other"});
  course at;
  ended_wave out;
  buffer_checkpoint saved(directory, policy);
  saved.keep("now", now).keep("other", other).keep("at", at);
  saved.restore();
  out.began_at = at.step;
  for (; at.step < steps; ++at.step) {
    out.saved += saved.offer();
    at.energies.push_back(at.step);
    at.name = "step " + std::to_string(at.step);
    launch(saved_wave, all_points, now(star(1)), other(one_to_one), points_along);
    std::swap(now, other);
  }
  CHECK(at.energies.size() == static_cast<std::size_t>(steps));
  const auto seen = now.read().get();
  for (int i = 0; i < points_along; ++i)
    for (int j = 0; j < points_along; ++j) out.field.push_back(seen.view()(i, j));
  return out;
}

ended_wave on_nodes(std::uint32_t nodes, const std::string& devices, const std::string& directory,
                    const checkpoint_policy& policy, int steps) {
  ended_wave found;
  std::mutex lock;
  test::on_nodes_of(simulated_job({.nodes = nodes, .seed = nodes}), {.workers = 1, .devices = devices}, [&](runtime&) {
    ended_wave mine = wave(directory, policy, steps);
    const std::scoped_lock held(lock);
    if (!found.field.empty()) {
      CHECK(found.field == mine.field);
      CHECK(found.saved == mine.saved);
      CHECK(found.began_at == mine.began_at);
    }
    found = std::move(mine);
  });
  return found;
}

}  // namespace

TEST_CASE(
    "a wave goes on from its last checkpoint on another number of nodes and devices, and ends as one that never ended, "
    "to the last bit") {
  const temporary_folder folder;
  const ended_wave whole = on_nodes(1, "none", (folder.path / "none.ckpt").string(), {}, 60);
  CHECK(whole.saved == 0);
  CHECK(!fs::exists(folder.path / "none.ckpt"));
  int number = 0;
  for (const char* devices : {"none", "sim:2"})
    for (const std::uint32_t before : {1u, 3u})
      for (const std::uint32_t later : {1u, 2u, 4u}) {
        INFO(before << " and " << later << " nodes with " << devices);
        const std::string directory = (folder.path / std::to_string(++number)).string();
        const ended_wave first = on_nodes(before, devices, directory, {.offers = 7}, 40);
        CHECK(first.saved == 5);
        CHECK(!fs::exists(directory + ".partial"));
        const ended_wave second = on_nodes(later, devices, directory, {.offers = 100}, 60);
        CHECK(second.began_at == 34);
        CHECK(second == whole);
      }
}

TEST_CASE("a checkpoint has what was there at its point, whatever is launched at once behind it") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  test::on_nodes_of(simulated_job({.nodes = 3, .seed = 2}), {.workers = 2}, [&](runtime&) {
    buffer<int, 2> u(box({-2, 5}, {95, 12}), [](coordinate i, coordinate j) { return static_cast<int>(100 * i + j); },
                     {.name = "u"});
    buffer<float, 3> none(box({0, 0, 0}, {0, 4, 4}));
    buffer<double> one(box(8, 9), [](coordinate) { return 2.5; });
    int round = 0;
    buffer_checkpoint saved(directory);
    saved.keep("u", u).keep("none", none).keep("one", one).keep("round", round);
    future<void> last;
    for (; round < 10; ++round) {
      last = saved.save();
      host_task(
          u.elements(),
          [](const box& part, view<int, 2> u) {
            for (auto i = part.min()[0]; i < part.max()[0]; ++i)
              for (auto j = part.min()[1]; j < part.max()[1]; ++j) ++u(i, j);
          },
          u.inout(one_to_one));
    }
    last.get();
  });
  // Any program reads it.
  runtime rt({.workers = 1});
  rt.run([&] {
    const checkpoint saved = open_checkpoint(directory);
    CHECK(saved.nodes() == 3);
    CHECK(saved.names() == std::vector<std::string>{"none", "one", "round", "u"});
    CHECK(saved.value<int>("round") == 9);
    const auto u = saved.value<object<int, 2>>("u");
    CHECK(u.elements() == box({-2, 5}, {95, 12}));
    int wrong = 0;
    const auto held = u.read().get();
    for (int i = -2; i < 95; ++i)
      for (int j = 5; j < 12; ++j) wrong += held.view()(i, j) != 100 * i + j + 9;
    CHECK(wrong == 0);
    saved.restore_objects();  // of which there are none
    buffer<float, 3> none;
    buffer<double> one;
    buffer_checkpoint again(directory);
    again.keep("none", none).keep("one", one);
    CHECK(again.restore());
    CHECK(none.elements().is_empty());
    CHECK(one.elements() == box(8, 9));
    CHECK(one.read().get().view()(8) == 2.5);
  });
}

TEST_CASE("nodes agree on when a checkpoint is due by horizons, and by the seconds of node 0") {
  const temporary_folder folder;
  const ended_wave by_horizons = on_nodes(3, "none", (folder.path / "a").string(), {.horizons = 5}, 200);
  CHECK(by_horizons.saved > 2);
  CHECK(by_horizons.saved < 20);
  const ended_wave at_once = on_nodes(3, "none", (folder.path / "b").string(), {.seconds = 1e-9}, 100);
  CHECK(at_once.saved > 2);
  CHECK(at_once.saved < 13);
  const ended_wave never = on_nodes(2, "none", (folder.path / "c").string(), {.seconds = 1e6}, 100);
  CHECK(never.saved == 0);
  CHECK(at_once.field == never.field);
}

TEST_CASE(
    "each file of a checkpoint may be damaged, and it is refused on all nodes with the file named, nothing having "
    "changed") {
  const temporary_folder folder;
  const fs::path directory = folder.path / "run.ckpt";
  on_nodes(3, "none", directory.string(), {.offers = 9}, 10);
  std::vector<fs::path> files;
  for (const auto& e : fs::recursive_directory_iterator(directory))
    if (e.is_regular_file()) files.push_back(e.path());
  CHECK(files.size() == 13);  // two groups, three arrays with 3, 3 and 1 chunks, and the table
  std::mt19937 random(7);
  for (const fs::path& file : files)
    for (int way = 0; way < 3; ++way) {
      CAPTURE(file);
      const std::string whole = content_of(file);
      std::string changed = whole;
      if (way == 0) changed[random() % changed.size()] ^= static_cast<char>(1u << random() % 8);
      if (way == 1) changed.resize(random() % changed.size());
      if (way == 2) fs::remove(file);
      else overwrite(file, changed);
      test::on_nodes_of(simulated_job({.nodes = 2, .seed = 4}), {.workers = 1}, [&](runtime&) {
        buffer<double, 2> now(box({0, 0}, {points_along, points_along}), [](coordinate, coordinate) { return 4.0; }),
            other;
        const buffer<double, 2> before = now;
        course at{.step = 3};
        buffer_checkpoint saved(directory.string());
        saved.keep("now", now).keep("at", at).keep("other", other);
        const error e = error_of([&] { saved.restore(); });
        const bool is_table = file.filename() == "checkpoint.json";
        CHECK((e.code() == "C02" || (e.code() == "C06" && is_table)));
        CHECK(std::string(e.what()).find(e.code() == "C02" ? file.string() : directory.string()) != std::string::npos);
        CHECK(at.step == 3);
        CHECK(now == before);
        CHECK(!other);
        CHECK(now.read().get().view()(5, 5) == 4.0);
      });
      overwrite(file, whole);
    }
  test::on_nodes_of(simulated_job({.nodes = 2, .seed = 4}), {.workers = 1}, [&](runtime&) {
    buffer<double, 2> small(box({0, 0}, {5, 5})), now;
    buffer<float, 2> floats;
    int step = 0;
    const auto refused = [&](auto keep) {
      buffer_checkpoint saved(directory.string());
      keep(saved);
      return std::string(error_of([&] { saved.restore(); }).code());
    };
    CHECK(refused([&](buffer_checkpoint& c) { c.keep("now", small); }) == "C05");
    CHECK(refused([&](buffer_checkpoint& c) { c.keep("now", floats); }) == "C05");
    CHECK(refused([&](buffer_checkpoint& c) { c.keep("at", step); }) == "C05");
    CHECK(refused([&](buffer_checkpoint& c) { c.keep("then", now); }) == "C04");
    buffer_checkpoint nothing((folder.path / "nothing").string());
    CHECK(!nothing.keep("now", now).restore());
    CHECK(error_of([&] { nothing.keep("now", step); }).code() == "C08");
    CHECK(error_of([&] { nothing.keep("a/b", step); }).code() == "C08");
    CHECK(error_of([&] { nothing.save(); }).code() == "B07");  // `now` names none
  });
}

TEST_CASE("a failed write or a failed computation fails the checkpoint on all nodes, and the last checkpoint stays") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  test::on_nodes_of(simulated_job({.nodes = 3, .seed = 6}), {.workers = 1}, [&](runtime&) {
    buffer<int> u(box(0, 30), [](coordinate i) { return static_cast<int>(i); });
    buffer_checkpoint saved(directory), lost((folder.path / "no" / "such.ckpt").string());
    saved.keep("u", u), lost.keep("u", u);
    saved.save().get();
    CHECK(error_of([&] { lost.save().get(); }).code() == "C01");
    host_task(
        u.elements(),
        [](const box& part, view<int>) {
          if (part.contains(point(29))) throw error("F01", "the tape is torn");
        },
        u.out(one_to_one));
    const std::string words = test::thrown_by([&] { saved.save().get(); });
    CHECK_MESSAGE(words.find("the tape is torn") != words.npos, words);
    buffer<int> again;
    buffer_checkpoint other(directory);
    CHECK(other.keep("u", again).restore());
    CHECK(again.read().get().view()(29) == 29);
  });
  CHECK(!fs::exists(directory + ".partial"));
}

TEST_CASE("a dry run saves nothing, and reports what would be restored") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  on_nodes(2, "none", directory, {.offers = 5}, 6);
  const fs::file_time_type written = fs::last_write_time(directory + "/checkpoint.json");
  const with_variable third_of_eight("STRETTO_DRY_NODES", "8:3");
  runtime rt({.workers = 1});
  rt.run([&] {
    buffer<double, 2> now;
    course at;
    buffer_checkpoint saved(directory, {.offers = 1, .seconds = 1e-9});
    saved.keep("now", now).keep("at", at);
    CHECK(saved.restore());
    CHECK(at.step == 4);
    CHECK(now.elements() == box({0, 0}, {points_along, points_along}));
    CHECK(saved.offer());
    saved.save().get();
  });
  CHECK(fs::last_write_time(directory + "/checkpoint.json") == written);
}

TEST_CASE("a wave killed again and again, at random moments, ends as one that was not, to the last bit") {
  const temporary_folder folder;
  constexpr int steps = 150;
  const ended_wave whole = on_nodes(1, "none", (folder.path / "whole").string(), {}, steps);
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(3, 100); ++seed) {
    CAPTURE(seed);
    const std::string directory = (folder.path / std::to_string(seed)).string();
    std::mt19937_64 random(seed);
    for (std::uint32_t kills = 0; kills < 8; ++kills) {
      const std::chrono::microseconds delay(random() % (1u << (13 + kills)));
      // On a slow machine all runs before the last may be killed before they save anything.
      const auto may_be_killed = [&] { return kills < 7 || fs::exists(directory); };
      const auto program = [&] { on_nodes(1 + kills % 3, "none", directory, {.offers = 2}, steps); };
      if (!test::is_killed(program, delay, may_be_killed)) break;
    }
    const ended_wave last = on_nodes(2, "none", directory, {.offers = 50}, steps);
    CHECK(last.began_at > 0);
    CHECK(last == whole);
  }
}

}  // namespace stretto
