// mpi_calls.hpp - the few calls of MPI that a transport makes, as a table that a library of its own fills.
//
// Handles of MPI have other sizes and values in each implementation, so what includes mpi.h is compiled once for each of them,
// into a library that holds nothing else (library/library.cpp) and is loaded at run time. Plain C: the library needs no
// symbol of Stretto.
//
// Threads     as MPI was started: calls.thread_level.
// Invariants  (1) communicators are duplicates of ours: the program's own messages are never seen here, nor ours there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto::net::mpi {

inline constexpr std::uint32_t calls_version = 7;

/// Room for an MPI_Request of any implementation.
struct request {
  alignas(8) unsigned char bytes[8];
};

enum class communicator_kind : int { heads, bulk };  // a communicator each: tags of the one never meet those of the other

enum class threads : int { single, funneled, serialized, multiple };

struct started {
  int rank = 0, size = 1;
  int host_rank = 0, host_size = 1;  // among the nodes of this host, in the order of ranks
  threads level = threads::single;
  int most_tag = 32767;
};

/// What the library asks, on the program's thread, where something happens between start() and stop() that does not let a job go on. Each
/// returns whether there is a job; the process ends then.
struct end_hooks {
  bool (*finalized)();         // the program calls MPI_Finalize
  bool (*exited)(int status);  // the program calls exit, or returns from main
};

/// Functions that can fail return null or what MPI says; the text lives until the next call of the thread.
struct calls {
  std::uint32_t version;
  const char* (*library)();  // name and version

  /// Starts MPI unless the program has, and duplicates the communicators.
  const char* (*start)(threads wanted, const end_hooks& hooks, started* is);
  /// Frees them, and those of communicator(). MPI ends with the process, if start() has begun it and the program does
  /// not end it.
  const char* (*stop)();

  /// A receive from anybody, of at most `bytes`, to be restarted each time it has come.
  const char* (*ring_receive)(void* buffer, std::size_t bytes, request* r);
  const char* (*restart)(request* r);
  const char* (*receive)(void* buffer, std::size_t bytes, int from, int tag, request* r);  // bulk
  const char* (*send)(const void* buffer, std::size_t bytes, int to, int tag, communicator_kind which, request* r);
  /// Whether it has ended; `from` and `bytes` are of a receive.
  const char* (*test)(request* r, bool* has_ended, int* from, std::size_t* bytes);
  const char* (*cancel)(request* r);  // and frees it
  const char* (*barrier)();
  /// The lowest and the highest of each node's values.
  const char* (*extremes)(std::uint64_t value, std::uint64_t* lowest, std::uint64_t* highest);
  /// `bytes` of each node into `all`, in the order of their ranks.
  const char* (*gather)(const void* of_this_node, std::size_t bytes, void* all);
  /// The same among the nodes of this host.
  const char* (*gather_on_host)(const void* of_this_node, std::size_t bytes, void* all);
  /// What is sent and received may lie in memory of CUDA devices.
  bool (*takes_cuda_memory)();

  /// Memory of so many bytes that each node lends: where it lies, by rank, if all are on one host; else null for every one of them,
  /// and nothing has been taken. Collective, once; stop() frees it.
  const char* (*share)(std::size_t bytes, void** of_each);

  /// Copies an MPI_Comm of `bytes` bytes to `comm`: the job's nodes by their ranks, made by the first call for that
  /// group and kept for the next. Collective where it makes one, by all nodes at once and for several groups at once;
  /// `group` is at most most_tag. Without start(): of this process alone, and starts MPI. With MPI_THREAD_MULTIPLE
  /// only; `level` says which level there is.
  const char* (*communicator)(std::uint32_t group, void* comm, std::size_t bytes, threads* level);

  /// Ends all processes of the job. Returns in a made-up MPI alone.
  void (*abort)();
};

/// What the library exports, under this name.
inline constexpr char entry_name[] = "stretto_mpi_calls";
using entry = const calls* (*)();

}  // namespace stretto::net::mpi
