// ISx with the module for OpenSHMEM. A PE puts its keys into buckets in pieces, each a task, and sends the buckets of a
// piece at once. The target counts each bucket in a task that runs when the keys have come, while other pieces are
// still being put into buckets. There is no barrier between the exchange and the count.
//
//     STRETTO_JOB=alone oshrun -n 2 isx_stretto 20 28
#include <stretto_shmem/shmem_module.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "isx_program.hpp"

namespace {

using namespace stretto;

// A bucket of a piece, where it has come to: one number that is not 0, so that its arrival can be waited for.
unsigned long encoded(std::size_t place, std::size_t keys) { return place << 32 | (keys + 1); }
std::span<const isx::key> decoded(const isx::key* came, unsigned long bucket) {
  return {came + (bucket >> 32), (bucket & 0xffffffff) - 1};
}

class sorter {
 public:
  sorter(shmem_module& net, const isx::problem& p, isx::counting how)
      : net_(net), p_(p), how_(how), drawn_(p.keys_per_pe), buckets_(p.keys_per_pe), counters_(p.range()) {
    piece_keys_ = std::max<std::size_t>(1 << 16, (p.keys_per_pe + 31) / 32);
    pieces_ = (p.keys_per_pe + piece_keys_ - 1) / piece_keys_;
    came_ = net.allocate<isx::key>(p.capacity()).get();
    end_ = net.allocate<long>(1).get();
    arrivals_ = net.allocate<unsigned long>(p.pes * pieces_).get();
    isx::draw(p, 0, drawn_);
  }

  double sort() {
    *end_ = 0;
    std::fill_n(arrivals_, p_.pes * pieces_, 0);
    std::fill(counters_.begin(), counters_.end(), 0);
    net_.barrier().get();
    const auto start = std::chrono::steady_clock::now();
    finish([&] {
      for (int from = 0; from < p_.pes; ++from)
        for (std::size_t piece = 0; from != p_.pe && piece < pieces_; ++piece) count_when_there(arrival(from, piece));
      for (std::size_t piece = 0; piece < pieces_; ++piece) async([this, piece] { send(piece); });
    });
    net_.barrier().get();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  isx::totals verify() {
    const isx::totals mine = isx::verify(p_, drawn_, {came_, static_cast<std::size_t>(*end_)}, counters_);
    long* const values = net_.allocate<long>(6).get();
    values[0] = mine.keys, values[1] = mine.sum, values[2] = mine.faults;
    net_.reduce<shmem::operation::sum>(values + 3, values, 3).get();
    return {values[3], values[4], values[5]};
  }

 private:
  unsigned long* arrival(int from, std::size_t piece) { return arrivals_ + from * pieces_ + piece; }

  void count_when_there(const unsigned long* bucket) {
    net_.async_when(bucket, shmem::comparison::not_equal, 0, [this, bucket] { count(decoded(came_, *bucket)); });
  }

  void send(std::size_t piece) {
    const std::size_t first = piece * piece_keys_, keys = std::min(piece_keys_, p_.keys_per_pe - first);
    const std::span<const isx::key> drawn = std::span(drawn_).subspan(first, keys);
    const std::span<isx::key> into = std::span(buckets_).subspan(first, keys);
    std::vector<std::size_t> sizes(p_.pes);
    isx::count_buckets(p_, drawn, sizes);
    const std::vector<std::size_t> begins = isx::begins(sizes);
    auto next = begins;
    isx::fill_buckets(p_, drawn, next, into);
    for (int i = 1; i <= p_.pes; ++i) {
      const int to = (p_.pe + i) % p_.pes;
      put(into.subspan(begins[to], sizes[to]), piece, to);
    }
  }

  void put(std::span<const isx::key> bucket, std::size_t piece, int to) {
    const auto place =
        static_cast<std::size_t>(net_.atomic_fetch_add(end_, static_cast<long>(bucket.size()), to).get());
    isx::check_capacity(p_, place + bucket.size());
    if (to != p_.pe) {
      net_.put_signal(came_ + place, bucket, arrival(p_.pe, piece), encoded(place, bucket.size()), to);
    } else {
      std::copy(bucket.begin(), bucket.end(), came_ + place);
      count(bucket);
    }
  }

  // Tasks may run at the same time also with one worker, which another thread replaces while it is blocked. A lock is
  // cheaper there than atomic additions.
  void count(std::span<const isx::key> keys) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (how_ == isx::counting::alone) lock.lock();
    isx::count_keys(p_, keys, counters_, how_);
  }

  shmem_module& net_;
  const isx::problem p_;
  const isx::counting how_;
  std::vector<isx::key> drawn_, buckets_;
  std::vector<std::uint32_t> counters_;
  std::mutex mutex_;
  std::size_t piece_keys_, pieces_;
  isx::key* came_;           // symmetric, as what follows
  long* end_;                // of the keys that came
  unsigned long* arrivals_;  // a bucket for each piece of each PE
};

}  // namespace

int main(int argc, char** argv) {
  const isx::arguments given = isx::arguments::parse(argc, argv);
  auto net = std::make_shared<shmem_module>();
  runtime rt({.modules = {net}});
  return rt.run([&] {
    const isx::problem p = given.of(net->pe(), net->pes());
    sorter one(*net, p, rt.workers() > 1 ? isx::counting::shared : isx::counting::alone);
    std::vector<double> seconds;
    for (int i = 0; i < given.repetitions; ++i) seconds.push_back(one.sort());
    return isx::report("Stretto", p, one.verify(), seconds);
  });
}
