// Nodes with unlike numbers of accelerators, on the simulated network: a mailbox stands for a rank.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <optional>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>
#include <thread>
#include <vector>

#include "campaign.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/messages/send_buffer.hpp"
#include "ranks/nodes/job_of_ranks.hpp"

using namespace stretto;
using ranks::context_number, ranks::world_rank;

namespace {

std::vector<int> nodes_of_ranks(const ranks::rank_map& map) {
  std::vector<int> all;
  for (int r = 0; r < map.ranks(); ++r) all.push_back(map.node_of(world_rank{r}));
  return all;
}

/// Each rank sends its number to the next one.
void pass_number(ranks::node_ranks& node, ranks::mailbox& own, ranks::send_buffer& buffer, int rank) {
  const int next = (rank + 1) % node.size(), last = (rank + node.size() - 1) % node.size();
  int sent = rank, received = -1;
  ranks::send({node.reach(world_rank{next}), {context_number(0), rank, 0}, {&sent, sizeof sent}, {}, &buffer});
  ranks::receive({own, {context_number(0), last, 0}, {&received, sizeof received}});
  CHECK(received == last);
}

void run_node(const simulated_job& job, std::uint32_t number, std::uint64_t seed, const std::vector<int>& counts) {
  std::map<world_rank, ranks::mailbox> boxes;  // outlive the runtime, whose last messages go there
  ranks::send_buffer buffer;
  const auto part = std::make_shared<ranks::job_of_ranks>(
      job.endpoint(number), ranks::job_shape{.is_by_accelerators = true}, [](int, const std::string&) {});
  runtime rt(runtime_options{.workers = 2, .seed = seed, .job = part});
  std::optional<ranks::node_ranks> node;
  rt.run([&] { node.emplace(part->map_by_accelerators(counts[number])); });
  CHECK(nodes_of_ranks(node->map()) == nodes_of_ranks(ranks::rank_map(counts)));
  const auto own = node->map().ranks_of(static_cast<int>(number));
  CHECK(own.size() == static_cast<std::size_t>(counts[number]));
  for (const world_rank rank : own) node->set_peer(rank, {&boxes[rank], nullptr});
  part->connect(*node);
  rt.run([&] {
    part->wait_for_others();
    for (const world_rank rank : own)
      async([&, rank] { pass_number(*node, boxes[rank], buffer, static_cast<int>(rank)); });
  });
  part->close();
}

}  // namespace

TEST_CASE("each node has as many ranks as accelerators, and messages find them") {
  for (const auto& counts : std::vector<std::vector<int>>{{2, 0, 3}, {0, 4}, {1, 1}, {5, 1, 1, 0}})
    for (std::uint64_t seed = 1; seed <= test::scaled<std::uint64_t>(3, 100); ++seed) {
      CAPTURE(seed);
      const simulated_job job({.nodes = static_cast<std::uint32_t>(counts.size()), .seed = seed});
      std::vector<std::thread> all;
      for (std::uint32_t n = 0; n < counts.size(); ++n) all.emplace_back([&, n] { run_node(job, n, seed, counts); });
      for (std::thread& one : all) one.join();
    }
}
