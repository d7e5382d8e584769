// Back pressure: senders wait, receivers stop receiving, and both resume. Also messages that a node has no memory for,
// and functions that a node does not know.
#include <stretto/error.hpp>
#include <stretto/event.hpp>
#include <stretto/finish.hpp>
#include <stretto/job.hpp>
#include <stretto/mobile.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "dist/simulated.hpp"
#include "dist/stuck_sends.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::error_of;
using test::on_all_nodes;

constexpr std::size_t letter_bytes = 16 << 10;
constexpr long letters = 600, letters_of_room = (1 << 20) / letter_bytes;

std::atomic<long> sent{0}, begun{0}, most_ahead{0};

void begins(const std::vector<std::byte>& content) {
  CHECK(content.size() == letter_bytes);
  const long ahead = sent.load() - begun.fetch_add(1);
  for (long most = most_ahead.load(); ahead > most && !most_ahead.compare_exchange_weak(most, ahead);) {
  }
  std::this_thread::sleep_for(std::chrono::microseconds(100));
}

struct sink {
  long taken = 0;
  template <class Archive>
  friend void fields(Archive& a, archived<sink, Archive>& s) {
    a(s.taken);
  }
};
void put_in(sink& s, const std::vector<std::byte>& content) {
  begins(content);
  ++s.taken;
}

void reset() { sent = begun = most_ahead = 0; }

TEST_CASE("a task that sends faster than receivers start messages is suspended") {
  const test::with_variable room("STRETTO_MESSAGE_MEMORY", "1M");
  for (const bool to_objects : {false, true}) {
    CAPTURE(to_objects);
    reset();
    const test::stuck_sends stuck;
    on_all_nodes({.nodes = 2, .seed = 1}, 1, [&](runtime&) {
      if (this_node() != 0) return;
      const auto there = make_mobile<sink>(at_node(1));
      finish([&] {
        for (long i = 0; i < letters; ++i) {
          if (to_objects) send(there, call<&put_in>(std::vector<std::byte>(letter_bytes)));
          else async(at_node(1), call<&begins>(std::vector<std::byte>(letter_bytes)));
          ++sent;
        }
      });
    });
    CHECK(begun == letters);
    // The capacity of each side, and the messages between them: the simulated network requests each payload separately.
    CHECK(most_ahead.load() < 4 * letters_of_room + stuck.most());
  }
}

TEST_CASE("nodes that flood each other make progress") {
  const test::with_variable room("STRETTO_MESSAGE_MEMORY", "64K");
  reset();
  on_all_nodes({.nodes = 3, .seed = 2}, 1, [&](runtime&) {
    finish([&] {
      for (int i = 0; i < 100; ++i)
        for (std::uint32_t n = 0; n < job_nodes(); ++n)
          async([n] { async(at_node(n), call<&begins>(std::vector<std::byte>(letter_bytes))); });
    });
  });
  CHECK(begun == 900);
}

TEST_CASE("a message is sent although the message that lets it start is sent later") {
  const test::with_variable room("STRETTO_MESSAGE_MEMORY", "64K");
  reset();
  on_all_nodes({.nodes = 2, .seed = 3}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const auto there = make_mobile<sink>(at_node(1));
    finish([&] {
      const auto start = user_event::create();
      for (int i = 0; i < 20; ++i) {
        async(at_node(1), after(start), call<&begins>(std::vector<std::byte>(letter_bytes)));
        send(after(start), there, call<&put_in>(std::vector<std::byte>(letter_bytes)));
      }
      start.trigger();
    });
  });
  CHECK(begun == 40);
}

TEST_CASE("in a stepped job, too, senders wait and all nodes make progress") {
  const test::with_variable room("STRETTO_MESSAGE_MEMORY", "64K");
  reset();
  const simulated_job job({.nodes = 2, .seed = 4});
  runtime first({.workers = 1, .stepped = true, .job = job.endpoint(0)}),
      second({.workers = 1, .stepped = true, .job = job.endpoint(1)});
  bool has_ended = false;
  {
    const attached_thread here(first);
    async([&] {
      finish([] {
        for (int i = 0; i < 50; ++i) async(at_node(1), call<&begins>(std::vector<std::byte>(letter_bytes)));
      });
      has_ended = true;
    });
  }
  const auto step_until = [&](auto&& is_so) {
    for (int i = 0; !is_so(); ++i) {
      REQUIRE(i < 1'000'000);
      first.step();
      second.step();
    }
  };
  step_until([&] { return has_ended; });
  CHECK(begun == 50);
  first.leave();
  second.leave();
  step_until([&] { return first.is_job_over() && second.is_job_over(); });
}

std::size_t size_of(const std::vector<std::byte>& content) { return content.size(); }
std::vector<std::byte> so_large(std::size_t bytes) { return std::vector<std::byte>(bytes, std::byte{7}); }

TEST_CASE("a message that a node has no memory for fails at its sender, and nothing else fails") {
  const test::with_variable most("STRETTO_LARGEST_MESSAGE", "20M");
  on_all_nodes({.nodes = 2, .seed = 5}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    constexpr std::size_t large = 24 << 20, just = 18 << 20;
    const auto refused = async(at_node(1), name("all of it"), call<&size_of>(std::vector<std::byte>(large)));
    const auto taken = async(at_node(1), call<&size_of>(std::vector<std::byte>(just)));
    const std::string said = test::thrown_by([&] { refused.get(); });
    CAPTURE(said);
    CHECK(said.find("error N18: node N") != said.npos);
    CHECK(said.find("has no memory for a message") != said.npos);
    CHECK(said.find("task \"all of it\"") != said.npos);
    CHECK(said.find("at most  ") != said.npos);
    CHECK(taken.get() == just);
    // The reply.
    CHECK(error_of([&] { async(at_node(1), call<&so_large>(large)).get(); }).code() == "N18");
    CHECK(async(at_node(1), call<&so_large>(just)).get().back() == std::byte{7});
    // A call inside a finish.
    CHECK(test::thrown_by([&] {
            finish([&] { async(at_node(1), call<&size_of>(std::vector<std::byte>(large))); });
          }).find("N18") != std::string::npos);
  });
}

constexpr detail::remote_function_type stranger{0, "int f(int)", nullptr};

TEST_CASE("a function that the other node does not know is refused by name, and the job continues") {
  on_all_nodes({.nodes = 2, .seed = 7}, 1, [&](runtime&) {
    if (this_node() != 0) return;
    const error e = error_of([&] { async(at_node(1), remote_call<void>(stranger, {})).get(); });
    CHECK(e.code() == "N13");
    CHECK(std::string(e.what()).find("cannot find a function") != std::string::npos);
    CHECK(async(at_node(1), call<&size_of>(std::vector<std::byte>(3))).get() == 3);
  });
}

}  // namespace
}  // namespace stretto
