// Unbalanced tree search with OpenSHMEM alone: one thread for each PE, which searches, shares and steals.
//
//     oshrun -n 2 uts_flat T1            verified: 4130071 nodes, 3305118 leaves, depth 10
#include "modules/started_openshmem.hpp"
#include "uts_blocking.hpp"

namespace {

uts::census search(const uts::tree& tree, uts::shared_pool& pool, bool has_root) {
  uts::census found;
  uts::stack nodes;
  if (has_root) nodes.push_back(tree.root());
  for (int steps = 0;; ++steps) {
    if (nodes.empty()) nodes = pool.take_back();
    if (nodes.empty()) nodes = pool.steal();
    if (nodes.empty()) return found;
    uts::expand(tree, nodes, found);
    if (steps % uts::steps_per_check == 0 && nodes.size() >= 2 * uts::least_shared && pool.is_low())
      pool.put(uts::take_oldest(nodes, nodes.size() / 2));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const started_openshmem here;
  return uts::run("OpenSHMEM", uts::arguments::parse(argc, argv), search);
}
