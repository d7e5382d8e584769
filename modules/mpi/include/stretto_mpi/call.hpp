// call.hpp - a call of MPI as plain data, what becomes of it, and the compiled core that makes it: for the headers
// beside this one.
#pragma once

#include <mpi.h>
#include <stretto/future.hpp>
#include <stretto_mpi/call_tags.hpp>
#include <stretto_mpi/status.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace stretto::mpi {

class engine;

namespace detail {

/// In the order of the names in src/faults.cpp.
enum class call_kind : std::uint8_t {
  send,
  ssend,
  recv,
  probe,
  mprobe,
  mrecv,
  request,
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  comm_dup,
  put,
  get,
  accumulate,
  get_accumulate,
  compare_and_swap,
  flush,
  flush_all,
  win_allocate,
  win_sync,
  win_free,
  comm_free,
  look_at
};
/// All processes of a communicator make it, in one order.
constexpr bool is_collective(call_kind k) noexcept { return k >= call_kind::barrier && k <= call_kind::comm_dup; }
constexpr bool is_one_sided(call_kind k) noexcept { return k >= call_kind::put && k <= call_kind::flush_all; }

/// Counts and offsets of calls that have one for each process. MPI reads them until the call has ended.
struct count_lists {
  std::vector<int> out_counts, out_offsets, in_counts, in_offsets;
};

struct buffer {
  const void* at = nullptr;
  std::int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};

struct call {
  call_kind kind;
  MPI_Comm comm = MPI_COMM_NULL;
  int peer = 0;  // the other, the root, or the target
  int tag = 0;
  buffer out{}, in{};  // what is read, and what is written
  MPI_Op op = MPI_OP_NULL;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Aint offset = 0;  // at the target, in the window's units
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;  // the program's own
  std::unique_ptr<count_lists> lists{};
};

/// A call under way, with what its end is told to.
struct operation {
  call what;
  std::source_location where;
  std::string name;
  MPI_Request request = MPI_REQUEST_NULL;

  operation(call&& c, const call_tags& tags) : what(std::move(c)), where(tags.where), name(tags.name) {}
  virtual ~operation() = default;
  virtual void keep(const MPI_Status& s) = 0;
  virtual void poison(std::exception_ptr why) noexcept = 0;
};

/// One that ends in a value, which lies here until then.
template <class T>
struct value_operation final : operation {
  promise<T> result;
  T out{}, in{};

  value_operation(call&& c, const call_tags& tags) : operation(std::move(c), tags), result(tags.where) {}
  void keep(const MPI_Status& s) override;
  void poison(std::exception_ptr why) noexcept override { result.poison(std::move(why), where); }
};

// The core. Each fails by poisoning what it returns; they throw M24 where the module is of no runtime, B20 on a foreign
// thread.
future<void> post(engine& e, call&& c, const call_tags& tags);
future<status> post_status(engine& e, call&& c, const call_tags& tags);
void post_operation(engine& e, std::unique_ptr<operation> o, const call_tags& tags);
/// Makes M27: `came` bytes of a value of `expected`.
std::exception_ptr short_value(const operation& o, std::size_t came, std::size_t expected);
/// Throws M29 if a call's parts do not fit each other: `given` elements where `needed` are.
void check_fit(const char* call, const char* what, std::size_t given, std::size_t needed,
               const std::source_location& where);

template <class T>
void value_operation<T>::keep(const MPI_Status& s) {
  if (what.kind == call_kind::recv)
    if (const std::size_t came = status(s).bytes(); came != sizeof(T))
      return poison(short_value(*this, came, sizeof(T)));
  result.set(in);
}

/// Posts a call whose result is a value: `prepare` says where it finds its parts.
template <class T, class Prepare>
future<T> post_value(engine& e, call&& c, const call_tags& tags, Prepare&& prepare) {
  auto o = std::make_unique<value_operation<T>>(std::move(c), tags);
  prepare(*o);
  auto f = o->result.get_future(tags.where);
  post_operation(e, std::move(o), tags);
  return f;
}

/// One that reads a copy of a value.
template <class T>
struct kept_value final : operation {
  promise<void> result;
  T value;

  kept_value(call&& c, const T& v, const call_tags& tags)
      : operation(std::move(c), tags), result(tags.where), value(v) {}
  void keep(const MPI_Status&) override { result.set(); }
  void poison(std::exception_ptr why) noexcept override { result.poison(std::move(why), where); }
};

template <class T>
buffer buffer_of(const T* at, std::size_t count) noexcept {
  const element_type t = type_of<T>();
  const std::size_t n = count * t.each;
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
  return {at, static_cast<std::int64_t>(n < most ? n : most), t.is};
}
template <elements R>
buffer buffer_of(const R& range) noexcept {
  return buffer_of(std::ranges::data(range), std::ranges::size(range));
}

/// Posts a call that reads `value`.
template <class T>
future<void> post_value_to(engine& e, call&& c, const T& value, const call_tags& tags) {
  auto o = std::make_unique<kept_value<T>>(std::move(c), value, tags);
  o->what.out = buffer_of(&o->value, 1);
  auto f = o->result.get_future(tags.where);
  post_operation(e, std::move(o), tags);
  return f;
}

}  // namespace detail
}  // namespace stretto::mpi
