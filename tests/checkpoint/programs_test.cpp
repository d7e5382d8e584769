// Programs of mobile objects with checkpoints in the middle, restarted on other numbers of nodes: the results are
// equal.
#include <doctest/doctest.h>

#include <stretto/finish.hpp>

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

TEST_CASE("a program that is restarted from a checkpoint gives the answer of one that was not interrupted") {
  std::uint64_t messages = 0;
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(24, 3'000); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const temporary_folder folder;
    const std::string directory = (folder.path / "run.ckpt").string();
    const std::uint64_t count = 1 + random() % 7;
    const auto tokens = tokens_of(seed, 1 + random() % 12, 40);
    const totals expected = answer_of(count, tokens);
    const auto save = [&](stepped_job& job, const collection<tally>& all) {
      future<void> written;
      const std::uint32_t by = job.draw();
      job.run_on(by, [&] { written = save_checkpoint(directory, {keep("all", all), keep("seed", seed)}); });
      if (random() % 2) job.step(random() % 300);
      job.run_on(by, [&] { written.get(), written = {}; });
      messages += checkpoints::read_contents(directory).messages;
    };
    const auto check_end = [&](stepped_job& job, const collection<tally>& all) {
      totals found;
      job.run([&] { wait(quiescence()); });
      job.run([&] { found = totals_of(all); });
      CHECK(found.sums == expected.sums);
      CHECK(found.handled == expected.handled);
    };
    {
      stepped_job job(seed, 1 + std::uint32_t(random() % 5), random);
      collection<tally> all;
      job.run([&] {
        all = make_collection<tally>(name("all"), count);
        broadcast(all, call<&tally::know>(all)).get();
        detached([&] { send_all(all, tokens); });
      });
      job.step(random() % 2000);
      save(job, all);
      if (random() % 2) job.step(random() % 500), save(job, all);
      if (random() % 2) check_end(job, all);
    }
    for (int again = 0; again < 2; ++again) {
      CAPTURE(again);
      stepped_job job(seed + 77, 1 + std::uint32_t(random() % 5), random);
      collection<tally> all;
      job.run([&] {
        const checkpoint c = open_checkpoint(directory);
        c.restore_objects();
        all = c.value<collection<tally>>("all");
        CHECK(c.value<std::uint64_t>("seed") == seed);
        const auto fresh = make_mobile<tally>(0u);  // its name is unique
        for (std::size_t i = 0; i < all.size(); ++i) CHECK(fresh != all[i]);
        if (is_here(all[0])) CHECK(to_string(all[0]).find("\"all[0]\"") != std::string::npos);
        destroy(fresh).get();
      });
      if (again == 0 && random() % 2) job.step(random() % 500), save(job, all);
      check_end(job, all);
    }
  }
  CHECK(messages > (stride() > 3 ? 0u : 10u));  // that waited
}

TEST_CASE("a node that dies while a checkpoint is taken: the last one stays, the others go on") {
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(12, 2'000); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const temporary_folder folder;
    const std::string directory = (folder.path / "run.ckpt").string();
    const auto tokens = tokens_of(seed, 10, 60);
    const std::uint64_t count = 6;
    {
      stepped_job job(seed, 3 + std::uint32_t(random() % 3), random);
      collection<tally> all;
      job.run_on(0, [&] {
        all = make_collection<tally>(count);
        broadcast(all, call<&tally::know>(all)).get();
        detached([&] { send_all(all, tokens); });
        save_checkpoint(directory, {keep("all", all)}).get();
      });
      const std::uint32_t by = job.draw(), dead = job.draw();
      std::string end;
      job.begin_on(by, [&] { end = thrown_by([&] { save_checkpoint(directory, {keep("all", all)}).get(); }); });
      job.step(random() % 1500);
      job.kill(dead);
      job.step_until([&] { return !end.empty(); });
      INFO(end);
      CHECK((end == "nothing was thrown" || end.find("error C09") == 0));
      refused += end.find("error C09") == 0;
      // No node is paused any more.
      for (std::uint32_t n = 0; n < job.nodes(); ++n)
        job.run_on(n, [] { CHECK(send(make_mobile<tally>(5u), call<&tally::look>()).get() == 5001); });
    }
    stepped_job job(seed + 1, 2, random);
    totals found;
    job.run([&] {
      const checkpoint c = open_checkpoint(directory);
      c.restore_objects();
      wait(quiescence());
      found = totals_of(c.value<collection<tally>>("all"));
    });
    CHECK(found == answer_of(count, tokens));
  }
  CHECK(refused > 0);
}

TEST_CASE("threads go on while checkpoints are taken, and any of them leads to the same answer") {
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(4, 200); ++seed) {
    CAPTURE(seed);
    const temporary_folder folder;
    const std::uint32_t nodes = 2 + std::uint32_t(seed % 3), later = 1 + std::uint32_t(seed % 4);
    const auto tokens = tokens_of(seed, 20, 120);
    const totals expected = answer_of(9, tokens);
    const auto directory = [&](int n) { return (folder.path / ("run" + std::to_string(n))).string(); };
    on_all_nodes({.nodes = nodes, .seed = seed}, 2, [&](runtime&) {
      if (this_node()) return;
      const auto all = make_collection<tally>(9);
      broadcast(all, call<&tally::know>(all)).get();
      detached([&] { send_all(all, tokens); });
      for (int n = 0; n < 3; ++n) {
        const auto written = save_checkpoint(directory(n), {keep("all", all)});
        if (n % 2) written.get();
      }
      wait(quiescence());
      CHECK(totals_of(all) == expected);
    });
    for (int n = 0; n < 3; ++n)
      on_all_nodes({.nodes = later, .seed = seed}, 2, [&](runtime&) {
        if (this_node() + 1 != job_nodes()) return;
        const checkpoint c = open_checkpoint(directory(n));
        CHECK(c.nodes() == nodes);
        c.restore_objects();
        wait(quiescence());
        CHECK(totals_of(c.value<collection<tally>>("all")) == expected);
      });
  }
}

}  // namespace
}  // namespace stretto
