// A program that is killed at any moment restarts from its last checkpoint and computes the same result.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "campaign.hpp"
#include "checkpoint/killed_child.hpp"
#include "checkpoint/token_program.hpp"
#include "dist/simulated.hpp"
#include "temporary_folder.hpp"

namespace stretto {
namespace {

using namespace test;

constexpr int rounds = 12;
constexpr std::uint64_t count = 5;

/// Rounds of tokens, with a checkpoint during each round.
totals program(const std::string& directory, std::uint32_t nodes) {
  totals found;
  on_all_nodes({.nodes = nodes}, 1, [&](runtime&) {
    if (this_node()) return;
    int round = 0;
    collection<tally> all;
    if (const auto saved = try_open_checkpoint(directory)) {
      saved->restore_objects();
      round = saved->value<int>("round");
      all = saved->value<collection<tally>>("all");
    } else {
      all = make_collection<tally>(count);
      broadcast(all, call<&tally::know>(all)).get();
    }
    for (; round < rounds; ++round) {
      detached([&] { send_all(all, tokens_of(static_cast<std::uint64_t>(round), 4, 30)); });
      save_checkpoint(directory, {keep("round", round + 1), keep("all", all)});
    }
    wait(quiescence());
    found = totals_of(all);
  });
  return found;
}

TEST_CASE("a program killed again and again, at random moments, comes to the answer of one that was not") {
  std::vector<token> tokens;
  for (int round = 0; round < rounds; ++round)
    for (const token& k : tokens_of(static_cast<std::uint64_t>(round), 4, 30)) tokens.push_back(k);
  const totals expected = answer_of(count, tokens);
  for (std::uint64_t seed = 1; seed <= scaled<std::uint64_t>(3, 200); ++seed) {
    CAPTURE(seed);
    const temporary_folder folder;
    const std::string directory = (folder.path / "run.ckpt").string();
    std::mt19937_64 random(seed);
    for (int kills = 0; kills < 8; ++kills) {
      const std::chrono::microseconds delay(random() % (1u << (12 + kills)));
      // On a slow machine all runs before the last may be killed before they save anything.
      const auto may_be_killed = [&] { return kills < 7 || std::filesystem::exists(directory); };
      if (!is_killed([&] { program(directory, 1 + std::uint32_t(kills % 3)); }, delay, may_be_killed)) break;
    }
    CHECK(std::filesystem::exists(directory));  // from which the last run restarts
    CHECK(program(directory, 2) == expected);
  }
}

}  // namespace
}  // namespace stretto
