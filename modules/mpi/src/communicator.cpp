#include <stretto_mpi/communicator.hpp>

#include <algorithm>

#include "engine.hpp"
#include "faults.hpp"
#include "new_parts.hpp"

namespace stretto::mpi {

using detail::call_kind;

// ---- point to point

struct point_to_point::taking_aside final : detail::operation {
  std::shared_ptr<engine> by;
  promise<message> result;

  taking_aside(std::shared_ptr<engine> e, detail::call&& c, const call_tags& tags)
      : operation(std::move(c), tags), by(std::move(e)), result(tags.where) {}
  void keep(const MPI_Status& s) override { result.set(message(by, what.comm, what.message, status(s))); }
  void poison(std::exception_ptr why) noexcept override { result.poison(std::move(why), where); }
};

future<message> point_to_point::improbe(int from, int tag, const call_tags& how) const {
  auto o = std::make_unique<taking_aside>(
      engine_, detail::call{.kind = call_kind::mprobe, .comm = comm_, .peer = from, .tag = tag}, how);
  auto f = o->result.get_future(how.where);
  engine_->post_operation(std::move(o), how);
  return f;
}

future<status> point_to_point::both(const detail::buffer& from, int to, int send_tag, const detail::buffer& into,
                                    int source, int receive_tag, const call_tags& how) const {
  const auto came = receive(into, source, receive_tag, how);
  const auto sent = send_as(call_kind::send, from, to, send_tag, how);
  return async(
      after(came, sent), name(how.name.empty() ? "sendrecv" : how.name), [came] { return came.get(); }, how.where);
}

// ---- collectives

collectives::packing collectives::pack(std::span<const int> counts, std::size_t each) {
  packing p;
  std::size_t elements = 0;
  for (const int n : counts) {
    p.whole += static_cast<std::size_t>(n);
    p.counts.push_back(static_cast<int>(static_cast<std::size_t>(n) * each));
    p.offsets.push_back(static_cast<int>(elements));
    elements += static_cast<std::size_t>(n) * each;
  }
  check_counts({.kind = call_kind::alltoallv, .out = {nullptr, static_cast<std::int64_t>(elements)}}, {});
  return p;
}

namespace {
std::vector<int> copy_of(std::span<const int> values) { return {values.begin(), values.end()}; }
}  // namespace

future<void> collectives::ireduce_scatter(const void* from, void* into, std::span<const int> counts, MPI_Datatype type,
                                          MPI_Op op, const call_tags& how) const {
  auto lists = std::make_unique<detail::count_lists>();
  lists->in_counts = copy_of(counts);
  return post({.kind = kind::reduce_scatter,
               .out = {from, 0, type},
               .in = {into, 0, type},
               .op = op,
               .lists = std::move(lists)},
              how);
}
future<void> collectives::igatherv(const void* from, int send_count, MPI_Datatype send_type, void* into,
                                   std::span<const int> counts, std::span<const int> offsets, MPI_Datatype receive_type,
                                   int root, const call_tags& how) const {
  auto lists = std::make_unique<detail::count_lists>();
  lists->in_counts = copy_of(counts), lists->in_offsets = copy_of(offsets);
  return post({.kind = kind::gatherv,
               .peer = root,
               .out = {from, send_count, send_type},
               .in = {into, 0, receive_type},
               .lists = std::move(lists)},
              how);
}
future<void> collectives::iscatterv(const void* from, std::span<const int> counts, std::span<const int> offsets,
                                    MPI_Datatype send_type, void* into, int receive_count, MPI_Datatype receive_type,
                                    int root, const call_tags& how) const {
  auto lists = std::make_unique<detail::count_lists>();
  lists->out_counts = copy_of(counts), lists->out_offsets = copy_of(offsets);
  return post({.kind = kind::scatterv,
               .peer = root,
               .out = {from, 0, send_type},
               .in = {into, receive_count, receive_type},
               .lists = std::move(lists)},
              how);
}
future<void> collectives::iallgatherv(const void* from, int send_count, MPI_Datatype send_type, void* into,
                                      std::span<const int> counts, std::span<const int> offsets,
                                      MPI_Datatype receive_type, const call_tags& how) const {
  auto lists = std::make_unique<detail::count_lists>();
  lists->in_counts = copy_of(counts), lists->in_offsets = copy_of(offsets);
  return post({.kind = kind::allgatherv,
               .out = {from, send_count, send_type},
               .in = {into, 0, receive_type},
               .lists = std::move(lists)},
              how);
}
future<void> collectives::ialltoallv(const void* from, std::span<const int> send_counts,
                                     std::span<const int> send_offsets, MPI_Datatype send_type, void* into,
                                     std::span<const int> receive_counts, std::span<const int> receive_offsets,
                                     MPI_Datatype receive_type, const call_tags& how) const {
  auto lists = std::make_unique<detail::count_lists>(detail::count_lists{
      copy_of(send_counts), copy_of(send_offsets), copy_of(receive_counts), copy_of(receive_offsets)});
  return post(
      {.kind = kind::alltoallv, .out = {from, 0, send_type}, .in = {into, 0, receive_type}, .lists = std::move(lists)},
      how);
}

// ---- communicators

struct communicator::copying final : detail::operation {
  std::shared_ptr<engine> by;
  promise<communicator> result;
  MPI_Comm made = MPI_COMM_NULL;
  int rank, size;

  copying(const communicator& of, const call_tags& tags)
      : operation({.kind = call_kind::comm_dup, .comm = of.comm_}, tags),
        by(of.engine_),
        result(tags.where),
        rank(of.rank_),
        size(of.size_) {
    what.in = {&made};
  }
  void keep(const MPI_Status&) override { result.set(communicator(by, made, rank, size)); }
  void poison(std::exception_ptr why) noexcept override { result.poison(std::move(why), where); }
};

future<communicator> communicator::idup(const call_tags& how) const {
  auto o = std::make_unique<copying>(*this, how);
  auto f = o->result.get_future(how.where);
  engine_->post_operation(std::move(o), how);
  return f;
}

void communicator::free(const call_tags& how) {
  engine_->forget(comm_);
  engine_->post({.kind = call_kind::comm_free, .comm = std::exchange(comm_, MPI_COMM_NULL)}, how).get(how.where);
}

}  // namespace stretto::mpi
