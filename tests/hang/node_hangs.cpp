// Several nodes of a job, where what is at fault is on another one than what waits.
#include <stretto/buffer.hpp>
#include <stretto/collection.hpp>
#include <stretto/copy.hpp>
#include <stretto/job.hpp>
#include <stretto/launch.hpp>
#include <stretto/mobile.hpp>

#include <ctime>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "hang_programs.hpp"

namespace hang {
namespace {

/// Every thread belongs to a runtime: this one is node 0.
template <class F>
void on_nodes(std::uint32_t nodes, F first) {
  const simulated_job job({.nodes = nodes});
  std::vector<std::jthread> others;
  for (std::uint32_t n = 1; n < nodes; ++n)
    others.emplace_back([&, n] {
      runtime rt({.workers = 2, .job = job.endpoint(n)});
      rt.run([] {});
    });
  runtime rt({.workers = 2, .job = job.endpoint(0)});
  rt.run(first);
}

void take_part(barrier together) {
  if (this_node() == 2) return;  // as one that has met an error
  together.arrive();
  wait(together.event());  // NAMED left_the_collective
}

void left_the_collective(runtime&) {
  on_nodes(3, [] {
    const auto together = barrier::create(3);  // GUILTY left_the_collective
    for (std::uint32_t n = 0; n < 3; ++n) async(at_node(n), call<&take_part>(together));
  });
}

struct speaker {
  void ask(mobile<speaker> other, barrier both) {
    both.arrive();
    wait(both.event());
    send(other, call<&speaker::answer>()).get();  // GUILTY each_others_message
  }
  void answer() {}
  template <class Archive>
  friend void fields(Archive&, archived<speaker, Archive>&) {}
};

void each_others_message(runtime&) {
  on_nodes(2, [] {
    const auto left = make_mobile<speaker>(at_node(0), name("left")),
               right = make_mobile<speaker>(at_node(1), name("right"));
    const auto both = barrier::create(2);
    send(left, call<&speaker::ask>(right, both));
    send(right, call<&speaker::ask>(left, both));
  });
}

struct keeper {
  void keep(event until) { wait(until); }  // NAMED lost_to_a_handler
  int read() const { return 1; }
  template <class Archive>
  friend void fields(Archive&, archived<keeper, Archive>&) {}
};

struct member {
  member() = default;
  explicit member(std::size_t) {}
  int take_part(event until) {
    if (this_node() == 1) wait(until);  // NAMED broadcast_to_who_waits
    return 1;
  }
  template <class Archive>
  friend void fields(Archive&, archived<member, Archive>&) {}
};

void broadcast_to_who_waits(runtime&) {
  on_nodes(3, [] {
    const auto never = user_event::create();  // GUILTY broadcast_to_who_waits
    const auto all = make_collection<member>(name("all"), 6);
    reduce(all, call<&member::take_part>(event(never)), 0, std::plus<>()).get();  // NAMED broadcast_to_who_waits
  });
}

void lost_to_a_handler(runtime&) {
  on_nodes(3, [] {
    const auto never = user_event::create();  // GUILTY lost_to_a_handler
    const auto kept = make_mobile<keeper>(at_node(2), name("kept"));
    detached([&] { send(kept, call<&keeper::keep>(event(never))); });
    send(kept, call<&keeper::read>()).get();  // NAMED lost_to_a_handler
  });
}

void hold(reservation tally) { wait(tally.acquire()); }  // NAMED held_far_away

void held_far_away(runtime&) {
  on_nodes(2, [] {
    const auto tally = reservation::create();  // GUILTY held_far_away
    async(at_node(1), call<&hold>(tally)).get();
    wait(tally.acquire());  // NAMED held_far_away
  });
}

void wait_for(event e) { wait(e); }  // NAMED awaited_far_away

void awaited_far_away(runtime&) {
  on_nodes(2, [] {
    const auto never = user_event::create();  // GUILTY awaited_far_away
    async(at_node(1), name("far"), call<&wait_for>(event(never)));
  });
}

void leave_behind(event e) {
  async(after(e), name("left behind"), [] {});  // NAMED spawned_far_away
}

void spawned_far_away(runtime&) {
  on_nodes(2, [] {
    const auto never = user_event::create();  // GUILTY spawned_far_away
    finish([&] { async(at_node(1), call<&leave_behind>(event(never))); });
  });
}

using numbers = instance<double>;

event never_triggered() { return user_event::create(); }  // GUILTY copied_far_away

void copied_far_away(runtime&) {
  on_nodes(3, [] {
    const event never = async(at_node(2), call<&never_triggered>()).get();
    const numbers a = numbers::create(at_node(1), box(0, 100), {.name = "a"}).made;
    const numbers b = numbers::create(at_node(2), box(0, 100), {.name = "b"}).made;
    const event copied = copy(a, b, after(never));  // NAMED copied_far_away
    async(after(copied), name("reader"), [] {});
  });
}

void made_far_away(runtime&) {
  on_nodes(2, [] {
    const auto never = user_event::create();  // GUILTY made_far_away
    const numbers u =
        numbers::create(at_node(1), box(0, 100), {.name = "u"}, after(event(never))).made;  // NAMED made_far_away
    wait(fill(u, 1.0));                                                                     // NAMED made_far_away
  });
}

void each_others_copy(runtime&) {
  on_nodes(3, [] {
    const numbers a = numbers::create(at_node(1), box(0, 100), {.name = "a"}).made;
    const numbers b = numbers::create(at_node(2), box(0, 100), {.name = "b"}).made;
    const auto turn = user_event::create();
    const event there = copy(a, b, after(event(turn)));  // GUILTY each_others_copy
    const event back = copy(b, a, after(there));         // NAMED each_others_copy
    turn.trigger(back);
    wait(there);
  });
}

struct endless {
  void run() {
    for (;;) {  // as a loop that does not converge
      const timespec pause{1, 0};
      ::nanosleep(&pause, nullptr);
    }
  }
  template <class Archive>
  friend void fields(Archive&, archived<endless, Archive>&) {}
};

// clang-format off
STRETTO_KERNEL(add_one, (inout<int> x), { x(global_id(0)) += 1; })
// clang-format on

/// Node 1 keeps what it read, and node 0 waits for what it lacks of that.
void adds_and_reads() {
  const int zeros[2] = {};
  const buffer<int> x(box(0, 2), zeros, {.name = "x"});
  auto seen = x.read().get();  // GUILTY seen_elsewhere
  if (this_node() == 0) seen.release();
  launch(name("again"), add_one, x.elements(), x(one_to_one));  // NAMED seen_elsewhere
  x.read().get();
}

void seen_elsewhere(runtime&) {
  const simulated_job job({.nodes = 2});
  std::jthread other([&] {
    runtime rt({.workers = 2, .job = job.endpoint(1)});
    rt.run(adds_and_reads);
  });
  runtime rt({.workers = 2, .job = job.endpoint(0)});
  rt.run(adds_and_reads);
}

void never_returns(runtime&) {
  on_nodes(2, [] {
    const auto stuck = make_mobile<endless>(at_node(1), name("stuck"));
    send(stuck, call<&endless::run>()).get();  // GUILTY never_returns
  });
}

/// The run of the other node has failed, which is not why this one waits for itself.
void beside_a_failure(runtime&) {
  const simulated_job job({.nodes = 2});
  std::jthread other([&] {
    runtime rt({.workers = 2, .job = job.endpoint(1)});
    try {
      rt.run([] { throw std::runtime_error("no ink"); });
    } catch (const std::exception&) {
    }
  });
  runtime rt({.workers = 2, .job = job.endpoint(0)});
  rt.run([] {
    const auto tally = reservation::create();  // GUILTY beside_a_failure
    wait(tally.acquire());                     // NAMED beside_a_failure
    wait(tally.acquire());                     // NAMED beside_a_failure
  });
}

}  // namespace

const program node_hangs[] = {{"left_the_collective", left_the_collective},
                              {"each_others_message", each_others_message},
                              {"lost_to_a_handler", lost_to_a_handler},
                              {"held_far_away", held_far_away},
                              {"broadcast_to_who_waits", broadcast_to_who_waits},
                              {"awaited_far_away", awaited_far_away},
                              {"spawned_far_away", spawned_far_away},
                              {"copied_far_away", copied_far_away},
                              {"made_far_away", made_far_away},
                              {"each_others_copy", each_others_copy},
                              {"seen_elsewhere", seen_elsewhere},
                              {"never_returns", never_returns},
                              {"beside_a_failure", beside_a_failure},
                              {nullptr, nullptr}};

}  // namespace hang
