// mpi_calls.hpp - the few MPI functions that a transport uses, as a table that a separate library fills.
//
// MPI handles differ in size and value between implementations. So the code that includes mpi.h is compiled once for
// each of them, into a library that holds nothing else (library/library.cpp) and is loaded at run time. The interface
// is plain C: the library needs no symbol of Stretto.
//
// Threads     as MPI was started: started.level.
// Invariants  (1) all communicators are duplicates of ours: the program's messages and ours never mix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto::net::mpi {

inline constexpr std::uint32_t calls_version = 7;

/// Room for an MPI_Request of any implementation.
struct request {
  alignas(8) unsigned char bytes[8];
};

// one communicator each: tags of the one never match those of the other
enum class communicator_kind : int { heads, bulk };

enum class threads : int { single, funneled, serialized, multiple };

struct started {
  int rank = 0, size = 1;
  int host_rank = 0, host_size = 1;  // among the nodes of this host, in the order of ranks
  threads level = threads::single;
  int most_tag = 32767;
};

/// Callbacks of the library, on the program's thread, for program calls between start() and stop() that end the job.
/// Each returns whether there is a job; if so, the library ends the process.
struct end_hooks {
  bool (*finalized)();         // the program calls MPI_Finalize
  bool (*exited)(int status);  // the program calls exit, or returns from main
};

/// Functions that can fail return null or MPI's error text, which lives until the next call of the thread.
struct calls {
  std::uint32_t version;
  const char* (*library)();  // name and version

  /// Starts MPI unless the program has started it, and duplicates the communicators.
  const char* (*start)(threads wanted, const end_hooks& hooks, started* is);
  /// Frees them, and those of communicator(). If start() has started MPI, it is finalized when the process ends, unless
  /// the program has finalized it.
  const char* (*stop)();

  /// A persistent receive from any node, of at most `bytes`, to be restarted each time it has completed.
  const char* (*ring_receive)(void* buffer, std::size_t bytes, request* r);
  const char* (*restart)(request* r);
  const char* (*receive)(void* buffer, std::size_t bytes, int from, int tag, request* r);  // bulk
  const char* (*send)(const void* buffer, std::size_t bytes, int to, int tag, communicator_kind which, request* r);
  /// Whether the request has ended; `from` and `bytes` are set for receives.
  const char* (*test)(request* r, bool* has_ended, int* from, std::size_t* bytes);
  const char* (*cancel)(request* r);  // and frees it
  const char* (*barrier)();
  /// The lowest and the highest of all nodes' values.
  const char* (*extremes)(std::uint64_t value, std::uint64_t* lowest, std::uint64_t* highest);
  /// `bytes` of each node into `all`, in the order of their ranks.
  const char* (*gather)(const void* of_this_node, std::size_t bytes, void* all);
  /// The same among the nodes of this host.
  const char* (*gather_on_host)(const void* of_this_node, std::size_t bytes, void* all);
  /// Whether MPI can send from and receive into memory of CUDA devices.
  bool (*takes_cuda_memory)();

  /// Shared memory of so many bytes per node: its addresses, by rank, if all nodes are on one host. Otherwise all are
  /// null and no memory is allocated. Collective, once; stop() frees it.
  const char* (*share)(std::size_t bytes, void** of_each);

  /// Copies an MPI_Comm of `bytes` bytes to `comm`: the job's nodes in the order of their ranks. The first call for a
  /// group makes the communicator, which later calls return. Making it is collective over all nodes; several groups may
  /// do so at once. `group` is at most most_tag. Without start(), starts MPI and returns a communicator of this process
  /// alone. Requires MPI_THREAD_MULTIPLE; sets `level` to the level that there is.
  const char* (*communicator)(std::uint32_t group, void* comm, std::size_t bytes, threads* level);

  /// Ends all processes of the job. Returns only in the fake MPI of tests.
  void (*abort)();
};

/// The function that the library exports.
inline constexpr char entry_name[] = "stretto_mpi_calls";
using entry = const calls* (*)();

}  // namespace stretto::net::mpi
