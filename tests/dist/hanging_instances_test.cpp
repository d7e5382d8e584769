// Hang reports of a job: each operation on instances of several nodes is a link of the chains of waiting.
#include <stretto/copy.hpp>
#include <stretto/event.hpp>
#include <stretto/job.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/remote.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "diagnose/hang_report.hpp"
#include "diagnose/merged_snapshot.hpp"
#include "diagnose/runtime_monitor.hpp"
#include "dist/posted_copies.hpp"
#include "dist/simulated.hpp"
#include "eventually.hpp"
#include "sched/worker.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::on_all_nodes;
using numbers = instance<double>;

constexpr std::uint32_t hanging_nodes = 3;

event never_of_there() { return user_event::create(); }
event never_of(std::uint32_t node) { return async(at_node(node), call<&never_of_there>()).get(); }
numbers array_of_there(double first) {
  const numbers a = numbers::create(at(this_machine().memories().front()), box(0, 100), {.name = "a"}).made;
  a.view()(0) = first;
  return a;
}

/// That line of this file.
std::string at_line(int line) { return "hanging_instances_test.cpp:" + std::to_string(line); }

/// The event that a task of node 0 waits for, and the expected report.
struct held_up {
  event awaited;                   // by the task
  event never;                     // never triggered
  std::vector<std::string> chain;  // in this order
};
/// Runs `hold_up` on node 0, and takes snapshots of all nodes until the merged one shows that chain.
template <class F>
void check_told(F&& hold_up) {
  std::array<std::atomic<sched::scheduler*>, hanging_nodes> all{};
  on_all_nodes({.nodes = hanging_nodes, .seed = 3}, 2, [&](runtime& rt) {
    all[this_node()] = static_cast<sched::thread_state&>(base::require_current("test")).owner;
    if (this_node() != 0) return;
    for (const auto& s : all)
      while (!s.load()) std::this_thread::yield();
    const held_up is = hold_up(rt);
    const auto reader = async(after(is.awaited), name("reader"), [] {});
    const auto look = [&] {
      std::vector<base::wait_snapshot> each;
      for (const auto& s : all) each.push_back(diagnose::snapshot_of(*s.load(), 1));
      base::wait_snapshot together = diagnose::merge_snapshots(each);
      together.is_proven = true;
      return diagnose::report_text(together);
    };
    const auto has_all = [&](const std::string& text) {
      std::size_t from = 0;
      for (const std::string& link : is.chain) {
        from = text.find(link, from);
        if (from == text.npos) return false;
        from += link.size();
      }
      return true;
    };
    std::string text = look();
    const bool is_found = test::eventually([&] { return has_all(text); },
                                           [&] {
                                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                             text = look();
                                           });
    INFO(text);
    std::string wanted;
    for (const std::string& link : is.chain) wanted += link + "\n";
    INFO(wanted);
    CHECK(is_found);
    static_cast<const user_event&>(is.never).trigger();
    reader.get();
  });
}

TEST_CASE("a hang behind a copy that a third node asked for is followed to the node that is read") {
  check_told([](runtime&) {
    const event never = never_of(2);
    const numbers a = async(at_node(1), call<&array_of_there>(1.0)).get();
    const auto [b, ready] = numbers::create(at_node(2), box(0, 100), {.name = "b"});
    const int line = __LINE__ + 1;
    const event copied = copy(a, b, after(never));
    return held_up{copied,
                   never,
                   {"error H01: work waits for an event that nothing will trigger", ", by N2", "task \"reader\" on N0",
                    "for         copy from node N1 to node N2 (submitted " + at_line(line) + " on N0)\n",
                    "for         copy of instance \"a\" on N1, which waits for its preconditions\n"}};
  });
}

TEST_CASE("a hang behind a copy whose precondition is never triggered names the copy where it waits") {
  check_told([](runtime& rt) {
    const int made = __LINE__ + 1;
    const event never = user_event::create();
    const numbers a = numbers::create(at(rt.machine().memories().front()), box(0, 100), {.name = "a"}).made;
    const auto [b, ready] = numbers::create(at_node(1), box(0, 100), {.name = "b"});
    const int line = __LINE__ + 1;
    const event copied = copy(a, b, after(never));
    return held_up{copied,
                   never,
                   {"error H01", at_line(made) + ", by N0", "task \"reader\" on N0",
                    "for         copy from instance \"a\" to node N1 (submitted " + at_line(line) +
                        " on N0), which waits for its preconditions\n"}};
  });
}

TEST_CASE("a hang behind a copy from another node that waits for an event here names it, before any message has gone") {
  check_told([](runtime& rt) {
    const event never = user_event::create();
    const numbers a = async(at_node(1), call<&array_of_there>(1.0)).get();
    const numbers here = numbers::create(at(rt.machine().memories().front()), box(0, 100), {.name = "here"}).made;
    const int line = __LINE__ + 1;
    const event copied = copy(a, here, after(never));
    return held_up{copied,
                   never,
                   {"error H01", ", by N0",
                    "for         copy from node N1 to instance \"here\" (submitted " + at_line(line) +
                        " on N0), which waits for its preconditions\n"}};
  });
}

TEST_CASE("a hang behind a reduction, a fill and a destruction on other nodes is followed there") {
  check_told([](runtime&) {
    const event never = never_of(2);
    const numbers a = async(at_node(1), call<&array_of_there>(1.0)).get();
    const auto [b, ready] = numbers::create(at_node(2), box(0, 100), {.name = "b"});
    const int line = __LINE__ + 1;
    const event summed = reduce<sum<double>>(a, b, after(never));
    return held_up{
        summed,
        never,
        {"error H01", ", by N2", "for         reduce from node N1 to node N2 (submitted " + at_line(line) + " on N0)\n",
         "for         reduce of instance \"a\" on N1, which waits for its preconditions\n"}};
  });
  check_told([](runtime&) {
    const event never = never_of(2);
    const numbers a = async(at_node(1), call<&array_of_there>(1.0)).get();
    const int line = __LINE__ + 1;
    const event filled = fill(a, 2.0, after(never));
    return held_up{filled,
                   never,
                   {"error H01", ", by N2", "for         fill on node N1 (submitted " + at_line(line) + " on N0)\n",
                    "for         fill to instance \"a\" on N1, which waits for its preconditions\n"}};
  });
  check_told([](runtime&) {
    const event never = never_of(2);
    const numbers a = async(at_node(1), call<&array_of_there>(1.0)).get();
    const int line = __LINE__ + 1;
    const event gone = a.destroy(after(never));
    return held_up{gone,
                   never,
                   {"error H01", ", by N2", "for         destroy on node N1 (submitted " + at_line(line) + " on N0)\n",
                    "for         destruction of instance \"a\" on N1 (submitted " + at_line(line) + ")\n"}};
  });
}

TEST_CASE("a hang behind an instance that is never made on another node is followed to what its creation waits for") {
  check_told([](runtime&) {
    const event never = never_of(2);
    const int line = __LINE__ + 1;
    const auto made = numbers::create(at_node(1), box(0, 100), {.name = "u"}, after(never));
    return held_up{made.ready,
                   never,
                   {"error H01", ", by N2",
                    "for         creation of instance \"u\" on node N1 (submitted " + at_line(line) + " on N0)\n",
                    "for         creation of instance \"u\" on N1 (submitted " + at_line(line) + ")\n"}};
  });
  // A copy to it has begun; its elements wait there.
  check_told([](runtime& rt) {
    const event never = never_of(2);
    const numbers here = numbers::create(at(rt.machine().memories().front()), box(0, 100), {.name = "here"}).made;
    const int line = __LINE__ + 1;
    const auto made = numbers::create(at_node(1), box(0, 100), {.name = "u"}, after(never));
    const int copying = __LINE__ + 1;
    const event copied = copy(here, made.made);
    return held_up{copied,
                   never,
                   {"error H01", ", by N2",
                    "for         copy from instance \"here\" to node N1 (submitted " + at_line(copying) + " on N0)\n",
                    "for         copy to instance \"u\" on N1, which waits for that instance to be there\n",
                    "for         creation of instance \"u\" on N1 (submitted " + at_line(line) + ")\n"}};
  });
}

/// Pushed by node 1 after an event there, or never.
event push_ten(std::uint32_t to, event before) {
  return test::push(array_of_there(1.0), to, 5, std::array{box(0, 10)}, before);
}

TEST_CASE("a hang behind elements that another node does not send is followed from the receive to the sender") {
  check_told([](runtime& rt) {
    const event never = never_of(2);
    const numbers u = numbers::create(at(rt.machine().memories().front()), box(0, 100), {.name = "u"}).made;
    const int line = __LINE__ + 1;
    const event done = test::post(5, u, std::array{box(0, 10)}).front();
    async(at_node(1), call<&push_ten>(0u, never)).get();
    return held_up{
        done,
        never,
        {"error H01", ", by N2", "task \"reader\" on N0",
         "for         elements that other nodes send to instance \"u\" (submitted " + at_line(line) + " on N0)\n",
         "for         what comes under number 5 on N0\n",
         "for         copy of instance \"a\" on N1, which waits for its preconditions\n"}};
  });
}

TEST_CASE(
    "a hang behind a posted receive that waits is followed to its precondition, and so is one behind a push to it") {
  check_told([](runtime& rt) {
    const event never = never_of(2);
    const numbers u = numbers::create(at(rt.machine().memories().front()), box(0, 100), {.name = "u"}).made;
    const int line = __LINE__ + 1;
    const event done = test::post(5, u, std::array{box(0, 10)}, never).front();
    async(at_node(1), call<&push_ten>(0u, event())).get();
    return held_up{done,
                   never,
                   {"error H01", ", by N2", "task \"reader\" on N0",
                    "for         elements that other nodes send to instance \"u\" (submitted " + at_line(line) +
                        " on N0), which waits for its preconditions\n"}};
  });
  check_told([](runtime& rt) {
    const event never = never_of(2);
    const numbers u = numbers::create(at(rt.machine().memories().front()), box(0, 100), {.name = "u"}).made;
    test::post(5, u, std::array{box(0, 10)}, never);
    const event pushed = async(at_node(1), call<&push_ten>(0u, event())).get();
    return held_up{
        pushed,
        never,
        {"error H01", ", by N2", "task \"reader\" on N0", "for         copy from instance \"a\" to node N0 (submitted ",
         "for         copy to instance \"u\" on N0, which waits for its preconditions\n"}};
  });
}

TEST_CASE("a hang behind a copy within global memory, or between instances of one node, names the copy") {
  const test::with_variable bytes("STRETTO_GLOBAL_MEMORY", "1M");
  check_told([](runtime& rt) {
    const event never = never_of(2);
    const place all = rt.machine().places(place_kind::global_memory).front();
    const auto there = numbers::create(at_node(1), at(all), box(0, 100), {.name = "far"});
    wait(fill(there.made, 1.0, after(there.ready)));  // from now on this node knows the instance
    const numbers here = numbers::create(at(rt.machine().memories().front()), box(0, 100), {.name = "here"}).made;
    const int line = __LINE__ + 1;
    const event copied = copy(there.made, here, after(never));
    return held_up{
        copied,
        never,
        {"error H01", ", by N2",
         "for         copy of instance \"far\" to instance \"here\" on N0 (submitted " + at_line(line) + ")\n"}};
  });
}

}  // namespace
}  // namespace stretto
