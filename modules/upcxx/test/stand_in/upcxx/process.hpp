// process.hpp - the processes of the stand-in: memory that all share, and an inbox of messages for each.
//
// A launcher starts them with their number, how many there are, and a file that all map:
//
//     UPCXX_STAND_IN=RANK/RANKS/FILE      the file is empty at first
//
// Without that there is one process. A message is the offset of a function in the program, and bytes.
#pragma once

#include <upcxx/persona.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <span>
#include <string>

namespace upcxx {

using intrank_t = int;

namespace stand_in {

using bytes = std::vector<std::byte>;

/// In shared memory.
struct inbox {
  static constexpr std::size_t capacity = 1 << 20;
  std::atomic<bool> is_locked;
  std::size_t used;
  std::byte data[capacity];

  void lock() {
    while (is_locked.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { is_locked.store(false, std::memory_order_release); }
};

constexpr std::size_t heap_bytes = 8 << 20;
struct alignas(64) of_rank {
  inbox in;
  alignas(64) std::byte heap[heap_bytes];
};

/// Where an unserved message of this process waits: returns false to be called again later.
using handler = bool (*)(std::span<const std::byte>);

struct process {
  int rank = 0, ranks = 1;
  of_rank* all = nullptr;
  int uses = 0;  // init without finalize
  std::deque<bytes> received;
  std::vector<std::function<void()>> completions;  // what the next progress ends
  bool is_in_progress = false;
  std::mutex heap_mutex;
  std::size_t heap_used = 0;

  of_rank& here() const { return all[rank]; }
};
inline process& here() {
  static process is;
  return is;
}

inline void anchor() {}
inline std::int64_t offset_of(handler h) {
  return reinterpret_cast<std::intptr_t>(h) - reinterpret_cast<std::intptr_t>(&anchor);
}
inline handler handler_at(std::int64_t offset) {
  return reinterpret_cast<handler>(reinterpret_cast<std::intptr_t>(&anchor) + offset);
}

/// Takes all messages out of the inbox.
inline void receive() {
  inbox& in = here().here().in;
  const std::scoped_lock lock(in);
  for (std::size_t at = 0; at < in.used;) {
    std::size_t n;
    std::memcpy(&n, in.data + at, sizeof n);
    at += sizeof n;
    here().received.emplace_back(in.data + at, in.data + at + n);
    at += n;
  }
  in.used = 0;
}

inline bool try_send(int to, const bytes& message) {
  inbox& in = here().all[to].in;
  const std::scoped_lock lock(in);
  const std::size_t n = message.size();
  if (in.used + sizeof n + n > inbox::capacity) return false;
  std::memcpy(in.data + in.used, &n, sizeof n);
  std::memcpy(in.data + in.used + sizeof n, message.data(), n);
  in.used += sizeof n + n;
  return true;
}

inline void send(int to, handler h, const bytes& data) {
  require_master("a message is sent");
  const std::int64_t offset = offset_of(h);
  bytes message(sizeof offset);
  std::memcpy(message.data(), &offset, sizeof offset);
  message.insert(message.end(), data.begin(), data.end());
  if (message.size() + sizeof(std::size_t) > inbox::capacity) stop("a message is too large");
  while (!try_send(to, message)) receive(), sched_yield();  // the other one may wait for room here
}

inline void serve() {
  std::deque<bytes> again;
  while (!here().received.empty()) {
    bytes message = std::move(here().received.front());
    here().received.pop_front();
    std::int64_t offset;
    std::memcpy(&offset, message.data(), sizeof offset);
    if (!handler_at(offset)(std::span(message).subspan(sizeof offset))) again.push_back(std::move(message));
  }
  here().received.swap(again);
}

inline void map_memory(const char* file) {
  const std::size_t size = sizeof(of_rank) * static_cast<std::size_t>(here().ranks);
  const int f = file ? open(file, O_RDWR) : -1;
  if (file && ftruncate(f, static_cast<off_t>(size))) stop("its file cannot be made as large as it must be");
  void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, f, 0);
  if (at == MAP_FAILED) stop("its file cannot be mapped");
  if (f >= 0) close(f);
  here().all = static_cast<of_rank*>(at);
}

}  // namespace stand_in

inline bool initialized() { return stand_in::here().uses > 0; }
inline intrank_t rank_me() { return stand_in::here().rank; }
inline intrank_t rank_n() { return stand_in::here().ranks; }

inline void init() {
  auto& p = stand_in::here();
  if (p.uses++) return;
  char file[4096];
  const char* const given = std::getenv("UPCXX_STAND_IN");
  if (given && std::sscanf(given, "%d/%d/%4095s", &p.rank, &p.ranks, file) != 3) stand_in::stop("UPCXX_STAND_IN?");
  if (!p.all) stand_in::map_memory(given ? file : nullptr);
  master_persona().owner_.store(&stand_in::this_thread);
}

inline void progress() {
  auto& p = stand_in::here();
  stand_in::require_master("progress is called");
  if (std::exchange(p.is_in_progress, true)) return;
  stand_in::receive();
  stand_in::serve();
  for (auto& end : std::exchange(p.completions, {})) end();
  p.is_in_progress = false;
}

}  // namespace upcxx
