// ISx with OpenSHMEM alone: one thread for each PE, blocking calls, and a barrier between the exchange and the count.
//
//     oshrun -n 2 isx_flat 20 28         verified: 2097152 keys, each counted on the PE of its range
#include "isx_blocking.hpp"
#include "modules/started_openshmem.hpp"

namespace {

void sort(const isx::problem& p, isx::arrays& mine, const isx::symmetric_memory& at) {
  std::vector<std::size_t> sizes(p.pes);
  isx::count_buckets(p, mine.drawn, sizes);
  const std::vector<std::size_t> first = isx::begins(sizes);
  auto next = first;
  isx::fill_buckets(p, mine.drawn, next, mine.buckets);
  isx::exchange(p, mine, first, sizes, at);
  isx::count_keys(p, at.keys(), mine.counters, isx::counting::alone);
}

}  // namespace

int main(int argc, char** argv) {
  const started_openshmem here;
  return isx::run("OpenSHMEM", isx::arguments::parse(argc, argv), sort);
}
