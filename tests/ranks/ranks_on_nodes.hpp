// ranks_on_nodes.hpp - ranks of several nodes on the simulated network: a mailbox stands for a rank.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>
#include <stretto/task.hpp>
#include <string>
#include <thread>
#include <vector>

#include "function_reference.hpp"
#include "ranks/messages/point_to_point.hpp"
#include "ranks/messages/send_buffer.hpp"
#include "ranks/nodes/job_of_ranks.hpp"

namespace stretto::test {

/// The ranks of one node: mailboxes, and what they send by.
struct ranks_on_node {
  ranks_on_node(const simulated_job& job, std::uint32_t number, int of_job, bool stepped, std::uint64_t seed)
      : part(std::make_shared<ranks::job_of_ranks>(job.endpoint(number), ranks::job_shape{.ranks = of_job},
                                                   [](int, const std::string&) {})),
        rt(runtime_options{.workers = 2, .seed = seed, .stepped = stepped, .job = part}),
        node(part->map()),
        own(node.map().ranks_of(static_cast<int>(number))) {
    for (const ranks::world_rank rank : own) node.set_peer(rank, {&boxes[rank], nullptr});
    part->connect(node);
  }

  ranks::send_arguments to(int from, int rank, int tag, ranks::data_part data, ranks::send_mode mode = {}) {
    return {node.reach(ranks::world_rank{rank}), {ranks::context_number(0), from, tag}, data, mode, &buffer};
  }

  std::map<ranks::world_rank, ranks::mailbox> boxes;  // outlive the runtime, whose last messages go there
  ranks::send_buffer buffer;
  std::shared_ptr<ranks::job_of_ranks> part;
  runtime rt;
  ranks::node_ranks node;
  std::vector<ranks::world_rank> own;
};

/// Runs `program(node, rank)` as a task for each rank of the job.
inline void run_on_nodes(const simulated_network& network, int of_job,
                         function_reference<void(ranks_on_node&, int)> program) {
  const simulated_job job(network);
  std::vector<std::thread> all;
  for (std::uint32_t n = 0; n < network.nodes; ++n)
    all.emplace_back([&, n] {
      ranks_on_node on(job, n, of_job, false, network.seed);
      on.buffer.attach(nullptr, 16 << 20);
      on.rt.run([&] {
        on.part->wait_for_others();
        for (const ranks::world_rank rank : on.own)
          async([&on, &program, rank] { program(on, static_cast<int>(rank)); });
      });
      on.part->close();
    });
  for (std::thread& node : all) node.join();
}

}  // namespace stretto::test
