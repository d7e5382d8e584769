// 22_mobile.cpp - mobile objects that get messages while they migrate.
//
// This program shows mobile objects. A mobile object lives on one node and can migrate to another. A message to it
// names the object, not the node, and runs a handler where the object is. A token passes round a ring of five counters,
// while the counters migrate. A message to a destroyed object fails. It helps readers who know actors or the chares of
// Charm++.
//
// Started alone, the program simulates a job of three nodes in one process. `stretto run -n 3 22_mobile` starts three
// processes instead.
//
// Output
//   the token was passed 1000 times
//   all counters together have seen 1001
//   M1 has been destroyed
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include <stretto/stretto.hpp>

using namespace stretto;

struct counter {
  long seen = 0;
  long shown() const { return seen; }
  template <class Archive>
  friend void fields(Archive& a, archived<counter, Archive>& c) {
    a(c.seen);
  }
};

/// The handler: the counter at `at` has the token, and passes it on.
void take_token(counter& c, std::vector<mobile<counter>> ring, std::size_t at, int left) {
  ++c.seen;
  if (left == 0) return;
  const std::size_t next = (at + 1) % ring.size();
  send(ring[next], call<&take_token>(ring, next, left - 1));
}

void program() {
  if (this_node() != 0) return;  // the others serve, until the job is over
  std::vector<mobile<counter>> ring;
  for (std::uint32_t i = 0; i < 5; ++i) ring.push_back(make_mobile<counter>(at_node(i % job_nodes()), name("counter")));

  finish([&] {
    send(ring[0], call<&take_token>(ring, std::size_t{0}, 1000));
    for (std::uint32_t i = 0; i < 20; ++i) migrate(ring[i % 5], at_node((i * 7 + 1) % job_nodes()));  // meanwhile
  });
  std::puts("the token was passed 1000 times");
  long all = 0;
  for (const auto& c : ring) all += send(c, call<&counter::shown>()).get();
  std::printf("all counters together have seen %ld\n", all);

  for (const auto& c : ring) destroy(c).get();
  try {
    send(ring[0], call<&counter::shown>()).get();
  } catch (const poisoned& e) {
    try {
      std::rethrow_exception(e.root());
    } catch (const error& why) {
      std::puts(why.sentence().c_str());
    }
  } catch (const error& why) {
    std::puts(why.sentence().c_str());
  }
}

int main() {
  if (runtime rt; rt.nodes() > 1) {  // a launcher has started several processes
    rt.run(program);
    return 0;
  }
  simulated_job job({.nodes = 3});
  std::vector<std::thread> nodes;
  for (std::uint32_t n = 0; n < job.nodes(); ++n)
    nodes.emplace_back([&job, n] {
      runtime rt({.job = job.endpoint(n)});
      rt.run(program);
    });
  for (auto& t : nodes) t.join();
}
