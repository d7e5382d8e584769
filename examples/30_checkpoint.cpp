// 30_checkpoint.cpp - a checkpoint of mobile objects and messages, restored by another job.
//
// This program saves a checkpoint while messages are under way, and a second job goes on from it with another number of
// nodes. It helps readers whose jobs outlive their time limit or a node.
//
// Four tokens pass round a ring of mobile counters. Each pass is a message from one counter to the next. The checkpoint
// contains the messages that wait. The first job has two nodes and the second one three, both simulated in one process.
// On a cluster they would be two runs of the program, `stretto run -n 2 ...` and `stretto run -n 3 ...`.
//
// Output
//   the first job, of 2 nodes: all tokens at rest after 400 passes
//   the second job, of 3 nodes, from the checkpoint: all tokens at rest after 400 passes
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <stdlib.h>  // mkdtemp
#include <stretto/stretto.hpp>

using namespace stretto;

struct counter {
  std::size_t me = 0;
  long passes = 0;
  collection<counter> ring;

  counter() = default;
  explicit counter(std::size_t i) : me(i) {}
  void know(collection<counter> all) { ring = all; }
  void pass(int left) {
    ++passes;
    if (left > 1) detached([&] { send(ring[(me + 1) % ring.size()], call<&counter::pass>(left - 1)); });
  }
  long count() const { return passes; }

  template <class Archive>
  friend void fields(Archive& a, archived<counter, Archive>& c) {
    a(c.me, c.passes, c.ring);
  }
};

constexpr int tokens = 4, passes_each = 100;

/// Of one job; all nodes call it.
template <class F>
void on_nodes(std::uint32_t nodes, F program) {
  const simulated_job job({.nodes = nodes});
  std::vector<std::thread> all;
  for (std::uint32_t n = 0; n < nodes; ++n)
    all.emplace_back([&, n] {
      runtime rt({.workers = 1, .job = job.endpoint(n)});
      rt.run([&] {
        if (n == 0) program();
      });
    });
  for (std::thread& t : all) t.join();
}

long passes_of(const collection<counter>& ring) {
  wait(quiescence());
  return reduce(ring, call<&counter::count>(), 0L, std::plus<>()).get();
}

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "stretto-30-XXXXXX";
  if (!mkdtemp(folder.data())) return 1;  // a folder of our own, under a name that nobody can foresee
  const std::string directory = (std::filesystem::path(folder) / "ring.ckpt").string();
  on_nodes(2, [&] {
    const auto ring = make_collection<counter>(7);
    broadcast(ring, call<&counter::know>(ring)).get();
    detached([&] {
      for (std::size_t t = 0; t < tokens; ++t) send(ring[t], call<&counter::pass>(passes_each));
    });
    save_checkpoint(directory, {keep("ring", ring)});  // goes on while files are written
    std::printf("the first job, of 2 nodes: all tokens at rest after %ld passes\n", passes_of(ring));
  });
  on_nodes(3, [&] {
    const checkpoint saved = open_checkpoint(directory);
    saved.restore_objects();
    std::printf("the second job, of 3 nodes, from the checkpoint: all tokens at rest after %ld passes\n",
                passes_of(saved.value<collection<counter>>("ring")));
  });
  std::filesystem::remove_all(folder);
}
