#include "faults.hpp"

#include <algorithm>
#include <array>

namespace stretto::mpi {
namespace {

using detail::call;
using detail::call_kind;
using detail::operation;

// In the order of detail::call_kind.
constexpr std::array names = {"MPI_Isend",
                              "MPI_Issend",
                              "MPI_Irecv",
                              "MPI_Iprobe",
                              "MPI_Improbe",
                              "MPI_Imrecv",
                              "a request of the program",
                              "MPI_Ibarrier",
                              "MPI_Ibcast",
                              "MPI_Ireduce",
                              "MPI_Iallreduce",
                              "MPI_Igather",
                              "MPI_Igatherv",
                              "MPI_Iscatter",
                              "MPI_Iscatterv",
                              "MPI_Iallgather",
                              "MPI_Iallgatherv",
                              "MPI_Ialltoall",
                              "MPI_Ialltoallv",
                              "MPI_Ireduce_scatter",
                              "MPI_Ireduce_scatter_block",
                              "MPI_Iscan",
                              "MPI_Iexscan",
                              "MPI_Comm_idup",
                              "MPI_Rput",
                              "MPI_Rget",
                              "MPI_Raccumulate",
                              "MPI_Rget_accumulate",
                              "MPI_Compare_and_swap",
                              "MPI_Win_flush",
                              "MPI_Win_flush_all",
                              "MPI_Win_allocate",
                              "MPI_Win_sync",
                              "MPI_Win_free",
                              "MPI_Comm_free",
                              "MPI_Comm_rank"};
static_assert(names.size() == static_cast<std::size_t>(call_kind::look_at) + 1);

bool is_between_two(call_kind k) { return k <= call_kind::mrecv; }
bool has_root(call_kind k) {
  return k == call_kind::bcast || k == call_kind::reduce || (k >= call_kind::gather && k <= call_kind::scatterv);
}

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
  std::string all(text, static_cast<std::size_t>(length));
  while (!all.empty() && all.back() == '\n') all.pop_back();
  for (std::size_t at = 0; (at = all.find('\n', at)) != std::string::npos;) all.replace(at, 1, "; ");
  return all;
}

std::string rank_text(int rank, int any, const char* any_text) { return rank == any ? any_text : std::to_string(rank); }

std::string communicator_text(MPI_Comm comm) {
  char text[MPI_MAX_OBJECT_NAME];
  int length = 0, size = 0, rank = 0;
  if (comm == MPI_COMM_NULL || MPI_Comm_size(comm, &size) != MPI_SUCCESS || MPI_Comm_rank(comm, &rank) != MPI_SUCCESS)
    return "not a communicator";
  MPI_Comm_get_name(comm, text, &length);
  const std::string name(text, static_cast<std::size_t>(length));
  return (name.empty() ? "unnamed" : name) + ", rank " + std::to_string(rank) + " of " + std::to_string(size);
}

std::string buffer_text(const detail::buffer& b) {
  int bytes = 0;
  if (b.type == MPI_DATATYPE_NULL || MPI_Type_size(b.type, &bytes) != MPI_SUCCESS)
    return std::to_string(b.count) + " elements";
  return std::to_string(b.count) + " of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// Adds the facts that every error of a call begins with.
void describe(error& e, std::string_view name, const std::source_location& where) {
  e.fact("called", where);
  if (!name.empty()) e.fact("name", std::string(name));
}

void describe_fully(error& e, const call& c, std::string_view name, const std::source_location& where) {
  describe(e, name, where);
  e.fact("comm", communicator_text(c.comm));
  if (is_between_two(c.kind) && c.kind != call_kind::request) {
    e.fact("peer", rank_text(c.peer, MPI_ANY_SOURCE, "any"));
    e.fact("tag", rank_text(c.tag, MPI_ANY_TAG, "any"));
  } else if (has_root(c.kind)) {
    e.fact("root", std::to_string(c.peer));
  } else if (is_one_sided(c.kind) && c.kind != call_kind::flush_all) {
    e.fact("target", std::to_string(c.peer));
    if (c.kind < call_kind::flush) e.fact("offset", std::to_string(c.offset));
  }
  if (c.out.at && c.out.at != MPI_IN_PLACE) e.fact("reads", buffer_text(c.out));
  if (c.in.at) e.fact("writes", buffer_text(c.in));
}

std::string remedy_of(const call& c, int kind) {
  int size = 0;
  switch (kind) {
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
      if (c.comm != MPI_COMM_NULL && MPI_Comm_size(c.comm, &size) == MPI_SUCCESS)
        return "ranks of this communicator go from 0 to " + std::to_string(size - 1);
      return "";
    case MPI_ERR_TAG: return "tags go from 0 to the communicator's MPI_TAG_UB; MPI_ANY_TAG is for receives";
    case MPI_ERR_COMM: return "use a communicator that the program has not freed";
    case MPI_ERR_TYPE: return "commit the datatype (MPI_Type_commit)";
    case MPI_ERR_OP: return "this operator is not defined for this type; pass one of MPI_Op_create";
    default: return "";
  }
}

std::exception_ptr failed(const call& c, std::string_view name, const std::source_location& where, int code) {
  int kind = MPI_ERR_UNKNOWN;
  MPI_Error_class(code, &kind);
  if (kind == MPI_ERR_TRUNCATE) {
    error e("M21", "a message is longer than the memory it is received into");
    describe_fully(e, c, name, where);
    e.fact("MPI error", text_of(code));
    e.because("the memory received at most the part that fits");
    e.remedy("receive into memory as large as the message, or query its size first with mprobe");
    return std::make_exception_ptr(std::move(e));
  }
  error e("M20", std::string(name_of(c.kind)) + " failed: " + text_of(kind));
  describe_fully(e, c, name, where);
  e.fact("MPI error", text_of(code));
  if (const std::string remedy = remedy_of(c, kind); !remedy.empty()) e.remedy(remedy);
  return std::make_exception_ptr(std::move(e));
}

}  // namespace

const char* name_of(call_kind kind) noexcept { return names[static_cast<std::size_t>(kind)]; }

std::exception_ptr failed(const operation& o, int code) { return failed(o.what, o.name, o.where, code); }
std::exception_ptr failed(const call& c, const call_tags& tags, int code) {
  return failed(c, tags.name, tags.where, code);
}

std::exception_ptr unfinished(const operation& o, const char* why) {
  error e("M25", std::string(name_of(o.what.kind)) + " was still pending when the runtime ended");
  describe(e, o.name, o.where);
  if (is_between_two(o.what.kind) && o.what.kind != call_kind::request) {
    e.fact("peer", rank_text(o.what.peer, MPI_ANY_SOURCE, "any"));
    e.fact("tag", rank_text(o.what.tag, MPI_ANY_TAG, "any"));
  }
  e.because(why);
  e.remedy("wait for its future before the runtime ends");
  return std::make_exception_ptr(std::move(e));
}

std::exception_ptr out_of_step(const operation& o, const std::string& skipped, const std::exception_ptr& cause) {
  error e("M26", std::string(name_of(o.what.kind)) +
                     " cannot be called: an earlier collective call on its communicator was skipped");
  describe(e, o.name, o.where);
  e.fact("skipped", skipped);
  e.because("the other processes have made that call, and MPI matches collective calls by their order");
  e.remedy("put operations that may fail after the collective calls, or agree on the calls by an allreduce of a flag");
  e.caused_by(cause);
  return std::make_exception_ptr(std::move(e));
}

void check_counts(const call& c, const call_tags& tags) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  for (const detail::buffer* b : {&c.out, &c.in})
    if (b->count > most && !(c.lists && b->type != MPI_DATATYPE_NULL)) {
      error e("M28", std::string(name_of(c.kind)) + " of " + std::to_string(b->count) +
                         " elements exceeds MPI's limit of " + std::to_string(most));
      describe(e, tags.name, tags.where);
      throw std::move(e).remedy("pass several parts, or a datatype that contains many elements");
    }
}

void not_one_worker(std::span<const std::uint32_t> workers, const std::string& place) {
  std::string all;
  for (const std::uint32_t w : workers) all += (all.empty() ? "" : ", ") + std::to_string(w);
  throw error("M22", "MPI allows one thread only, and place \"" + place + "\" is on the paths of " +
                         (workers.empty() ? "no worker" : std::to_string(workers.size()) + " workers"))
      .fact("workers", all.empty() ? "none" : all)
      .because("with MPI_THREAD_FUNNELED, the one worker with the interconnect on its paths makes all MPI calls")
      .remedy("put \"" + place + "\" on the paths of exactly one worker, or initialise MPI with MPI_THREAD_SERIALIZED");
}

error other_thread(std::uint32_t worker) {
  return error("M23", "MPI allows calls from its main thread only, which is not worker " + std::to_string(worker))
      .because(
          "with MPI_THREAD_FUNNELED, the worker with the interconnect on its paths calls MPI, and it must have "
          "initialised MPI")
      .remedy(
          "make the runtime and call run on the thread that initialised MPI, with the interconnect on the paths of "
          "worker 0; or initialise MPI with MPI_THREAD_SERIALIZED");
}

error no_mpi(const char* why) {
  return error("M24", "MPI is not usable")
      .because(why)
      .remedy("a process can initialise MPI once: do so before the first runtime, and finalize it after the last");
}

namespace detail {

std::exception_ptr short_value(const operation& o, std::size_t came, std::size_t expected) {
  error e("M27", "a message of " + std::to_string(came) + " bytes arrived for a value of " + std::to_string(expected) +
                     " bytes");
  describe(e, o.name, o.where);
  e.fact("peer", rank_text(o.what.peer, MPI_ANY_SOURCE, "any"));
  e.fact("tag", rank_text(o.what.tag, MPI_ANY_TAG, "any"));
  e.remedy("receive the type that is sent, or a range that may stay partly empty");
  return std::make_exception_ptr(std::move(e));
}

void check_fit(const char* call, const char* what, std::size_t given, std::size_t needed,
               const std::source_location& where) {
  if (given >= needed) return;
  throw error("M29", std::string(call) + ": " + what + " has " + std::to_string(given) + " elements; " +
                         std::to_string(needed) + " are needed")
      .fact("called", where)
      .remedy("make it as long as the sum of all parts");
}

}  // namespace detail
}  // namespace stretto::mpi
