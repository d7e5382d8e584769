// A node that ends in the middle of its job, in one of many ways.
//
//     odd_ends HOW [all]      node 1, or all nodes
#include <mpi.h>
#include <unistd.h>

#include <stretto/stretto.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

using namespace stretto;

namespace {

void end_node(const std::string& how) {
  if (how == "exit") std::exit(3);
  if (how == "exit 0") std::exit(0);
  if (how == "exit in a task") async([] { std::exit(3); }).get();
  if (how == "exit in a thread") std::thread([] { std::exit(3); }).join();
  if (how == "quick_exit") std::quick_exit(3);
  if (how == "quick_exit 0") std::quick_exit(0);
  if (how == "_exit") _exit(3);
  if (how == "_exit 0") _exit(0);
  if (how == "abort") std::abort();
  if (how.starts_with("MPI_Abort")) {
    std::printf("last words of node %u\n", this_node());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, how == "MPI_Abort 0" ? 0 : 5);
  }
  if (how == "throw") throw std::runtime_error("out of main");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const bool all = argc > 2;
  const auto body = [&] {
    if (all || this_node() == 1) end_node(how);
    buffer<int> b(box(0, 10), [](coordinate i) { return static_cast<int>(i); });
    b.read().get();  // of all nodes
  };
  if (how == "MPI_Finalize") {
    MPI_Init(&argc, &argv);
    runtime rt;
    rt.run(body);
    MPI_Finalize();
    return 0;
  }
  if (how == "static") {  // which ends in time
    static runtime rt;
    rt.run(body);
    return 0;
  }
  if (how == "leak") {
    auto rt = std::make_unique<runtime>();
    rt.release()->run(body);
    return 0;
  }
  runtime rt;
  rt.run(body);
  if (how == "return from main") return 0;
  if (how == "exit after run" && (all || rt.node() == 1)) std::exit(3);
}
