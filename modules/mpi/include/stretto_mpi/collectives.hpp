// collectives.hpp - calls that all processes of a communicator make, as functions that return futures.
//
// They start on each process in the order in which they are called, also where one waits for its preconditions and a
// later one does not: MPI matches them by that order. One that is skipped for a poisoned precondition therefore fails
// all later ones on its communicator (M26): the other processes have made it, and results would go to the wrong calls.
//
// Threads     any thread of the runtime; on one communicator one task at a time, or ordered by events, as in MPI.
// Memory      as point_to_point.hpp.
// Invariants  (1) the order of calls is the order of starts, per communicator and process.
#pragma once

#include <stretto_mpi/point_to_point.hpp>

namespace stretto::mpi {

class collectives : public point_to_point {
 public:
  collectives() noexcept = default;

  // ---- immediate, elements of C++. Counts and places of what each process has follow from the ranges; where they
  // differ
  //      between processes (v), `counts` says how many elements each has, one behind the other in the order of ranks.

  future<void> ibarrier(const call_tags& how = {}) const { return post({.kind = kind::barrier}, how); }

  /// The root's elements come to all.
  template <room R>
    requires std::ranges::borrowed_range<R>
  future<void> ibcast(R&& data, int root, const call_tags& how = {}) const {
    return post({.kind = kind::bcast, .peer = root, .in = detail::buffer_of(data)}, how);
  }
  template <single T>
  future<T> ibcast(const T& value, int root, const call_tags& how = {}) const {
    return detail::post_value<T>(*engine_, {.kind = kind::bcast, .comm = comm_, .peer = root}, how, [&](auto& o) {
      o.in = value;
      o.what.in = detail::buffer_of(&o.in, 1);
    });
  }

  /// Combines element by element, at the root; elsewhere `into` may be empty.
  template <reducible_elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> ireduce(Out&& from, In&& into, MPI_Op op, int root, const call_tags& how = {}) const {
    if (root == rank())
      detail::check_fit("reduce", "the result", std::ranges::size(into), std::ranges::size(from), how.where);
    return post(
        {.kind = kind::reduce, .peer = root, .out = detail::buffer_of(from), .in = detail::buffer_of(into), .op = op},
        how);
  }
  /// The root's future has the result, those of others their own value.
  template <reducible T>
  future<T> ireduce(const T& value, MPI_Op op, int root, const call_tags& how = {}) const {
    return reduced(kind::reduce, value, op, root, how);
  }
  template <reducible_elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> iallreduce(Out&& from, In&& into, MPI_Op op, const call_tags& how = {}) const {
    detail::check_fit("allreduce", "the result", std::ranges::size(into), std::ranges::size(from), how.where);
    return post({.kind = kind::allreduce, .out = detail::buffer_of(from), .in = detail::buffer_of(into), .op = op},
                how);
  }
  /// In place.
  template <reducible_elements R>
    requires room<R> && std::ranges::borrowed_range<R>
  future<void> iallreduce(R&& both, MPI_Op op, const call_tags& how = {}) const {
    return post({.kind = kind::allreduce, .out = {MPI_IN_PLACE}, .in = detail::buffer_of(both), .op = op}, how);
  }
  template <reducible T>
  future<T> iallreduce(const T& value, MPI_Op op, const call_tags& how = {}) const {
    return reduced(kind::allreduce, value, op, 0, how);
  }
  /// Of ranks 0 to this one; `iexscan`: to the one before, nothing on rank 0.
  template <reducible_elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> iscan(Out&& from, In&& into, MPI_Op op, const call_tags& how = {}) const {
    detail::check_fit("scan", "the result", std::ranges::size(into), std::ranges::size(from), how.where);
    return post({.kind = kind::scan, .out = detail::buffer_of(from), .in = detail::buffer_of(into), .op = op}, how);
  }
  template <reducible T>
  future<T> iscan(const T& value, MPI_Op op, const call_tags& how = {}) const {
    return reduced(kind::scan, value, op, 0, how);
  }
  template <reducible_elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> iexscan(Out&& from, In&& into, MPI_Op op, const call_tags& how = {}) const {
    detail::check_fit("exscan", "the result", std::ranges::size(into), std::ranges::size(from), how.where);
    return post({.kind = kind::exscan, .out = detail::buffer_of(from), .in = detail::buffer_of(into), .op = op}, how);
  }
  /// Rank 0 gets T().
  template <reducible T>
  future<T> iexscan(const T& value, MPI_Op op, const call_tags& how = {}) const {
    return reduced(kind::exscan, value, op, 0, how);
  }
  /// Combined, then cut into as many equal parts as there are processes: each gets its own.
  template <reducible_elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> ireduce_scatter_block(Out&& from, In&& into, MPI_Op op, const call_tags& how = {}) const {
    detail::check_fit("reduce_scatter_block", "what is combined", std::ranges::size(from), whole(into), how.where);
    return post(
        {.kind = kind::reduce_scatter_block, .out = detail::buffer_of(from), .in = detail::buffer_of(into), .op = op},
        how);
  }
  template <reducible_elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> ireduce_scatter(Out&& from, In&& into, std::span<const int> counts, MPI_Op op,
                               const call_tags& how = {}) const {
    auto lists = std::make_unique<detail::count_lists>();
    lists->in_counts = packed<std::ranges::range_value_t<In>>(counts).counts;
    return post({.kind = kind::reduce_scatter,
                 .out = detail::buffer_of(from),
                 .in = detail::buffer_of(into),
                 .op = op,
                 .lists = std::move(lists)},
                how);
  }

  /// To the root, one process's behind the other's; elsewhere `into` may be empty.
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> igather(Out&& from, In&& into, int root, const call_tags& how = {}) const {
    if (root == rank()) detail::check_fit("gather", "the result", std::ranges::size(into), whole(from), how.where);
    return post({.kind = kind::gather,
                 .peer = root,
                 .out = detail::buffer_of(from),
                 .in = detail::buffer_of(std::ranges::data(into), std::ranges::size(from))},
                how);
  }
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> igatherv(Out&& from, In&& into, std::span<const int> counts, int root, const call_tags& how = {}) const {
    return post({.kind = kind::gatherv,
                 .peer = root,
                 .out = detail::buffer_of(from),
                 .in = detail::buffer_of(into),
                 .lists = root == rank() ? into_lists(into, counts, "gatherv", how) : nullptr},
                how);
  }
  /// From the root, to each a part of the size of `into`.
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> iscatter(Out&& from, In&& into, int root, const call_tags& how = {}) const {
    if (root == rank())
      detail::check_fit("scatter", "what is scattered", std::ranges::size(from), whole(into), how.where);
    return post({.kind = kind::scatter,
                 .peer = root,
                 .out = detail::buffer_of(std::ranges::data(from), std::ranges::size(into)),
                 .in = detail::buffer_of(into)},
                how);
  }
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> iscatterv(Out&& from, std::span<const int> counts, In&& into, int root,
                         const call_tags& how = {}) const {
    return post({.kind = kind::scatterv,
                 .peer = root,
                 .out = detail::buffer_of(from),
                 .in = detail::buffer_of(into),
                 .lists = root == rank() ? out_lists(from, counts, "scatterv", how) : nullptr},
                how);
  }
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> iallgather(Out&& from, In&& into, const call_tags& how = {}) const {
    detail::check_fit("allgather", "the result", std::ranges::size(into), whole(from), how.where);
    return post({.kind = kind::allgather,
                 .out = detail::buffer_of(from),
                 .in = detail::buffer_of(std::ranges::data(into), std::ranges::size(from))},
                how);
  }
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> iallgatherv(Out&& from, In&& into, std::span<const int> counts, const call_tags& how = {}) const {
    return post({.kind = kind::allgatherv,
                 .out = detail::buffer_of(from),
                 .in = detail::buffer_of(into),
                 .lists = into_lists(into, counts, "allgatherv", how)},
                how);
  }
  /// Part r of `from` goes to rank r; part r of `into` comes from there.
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> ialltoall(Out&& from, In&& into, const call_tags& how = {}) const {
    const auto each = std::ranges::size(from) / static_cast<std::size_t>(size());
    detail::check_fit("alltoall", "what is sent", std::ranges::size(from), whole(each), how.where);
    detail::check_fit("alltoall", "the result", std::ranges::size(into), std::ranges::size(from), how.where);
    return post({.kind = kind::alltoall,
                 .out = detail::buffer_of(std::ranges::data(from), each),
                 .in = detail::buffer_of(std::ranges::data(into), each)},
                how);
  }
  template <elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> ialltoallv(Out&& from, std::span<const int> send_counts, In&& into, std::span<const int> receive_counts,
                          const call_tags& how = {}) const {
    auto lists = into_lists(into, receive_counts, "alltoallv", how);
    auto out = out_lists(from, send_counts, "alltoallv", how);
    lists->out_counts = std::move(out->out_counts), lists->out_offsets = std::move(out->out_offsets);
    return post({.kind = kind::alltoallv,
                 .out = detail::buffer_of(from),
                 .in = detail::buffer_of(into),
                 .lists = std::move(lists)},
                how);
  }

  // ---- immediate, as MPI

  future<void> ibcast(void* data, int count, MPI_Datatype type, int root, const call_tags& how = {}) const {
    return post({.kind = kind::bcast, .peer = root, .in = {data, count, type}}, how);
  }
  future<void> ireduce(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, int root,
                       const call_tags& how = {}) const {
    return post({.kind = kind::reduce, .peer = root, .out = {from, count, type}, .in = {into, count, type}, .op = op},
                how);
  }
  future<void> iallreduce(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op,
                          const call_tags& how = {}) const {
    return post({.kind = kind::allreduce, .out = {from, count, type}, .in = {into, count, type}, .op = op}, how);
  }
  future<void> iscan(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op,
                     const call_tags& how = {}) const {
    return post({.kind = kind::scan, .out = {from, count, type}, .in = {into, count, type}, .op = op}, how);
  }
  future<void> iexscan(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op,
                       const call_tags& how = {}) const {
    return post({.kind = kind::exscan, .out = {from, count, type}, .in = {into, count, type}, .op = op}, how);
  }
  future<void> ireduce_scatter_block(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op,
                                     const call_tags& how = {}) const {
    return post({.kind = kind::reduce_scatter_block, .out = {from, count, type}, .in = {into, count, type}, .op = op},
                how);
  }
  future<void> ireduce_scatter(const void* from, void* into, std::span<const int> counts, MPI_Datatype type, MPI_Op op,
                               const call_tags& how = {}) const;
  future<void> igather(const void* from, int send_count, MPI_Datatype send_type, void* into, int receive_count,
                       MPI_Datatype receive_type, int root, const call_tags& how = {}) const {
    return post({.kind = kind::gather,
                 .peer = root,
                 .out = {from, send_count, send_type},
                 .in = {into, receive_count, receive_type}},
                how);
  }
  future<void> igatherv(const void* from, int send_count, MPI_Datatype send_type, void* into,
                        std::span<const int> counts, std::span<const int> offsets, MPI_Datatype receive_type, int root,
                        const call_tags& how = {}) const;
  future<void> iscatter(const void* from, int send_count, MPI_Datatype send_type, void* into, int receive_count,
                        MPI_Datatype receive_type, int root, const call_tags& how = {}) const {
    return post({.kind = kind::scatter,
                 .peer = root,
                 .out = {from, send_count, send_type},
                 .in = {into, receive_count, receive_type}},
                how);
  }
  future<void> iscatterv(const void* from, std::span<const int> counts, std::span<const int> offsets,
                         MPI_Datatype send_type, void* into, int receive_count, MPI_Datatype receive_type, int root,
                         const call_tags& how = {}) const;
  future<void> iallgather(const void* from, int send_count, MPI_Datatype send_type, void* into, int receive_count,
                          MPI_Datatype receive_type, const call_tags& how = {}) const {
    return post(
        {.kind = kind::allgather, .out = {from, send_count, send_type}, .in = {into, receive_count, receive_type}},
        how);
  }
  future<void> iallgatherv(const void* from, int send_count, MPI_Datatype send_type, void* into,
                           std::span<const int> counts, std::span<const int> offsets, MPI_Datatype receive_type,
                           const call_tags& how = {}) const;
  future<void> ialltoall(const void* from, int send_count, MPI_Datatype send_type, void* into, int receive_count,
                         MPI_Datatype receive_type, const call_tags& how = {}) const {
    return post(
        {.kind = kind::alltoall, .out = {from, send_count, send_type}, .in = {into, receive_count, receive_type}}, how);
  }
  future<void> ialltoallv(const void* from, std::span<const int> send_counts, std::span<const int> send_offsets,
                          MPI_Datatype send_type, void* into, std::span<const int> receive_counts,
                          std::span<const int> receive_offsets, MPI_Datatype receive_type,
                          const call_tags& how = {}) const;

  // ---- waiting: MPI's names, the arguments of the immediate form

  void barrier(const call_tags& how = {}) const { ibarrier(how).get(how.where); }
  template <class Data>
  auto bcast(Data&& data, int root, const call_tags& how = {}) const {
    return ibcast(data, root, how).get(how.where);
  }
  template <class From, class To>
    requires room<To>
  void reduce(const From& from, To&& into, MPI_Op op, int root, const call_tags& how = {}) const {
    ireduce(from, into, op, root, how).get(how.where);
  }
  template <reducible T>
  T reduce(const T& value, MPI_Op op, int root, const call_tags& how = {}) const {
    return ireduce(value, op, root, how).get(how.where);
  }
  template <class From, class To>
    requires room<To>
  void allreduce(const From& from, To&& into, MPI_Op op, const call_tags& how = {}) const {
    iallreduce(from, into, op, how).get(how.where);
  }
  template <class Data>
  auto allreduce(Data&& data, MPI_Op op, const call_tags& how = {}) const {
    return iallreduce(data, op, how).get(how.where);
  }
  template <class From, class To>
    requires room<To>
  void scan(const From& from, To&& into, MPI_Op op, const call_tags& how = {}) const {
    iscan(from, into, op, how).get(how.where);
  }
  template <reducible T>
  T scan(const T& value, MPI_Op op, const call_tags& how = {}) const {
    return iscan(value, op, how).get(how.where);
  }
  template <class From, class To>
    requires room<To>
  void exscan(const From& from, To&& into, MPI_Op op, const call_tags& how = {}) const {
    iexscan(from, into, op, how).get(how.where);
  }
  template <reducible T>
  T exscan(const T& value, MPI_Op op, const call_tags& how = {}) const {
    return iexscan(value, op, how).get(how.where);
  }
  template <class From, class To>
  void reduce_scatter_block(const From& from, To&& into, MPI_Op op, const call_tags& how = {}) const {
    ireduce_scatter_block(from, into, op, how).get(how.where);
  }
  template <class From, class To>
  void reduce_scatter(const From& from, To&& into, std::span<const int> counts, MPI_Op op,
                      const call_tags& how = {}) const {
    ireduce_scatter(from, into, counts, op, how).get(how.where);
  }
  template <class From, class To>
  void gather(const From& from, To&& into, int root, const call_tags& how = {}) const {
    igather(from, into, root, how).get(how.where);
  }
  template <class From, class To>
  void gatherv(const From& from, To&& into, std::span<const int> counts, int root, const call_tags& how = {}) const {
    igatherv(from, into, counts, root, how).get(how.where);
  }
  template <class From, class To>
  void scatter(const From& from, To&& into, int root, const call_tags& how = {}) const {
    iscatter(from, into, root, how).get(how.where);
  }
  template <class From, class To>
  void scatterv(const From& from, std::span<const int> counts, To&& into, int root, const call_tags& how = {}) const {
    iscatterv(from, counts, into, root, how).get(how.where);
  }
  template <class From, class To>
  void allgather(const From& from, To&& into, const call_tags& how = {}) const {
    iallgather(from, into, how).get(how.where);
  }
  template <class From, class To>
  void allgatherv(const From& from, To&& into, std::span<const int> counts, const call_tags& how = {}) const {
    iallgatherv(from, into, counts, how).get(how.where);
  }
  template <class From, class To>
  void alltoall(const From& from, To&& into, const call_tags& how = {}) const {
    ialltoall(from, into, how).get(how.where);
  }
  template <class From, class To>
  void alltoallv(const From& from, std::span<const int> send_counts, To&& into, std::span<const int> receive_counts,
                 const call_tags& how = {}) const {
    ialltoallv(from, send_counts, into, receive_counts, how).get(how.where);
  }

 protected:
  using point_to_point::point_to_point;
  using kind = detail::call_kind;

  future<void> post(detail::call&& c, const call_tags& how) const {
    c.comm = comm_;
    return detail::post(*engine_, std::move(c), how);
  }

 private:
  struct packing {
    std::vector<int> counts, offsets;
    std::size_t whole = 0;
  };
  /// How many elements of MPI's each process has and where they begin, one behind the other. Throws M28 where an int is
  /// too small.
  static packing pack(std::span<const int> counts, std::size_t each);
  template <class T>
  static packing packed(std::span<const int> counts) {
    return pack(counts, type_of<T>().each);
  }
  template <class In>
  static std::unique_ptr<detail::count_lists> into_lists(const In& into, std::span<const int> counts, const char* call,
                                                         const call_tags& how) {
    auto p = packed<std::ranges::range_value_t<In>>(counts);
    detail::check_fit(call, "the result", std::ranges::size(into), p.whole, how.where);
    return std::make_unique<detail::count_lists>(detail::count_lists{
        .out_counts = {}, .out_offsets = {}, .in_counts = std::move(p.counts), .in_offsets = std::move(p.offsets)});
  }
  template <class Out>
  static std::unique_ptr<detail::count_lists> out_lists(const Out& from, std::span<const int> counts, const char* call,
                                                        const call_tags& how) {
    auto p = packed<std::ranges::range_value_t<Out>>(counts);
    detail::check_fit(call, "what is sent", std::ranges::size(from), p.whole, how.where);
    return std::make_unique<detail::count_lists>(detail::count_lists{
        .out_counts = std::move(p.counts), .out_offsets = std::move(p.offsets), .in_counts = {}, .in_offsets = {}});
  }
  std::size_t whole(std::size_t each) const { return each * static_cast<std::size_t>(size()); }
  template <elements R>
  std::size_t whole(const R& each) const {
    return whole(std::ranges::size(each));
  }

  template <class T>
  future<T> reduced(kind k, const T& value, MPI_Op op, int root, const call_tags& how) const {
    return detail::post_value<T>(*engine_, {.kind = k, .comm = comm_, .peer = root, .op = op}, how, [&](auto& o) {
      o.out = value;
      if (k == kind::reduce) o.in = value;  // what others than the root get
      o.what.out = detail::buffer_of(&o.out, 1);
      o.what.in = detail::buffer_of(&o.in, 1);
    });
  }
};

}  // namespace stretto::mpi
