// point_to_point.hpp - messages between two processes of a communicator, as functions that return futures.
//
// A name that begins with i, as in MPI, starts something and returns its future; the same name without it waits: it
// suspends the calling task, never its worker. Ranges (vectors, spans, arrays, strings) bring their datatype along; the
// raw spellings take MPI's own arguments in MPI's order, without communicator and request. Memory belongs to MPI until
// the future is ready.
//
// Threads     any thread of the runtime, in every thread level of MPI.
// Memory      what came is visible once the future is ready.
// Cost        a send that MPI takes at once: MPI's own cost and a few tens of ns. A receive: a promise and 16 bytes in
//             the array that all pending calls are tested in.
// Invariants  (1) messages between two processes are matched in the order in which their calls start: of calls without
//             after(...), or whose preconditions have happened, that of the program. (2) a call whose precondition is
//             poisoned is skipped: nothing is sent or received.
// Source      futures for MPI, and suspension in place of blocking: HiPER's MPI module (Grossman et al.).
#pragma once

#include <stretto_mpi/call.hpp>

namespace stretto::mpi {

/// A message that a probe has taken aside: nobody else can receive it. It must be received.
class message {
 public:
  message() noexcept = default;
  /// From whom, with which tag, how much.
  const status& about() const noexcept { return about_; }

  template <room R>
    requires std::ranges::borrowed_range<R>
  future<status> imrecv(R&& into, const call_tags& how = {}) const {
    return receive(detail::buffer_of(into), how);
  }
  future<status> imrecv(void* into, int count, MPI_Datatype type, const call_tags& how = {}) const {
    return receive({into, count, type}, how);
  }
  template <room R>
    requires std::ranges::borrowed_range<R>
  status mrecv(R&& into, const call_tags& how = {}) const {
    return imrecv(into, how).get(how.where);
  }
  status mrecv(void* into, int count, MPI_Datatype type, const call_tags& how = {}) const {
    return imrecv(into, count, type, how).get(how.where);
  }

 private:
  friend class point_to_point;
  message(std::shared_ptr<engine> by, MPI_Comm comm, MPI_Message is, const status& about) noexcept
      : engine_(std::move(by)), comm_(comm), is_(is), about_(about) {}
  future<status> receive(const detail::buffer& into, const call_tags& how) const {
    return detail::post_status(*engine_,
                               {.kind = detail::call_kind::mrecv,
                                .comm = comm_,
                                .peer = about_.source(),
                                .tag = about_.tag(),
                                .in = into,
                                .message = is_},
                               how);
  }
  std::shared_ptr<engine> engine_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Message is_ = MPI_MESSAGE_NULL;
  status about_;
};

class point_to_point {
 public:
  point_to_point() noexcept = default;

  /// The program's own communicator.
  MPI_Comm raw() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  // ---- immediate, elements of C++

  /// Sends the range. Ready when the memory may be used again.
  template <elements R>
    requires std::ranges::borrowed_range<R>
  future<void> isend(R&& from, int to, int tag = 0, const call_tags& how = {}) const {
    return send_as(detail::call_kind::send, detail::buffer_of(from), to, tag, how);
  }
  /// The same, ready only once the other has begun to receive it.
  template <elements R>
    requires std::ranges::borrowed_range<R>
  future<void> issend(R&& from, int to, int tag = 0, const call_tags& how = {}) const {
    return send_as(detail::call_kind::ssend, detail::buffer_of(from), to, tag, how);
  }
  /// Sends a value, of which the call keeps a copy.
  template <single T>
  future<void> isend(const T& value, int to, int tag = 0, const call_tags& how = {}) const {
    return detail::post_value_to(*engine_, {.kind = detail::call_kind::send, .comm = comm_, .peer = to, .tag = tag},
                                 value, how);
  }
  /// Receives at most as much as the range holds. M21 if more was sent.
  template <room R>
    requires std::ranges::borrowed_range<R>
  future<status> irecv(R&& into, int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return receive(detail::buffer_of(into), from, tag, how);
  }
  /// Receives a value. M21 if the message is longer, M27 if it is shorter.
  ///
  ///     double residual = world.irecv<double>(left, 7).get();
  template <single T>
  future<T> irecv(int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return detail::post_value<T>(*engine_, {.kind = detail::call_kind::recv, .comm = comm_, .peer = from, .tag = tag},
                                 how, [](auto& o) { o.what.in = detail::buffer_of(&o.in, 1); });
  }
  /// Both at once; ready when both have ended, with the status of what came.
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<status> isendrecv(Out&& from, int to, int send_tag, In&& into, int source = MPI_ANY_SOURCE,
                           int receive_tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return both(detail::buffer_of(from), to, send_tag, detail::buffer_of(into), source, receive_tag, how);
  }

  // ---- immediate, as MPI

  future<void> isend(const void* from, int count, MPI_Datatype type, int to, int tag, const call_tags& how = {}) const {
    return send_as(detail::call_kind::send, {from, count, type}, to, tag, how);
  }
  future<void> issend(const void* from, int count, MPI_Datatype type, int to, int tag,
                      const call_tags& how = {}) const {
    return send_as(detail::call_kind::ssend, {from, count, type}, to, tag, how);
  }
  future<status> irecv(void* into, int count, MPI_Datatype type, int from, int tag, const call_tags& how = {}) const {
    return receive({into, count, type}, from, tag, how);
  }
  future<status> isendrecv(const void* from, int send_count, MPI_Datatype send_type, int to, int send_tag, void* into,
                           int receive_count, MPI_Datatype receive_type, int source, int receive_tag,
                           const call_tags& how = {}) const {
    return both({from, send_count, send_type}, to, send_tag, {into, receive_count, receive_type}, source, receive_tag,
                how);
  }

  // ---- what is there

  /// Ready when such a message could be received; it stays where it is, and another receive may take it.
  future<status> iprobe(int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return detail::post_status(*engine_, {.kind = detail::call_kind::probe, .comm = comm_, .peer = from, .tag = tag},
                               how);
  }
  /// The same, and takes it aside: the way to receive what is of unknown size.
  future<message> improbe(int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG, const call_tags& how = {}) const;

  /// For any operation that the program has started itself: ready when that request has ended, which is then MPI's, or
  /// inactive if persistent.
  future<status> when_done(MPI_Request started, const call_tags& how = {}) const {
    return detail::post_status(*engine_, {.kind = detail::call_kind::request, .comm = comm_, .request = started}, how);
  }

  // ---- waiting: each as its immediate form, then get()

  template <elements R>
  void send(const R& from, int to, int tag = 0, const call_tags& how = {}) const {
    isend(from, to, tag, how).get(how.where);
  }
  template <single T>
  void send(const T& value, int to, int tag = 0, const call_tags& how = {}) const {
    isend(value, to, tag, how).get(how.where);
  }
  template <elements R>
  void ssend(const R& from, int to, int tag = 0, const call_tags& how = {}) const {
    issend(from, to, tag, how).get(how.where);
  }
  template <room R>
  status recv(R&& into, int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return irecv(into, from, tag, how).get(how.where);
  }
  template <single T>
  T recv(int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return irecv<T>(from, tag, how).get(how.where);
  }
  template <elements Out, room In>
  status sendrecv(const Out& from, int to, int send_tag, In&& into, int source = MPI_ANY_SOURCE,
                  int receive_tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return isendrecv(from, to, send_tag, into, source, receive_tag, how).get(how.where);
  }
  void send(const void* from, int count, MPI_Datatype type, int to, int tag, const call_tags& how = {}) const {
    isend(from, count, type, to, tag, how).get(how.where);
  }
  void ssend(const void* from, int count, MPI_Datatype type, int to, int tag, const call_tags& how = {}) const {
    issend(from, count, type, to, tag, how).get(how.where);
  }
  status recv(void* into, int count, MPI_Datatype type, int from, int tag, const call_tags& how = {}) const {
    return irecv(into, count, type, from, tag, how).get(how.where);
  }
  status sendrecv(const void* from, int send_count, MPI_Datatype send_type, int to, int send_tag, void* into,
                  int receive_count, MPI_Datatype receive_type, int source, int receive_tag,
                  const call_tags& how = {}) const {
    return isendrecv(from, send_count, send_type, to, send_tag, into, receive_count, receive_type, source, receive_tag,
                     how)
        .get(how.where);
  }
  status probe(int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return iprobe(from, tag, how).get(how.where);
  }
  message mprobe(int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG, const call_tags& how = {}) const {
    return improbe(from, tag, how).get(how.where);
  }
  status wait(MPI_Request started, const call_tags& how = {}) const { return when_done(started, how).get(how.where); }

 protected:
  point_to_point(std::shared_ptr<engine> by, MPI_Comm comm, int rank, int size) noexcept
      : engine_(std::move(by)), comm_(comm), rank_(rank), size_(size) {}
  std::shared_ptr<engine> engine_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;

 private:
  struct taking_aside;
  future<void> send_as(detail::call_kind kind, const detail::buffer& from, int to, int tag,
                       const call_tags& how) const {
    return detail::post(*engine_, {.kind = kind, .comm = comm_, .peer = to, .tag = tag, .out = from}, how);
  }
  future<status> receive(const detail::buffer& into, int from, int tag, const call_tags& how) const {
    return detail::post_status(
        *engine_, {.kind = detail::call_kind::recv, .comm = comm_, .peer = from, .tag = tag, .in = into}, how);
  }
  future<status> both(const detail::buffer& from, int to, int send_tag, const detail::buffer& into, int source,
                      int receive_tag, const call_tags& how) const;
};

}  // namespace stretto::mpi
