#include "conformance/fake_mpi.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

namespace stretto::net {
namespace {

using mpi::communicator_kind;
using mpi::request;

/// A pending send or receive.
struct operation {
  bool is_persistent = false, has_ended = false;
  std::byte* buffer = nullptr;
  std::size_t room = 0, bytes = 0;
  int from = -1, tag = 0;
};

struct sent_message {
  int from, tag;
  const std::byte* lent;  // until it is received, or copied
  std::vector<std::byte> copy;
  std::size_t bytes;
  operation* send;
};

struct node_state {
  std::list<operation*> receives[2];  // posted, in order; by channel
  std::deque<sent_message> came[2][fake_mpi::most_nodes];
  std::uint64_t sent = 0;
  fake_mpi::bulk_addresses bulk;
  bool is_gone = false, is_broken = false, has_aborted = false;
};

struct job_state {
  std::mutex lock;
  std::mt19937_64 random;
  mpi::threads level = mpi::threads::multiple;
  int size = 1;
  node_state nodes[fake_mpi::most_nodes];
  bool is_one_host = true;  // all nodes are on one host
  bool takes_cuda_memory = false;
  std::vector<std::vector<std::byte>> shared;  // by node, created on demand
} job;

operation* read(const request* r) {
  operation* is;
  std::memcpy(&is, r->bytes, sizeof is);
  return is;
}
void write(request* r, operation* is) { std::memcpy(r->bytes, &is, sizeof is); }

/// Matches receives with messages; the seed decides the order of senders.
void match(int self) {
  node_state& here = job.nodes[self];
  for (int c = 0; c < 2; ++c) {
    const int first = static_cast<int>(job.random() % static_cast<unsigned>(job.size));
    for (int i = 0; i < job.size; ++i) {
      const int from = (first + i) % job.size;
      auto& queue = here.came[c][from];
      if (here.is_gone) {  // drop messages to a finished node
        for (const sent_message& m : queue)
          if (m.send) m.send->has_ended = true;
        queue.clear();
      }
      auto& posted = here.receives[c];
      for (auto m = queue.begin(); m != queue.end();) {
        auto r = posted.begin();
        while (r != posted.end() && !((*r)->from == -1 || ((*r)->from == from && (*r)->tag == m->tag))) ++r;
        if (r == posted.end()) {
          ++m;
          continue;
        }
        operation& receive = **r;
        if (m->bytes > receive.room) std::abort();
        if (m->bytes) std::memcpy(receive.buffer, m->lent ? m->lent : m->copy.data(), m->bytes);
        receive.bytes = m->bytes;
        receive.tag = from;  // the status reports the sender
        receive.has_ended = true;
        if (m->send) m->send->has_ended = true;
        posted.erase(r);
        m = queue.erase(m);
      }
    }
  }
}

template <int self>
struct node {
  static const char* library() { return "a made-up MPI\n"; }
  static const char* start(mpi::threads, const mpi::end_hooks&, mpi::started* is) {
    const bool is_one = job.is_one_host;
    *is = {.rank = self,
           .size = job.size,
           .host_rank = is_one ? self : 0,
           .host_size = is_one ? job.size : 1,
           .level = job.level,
           .most_tag = 7};
    return nullptr;
  }
  static const char* stop() {
    const std::scoped_lock lock(job.lock);
    job.nodes[self].is_gone = true;
    return nullptr;
  }
  static const char* ring_receive(void* buffer, std::size_t bytes, request* r) {
    write(r, new operation{.is_persistent = true, .buffer = static_cast<std::byte*>(buffer), .room = bytes});
    return restart(r);
  }
  static const char* restart(request* r) {
    const std::scoped_lock lock(job.lock);
    read(r)->has_ended = false;
    job.nodes[self].receives[0].push_back(read(r));
    return nullptr;
  }
  static const char* receive(void* buffer, std::size_t bytes, int from, int tag, request* r) {
    const std::scoped_lock lock(job.lock);
    write(r, new operation{.buffer = static_cast<std::byte*>(buffer), .room = bytes, .from = from, .tag = tag});
    job.nodes[self].receives[1].push_back(read(r));
    job.nodes[self].bulk.received_at = buffer;
    return nullptr;
  }
  static const char* send(const void* buffer, std::size_t bytes, int to, int tag, communicator_kind which, request* r) {
    const std::scoped_lock lock(job.lock);
    if (job.nodes[self].is_broken) return "the cable was pulled";
    auto* const is = new operation;
    write(r, is);
    const auto* const begin = static_cast<const std::byte*>(buffer);
    sent_message m{self, tag, begin, {}, bytes, is};
    if (which == communicator_kind::heads) ++job.nodes[self].sent;
    else job.nodes[self].bulk.sent_from = buffer;
    if (job.random() % 2) {
      m.copy.assign(begin, begin + bytes);
      m.lent = nullptr;
      m.send = nullptr;
      is->has_ended = true;
    }
    job.nodes[to].came[static_cast<int>(which)][self].push_back(std::move(m));
    return nullptr;
  }
  static const char* test(request* r, bool* has_ended, int* from, std::size_t* bytes) {
    const std::scoped_lock lock(job.lock);
    for (int n = 0; n < job.size; ++n) match(n);
    operation* const is = read(r);
    *has_ended = is->has_ended && job.random() % 4 != 0;
    if (!*has_ended) return nullptr;
    if (from) {
      *from = is->tag;
      *bytes = is->bytes;
    }
    if (!is->is_persistent) delete is;
    return nullptr;
  }
  static const char* cancel(request* r) {
    const std::scoped_lock lock(job.lock);
    job.nodes[self].receives[0].remove(read(r));
    delete read(r);
    return nullptr;
  }
  static const char* barrier() { return nullptr; }
  static const char* extremes(std::uint64_t value, std::uint64_t* lowest, std::uint64_t* highest) {
    *lowest = *highest = value;
    return nullptr;
  }
  static const char* gather(const void* of_this_node, std::size_t bytes, void* all) {
    for (int n = 0; n < job.size; ++n) std::memcpy(static_cast<std::byte*>(all) + bytes * n, of_this_node, bytes);
    return nullptr;
  }
  static const char* gather_on_host(const void* of_this_node, std::size_t bytes, void* all) {
    for (int n = 0, there = job.is_one_host ? job.size : 1; n < there; ++n)
      std::memcpy(static_cast<std::byte*>(all) + bytes * n, of_this_node, bytes);
    return nullptr;
  }
  static bool takes_cuda_memory() {
    const std::scoped_lock lock(job.lock);
    return job.takes_cuda_memory;
  }
  static const char* share(std::size_t bytes, void** of_each) {
    const std::scoped_lock lock(job.lock);
    if (job.is_one_host && job.shared.empty())
      job.shared.assign(static_cast<std::size_t>(job.size), std::vector<std::byte>(bytes));
    for (int n = 0; n < job.size; ++n)
      of_each[n] = job.is_one_host ? job.shared[static_cast<std::size_t>(n)].data() : nullptr;
    return nullptr;
  }
  static const char* communicator(std::uint32_t, void*, std::size_t, mpi::threads* level) {
    *level = job.level;
    return "it has no communicators";
  }
  static void abort() {
    const std::scoped_lock lock(job.lock);
    job.nodes[self].has_aborted = true;
  }
  static constexpr mpi::calls table{mpi::calls_version,
                                    library,
                                    start,
                                    stop,
                                    ring_receive,
                                    restart,
                                    receive,
                                    send,
                                    test,
                                    cancel,
                                    barrier,
                                    extremes,
                                    gather,
                                    gather_on_host,
                                    takes_cuda_memory,
                                    share,
                                    communicator,
                                    abort};
};

}  // namespace

void fake_mpi::begin(int nodes, std::uint64_t seed, mpi::threads level) {
  const std::scoped_lock lock(job.lock);
  job.random.seed(seed);
  job.level = level;
  job.size = nodes;
  job.is_one_host = seed % 2;
  job.takes_cuda_memory = false;
  job.shared.clear();
  for (node_state& n : job.nodes) n = {};
}

const mpi::calls& fake_mpi::of_node(int number) {
  constexpr const mpi::calls* tables[most_nodes] = {&node<0>::table, &node<1>::table, &node<2>::table, &node<3>::table};
  return *tables[number];
}

void fake_mpi::take_cuda_memory() {
  const std::scoped_lock lock(job.lock);
  job.takes_cuda_memory = true;
}

fake_mpi::bulk_addresses fake_mpi::bulk(int node) {
  const std::scoped_lock lock(job.lock);
  return job.nodes[node].bulk;
}

void fake_mpi::break_sends_of(int node) {
  const std::scoped_lock lock(job.lock);
  job.nodes[node].is_broken = true;
}

bool fake_mpi::has_aborted(int node) {
  const std::scoped_lock lock(job.lock);
  return job.nodes[node].has_aborted;
}

std::uint64_t fake_mpi::sent(int node) {
  const std::scoped_lock lock(job.lock);
  return job.nodes[node].sent;
}

}  // namespace stretto::net
