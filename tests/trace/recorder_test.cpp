#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "trace/recorder.hpp"

using namespace stretto::trace;

TEST_CASE("a snapshot holds each ring's records under its track's name") {
  recorder rec({.node = 3, .level = level::full});
  ring& a = rec.add_ring("worker 0");
  ring& b = rec.add_ring("worker 1");
  rec.name_places({"sysmem", "L2_0"});
  rec.set_clock_offset(-250);
  a.push({.start = 1, .end = 2, .id = 10, .name = rec.names().intern("blur"), .place = 1});
  b.push({.start = 3, .end = 4, .id = 11});
  const snapshot s = rec.take_snapshot();
  CHECK(s.node == 3);
  CHECK(s.node_name == "node 3");
  CHECK(s.clock_offset_ns == -250);
  REQUIRE(s.tracks.size() == 2);
  CHECK(s.tracks[0].name == "worker 0");
  REQUIRE(s.tracks[0].records.size() == 1);
  CHECK((*s.names)[s.tracks[0].records[0].name].name == "blur");
  CHECK(s.places[s.tracks[0].records[0].place] == "L2_0");
  CHECK(s.tracks[1].records[0].id == 11);
}

TEST_CASE("sampled rings are small, full ones grow to the memory limit and count what they dropped") {
  static constexpr std::uint64_t pushed = 20 * ring::chunk_records;
  const auto kept_at = [](level l) {
    recorder rec({.level = l, .ring_records = 2 * ring::chunk_records, .memory_limit = 8 * ring::chunk_bytes});
    ring& r = rec.add_ring("w");
    for (std::uint64_t i = 0; i < pushed; ++i) r.push({.id = i});
    const auto t = rec.take_snapshot().tracks[0];
    CHECK(t.records.size() + t.dropped == pushed);
    CHECK(rec.memory_used() <= 8 * ring::chunk_bytes);
    return t.records.size();
  };
  CHECK(kept_at(level::sampled) == 2 * ring::chunk_records - 1);
  CHECK(kept_at(level::full) == 8 * ring::chunk_records - 1);
}

TEST_CASE("the level can change while the program runs") {
  recorder rec({.level = level::off});
  CHECK_FALSE(rec.is_on());
  rec.set_level(level::full);
  CHECK(rec.level() == level::full);
  CHECK(std::string(name(level::off)) == "off");
  CHECK(std::string(name(level::sampled)) == "sampled");
  CHECK(std::string(name(level::full)) == "full");
}

TEST_CASE("a snapshot outlives its recorder") {
  snapshot s;
  {
    recorder rec;
    rec.add_ring("w").push({.id = 1, .name = rec.names().intern("kept")});
    s = rec.take_snapshot();
  }
  CHECK((*s.names)[s.tracks[0].records[0].name].name == "kept");
}

TEST_CASE("threads add rings and write while others take snapshots") {
  recorder rec({.level = level::sampled, .ring_records = ring::chunk_records});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&rec, t] {
        ring& mine = rec.add_ring("thread " + std::to_string(t));
        for (std::uint64_t i = 0; i < 5000; ++i)
          mine.push({.id = i, .name = rec.names().intern("n" + std::to_string(i % 700))});
      });
    for (int i = 0; i < 20; ++i)
      for (const auto& t : rec.take_snapshot().tracks)
        for (const auto& r : t.records) REQUIRE(r.name < rec.names().size());
  }
  std::uint64_t total = 0;
  for (const auto& t : rec.take_snapshot().tracks) total += t.records.size() + t.dropped;
  CHECK(total == 15'000);
}
