// Breadth-first search with MPI alone: a process posts a receive for each other process, and tests them while it
// expands vertices.
//
//     mpirun -n 2 bfs_mpi_flat 16        verified: 8 searches keep the five rules
#include <mpi.h>

#include <algorithm>
#include <deque>

#include "bfs_program.hpp"
#include "polling_search.hpp"

namespace {

using namespace graph500;

constexpr int message_tag = 0, last_tag = 1;

class request_exchange {
 public:
  request_exchange() {
    MPI_Comm_rank(MPI_COMM_WORLD, &me_);
    MPI_Comm_size(MPI_COMM_WORLD, &processes_);
    come_.assign(processes_, std::vector<discovery>(most_discoveries));
    receives_.assign(processes_, MPI_REQUEST_NULL);
  }

  void begin_level() {
    for (int from = 0; from < processes_; ++from)
      if (from != me_) receive(from);
  }

  template <class Handle>
  bool poll(Handle& handle) {
    for (;;) {
      int from = 0, has_come = 0;
      MPI_Status status;
      MPI_Testany(processes_, receives_.data(), &from, &has_come, &status);
      if (!has_come) return false;
      if (from == MPI_UNDEFINED) return end_level();
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      handle({come_[from].data(), bytes / sizeof(discovery)});
      if (status.MPI_TAG != last_tag) receive(from);
    }
  }

  template <class Handle>
  void send(int to, const std::vector<discovery>& some, bool is_last, Handle&) {
    remove_ended_sends();
    sends_.push_back({some, MPI_REQUEST_NULL});
    auto& [kept, request] = sends_.back();
    MPI_Isend(kept.data(), static_cast<int>(kept.size() * sizeof(discovery)), MPI_BYTE, to,
              is_last ? last_tag : message_tag, MPI_COMM_WORLD, &request);
  }

  static long sum(long n) {
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return n;
  }

 private:
  struct pending_send {
    std::vector<discovery> kept;
    MPI_Request request;
  };

  void receive(int from) {
    MPI_Irecv(come_[from].data(), static_cast<int>(most_discoveries * sizeof(discovery)), MPI_BYTE, from, MPI_ANY_TAG,
              MPI_COMM_WORLD, &receives_[from]);
  }
  void remove_ended_sends() {
    for (int has_ended = 1; !sends_.empty(); sends_.pop_front()) {
      MPI_Test(&sends_.front().request, &has_ended, MPI_STATUS_IGNORE);
      if (!has_ended) return;
    }
  }
  bool end_level() {
    remove_ended_sends();
    return sends_.empty();
  }

  int me_ = 0, processes_ = 1;
  std::vector<std::vector<discovery>> come_;  // by process
  std::vector<MPI_Request> receives_;         // by process
  std::deque<pending_send> sends_;
};

std::vector<vertex> gather(const std::vector<vertex>& mine, int processes) {
  std::vector<vertex> all(mine.size() * processes);
  const int n = static_cast<int>(mine.size());
  MPI_Allgather(mine.data(), n, MPI_UINT32_T, all.data(), n, MPI_UINT32_T, MPI_COMM_WORLD);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0, processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const arguments given = arguments::parse(argc, argv);
  const graph_part g(given.scale, me, processes);
  search_tree tree(g);
  request_exchange exchange;
  polling_search search(g, tree, exchange);
  const collectives all{[] { MPI_Barrier(MPI_COMM_WORLD); }, request_exchange::sum,
                        [&](const std::vector<vertex>& mine) { return gather(mine, processes); }};
  const int code = run("MPI", given, g, tree, all, [&](vertex root) { search.run(root); });
  MPI_Finalize();
  return code;
}
