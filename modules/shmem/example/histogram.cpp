// Each PE counts its share of some numbers, and sends the counts to the PE that each bucket belongs to. That one adds
// them up in a task that runs when they have arrived.
#include <stretto_shmem/shmem_module.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

using namespace stretto;

constexpr int numbers = 1'000'000, buckets = 64;

int main() {
  auto net = std::make_shared<shmem_module>();
  runtime rt({.modules = {net}});
  rt.run([&] {
    const int pes = net->pes(), me = net->pe(), each = buckets / pes;
    long* const arrived = net->allocate<long>(static_cast<std::size_t>(buckets)).get();  // `each` from every PE
    auto* const signals = net->allocate<unsigned long>(static_cast<std::size_t>(pes)).get();

    std::vector<future<long>> sums;
    for (int from = 0; from < pes; ++from)
      sums.push_back(net->async_when(signals + from, shmem::comparison::equal, 1, [=] {
        return std::accumulate(arrived + from * each, arrived + (from + 1) * each, 0L);
      }));

    std::vector<long> counts(buckets);
    for (long i = me; i < numbers; i += pes) ++counts[static_cast<std::size_t>(i * 2654435761 % 1'000'003 % buckets)];
    for (int to = 0; to < pes; ++to)
      net->put_signal(arrived + me * each, std::span(counts).subspan(static_cast<std::size_t>(to * each), each),
                      signals + me, 1, to);

    long* const totals = net->allocate<long>(2).get();
    for (auto& s : sums) totals[0] += s.get();
    net->reduce<shmem::operation::sum>(totals + 1, totals, 1).get();
    if (me == 0) std::printf("%ld numbers in %d buckets\n", totals[1], buckets);
  });
}
