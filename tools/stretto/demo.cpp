// demo.cpp - stretto demo NAME: the demonstration programs, one row of a table and one file demo_<name>.cpp each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stretto/error.hpp>

#include "base/nearest_name.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {
namespace {

constexpr std::array demos{
    command{"wave", "Sends sound through a piece of ground, a task for each step of each tile", demo_wave},
    command{"uts", "Searches an unbalanced tree whose size is published", demo_uts},
    command{"jacobi3d", "Relaxes a field in three dimensions, in parts that are mobile objects on several nodes",
            demo_jacobi3d},
    command{"particles", "Carries a drop of particles round a box, on nodes that balance the load or do not",
            demo_particles},
    command{"sound",
            "Sends the sound of the wave through the ground on buffers, distributed over all nodes and devices",
            demo_sound},
    command{"life", "Lets two guns fire at each other on a board that is distributed over all nodes", demo_life},
    command{"rsim", "Follows a flash of light through a room, each step from all steps before", demo_rsim},
    command{"bodies", "Lets two discs of bodies pass one another, each of which attracts each", demo_bodies},
    command{"cg", "Solves a system of linear equations, whose sparse matrix is distributed by rows", demo_cg},
    command{"matrix", "Multiplies two matrices in tiles, which are drawn by the node that has computed them",
            demo_matrix},
    command{"patterns", "Grows patterns in one, two and three dimensions, each part from all that is there",
            demo_patterns},
    command{"streams", "Draws random numbers in many tasks, most of which do not follow one another", demo_streams},
    command{"ranks", "Heats a plate by an MPI program in C, whose ranks are tasks of one process", demo_ranks},
    command{"acc", "Orders kernels, copies and messages of a program with OpenACC in three ways", demo_acc},
};

void print_help(const invocation& call) {
  fmt::print("{0}.\n\nstretto {1} [NAME] [ARGUMENT...]\n\n", call.summary, call.name);
  for (const auto& one : demos) fmt::print("  {:11}{}\n", one.name, one.summary);
  fmt::print("\nWithout a NAME it is {0}. stretto {1} NAME --help says more about one.\n", demos[0].name, call.name);
}

}  // namespace

int run_demo(const invocation& call) {
  auto rest = call.arguments;
  if (!rest.empty() && rest.front() == "--help") {
    print_help(call);
    return 0;
  }
  std::string name(demos[0].name);
  if (!rest.empty() && !rest.front().starts_with("-")) {
    name = rest.front();
    rest.erase(rest.begin());
  }
  const auto found = std::ranges::find(demos, name, &command::name);
  if (found == demos.end()) {
    std::vector<std::string> names;
    for (const auto& one : demos) names.emplace_back(one.name);
    const auto near = base::did_you_mean(name, names);
    throw error("W06", fmt::format("there is no demonstration \"{}\"", name))
        .remedy(near.empty() ? "stretto demo --help" : near);
  }
  const std::string words = fmt::format("{} {}", call.name, name);
  return found->run({words, found->summary, call.options, rest});
}

}  // namespace stretto::tools
