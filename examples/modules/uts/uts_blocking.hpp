// uts_blocking.hpp - work stealing between PEs by blocking calls of OpenSHMEM: the pool of nodes of each PE, from which
// others steal half, under a lock; and the end of the search.
//
// Threads     the thread that has initialised OpenSHMEM.
// Invariants  (1) an idle PE has no nodes, neither on a stack nor in its pool. (2) a PE ends to be idle before it takes
//             nodes of others. So no nodes are left once all PEs are idle.
#pragma once

#include "uts_program.hpp"

namespace uts {

class shared_pool {
 public:
  shared_pool();
  /// Begins another search: collective.
  void reset();

  /// Whether other PEs find little here.
  bool is_low() const { return *available_ < static_cast<long>(least_shared); }
  /// Makes nodes available to others.
  void put(const stack& nodes);
  /// Takes all nodes out of the own pool.
  stack take_back();
  /// Half of the pool of another PE. Empty once all PEs are idle. The own pool and all stacks of the PE are empty.
  stack steal();

 private:
  stack take(int from, bool all);

  int pe_, pes_;
  node* nodes_;               // symmetric, as what follows
  volatile long* available_;  // nodes in the pool
  long* locks_;               // of the pools, by PE
  long* idle_;                // at PE 0: how many PEs are idle
};

/// The program, except for the start and end of OpenSHMEM: `search` counts the nodes of this PE. The exit code.
int run(const char* version, const arguments& given, census (*search)(const tree&, shared_pool&, bool has_root));

}  // namespace uts
