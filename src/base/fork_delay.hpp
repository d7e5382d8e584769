// fork_delay.hpp - keeps the process from forking while a library holds a lock that nobody can reset in the child.
//
//     const base::fork_delay here;  // hwloc locks its list of components
//     hwloc_topology_init(&t);
//
// Threads     any. fork() waits until none lives, and constructors wait until fork() has returned. A thread that has
// one
//             must not fork, nor construct another one.
#pragma once

namespace stretto::base {

class fork_delay {
 public:
  fork_delay();
  fork_delay(const fork_delay&) = delete;
  ~fork_delay();
};

}  // namespace stretto::base
