// collective_phase.hpp - collectives in a random program, those that do not wait among them, and their results.
#pragma once

#include <functional>
#include <memory>

#include "program_communicators.hpp"
#include "random_layout.hpp"

/// A collective that has begun. Its check runs after the request is done.
struct open_collective {
  MPI_Request request = MPI_REQUEST_NULL;
  std::function<void()> check;

  void finish() {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check();
  }
};

/// An operation that does not commute: x -> a x + b, composed.
struct affine_map {
  std::uint32_t a, b;
  bool operator==(const affine_map& other) const { return a == other.a && b == other.b; }
};
inline affine_map composed(affine_map first, affine_map second) {
  return {first.a * second.a, first.a * second.b + first.b};
}
inline void compose_all(void* in, void* in_out, int* count, MPI_Datatype*) {
  const auto* const first = static_cast<const affine_map*>(in);
  auto* const second = static_cast<affine_map*>(in_out);
  for (int i = 0; i < *count; ++i) second[i] = composed(first[i], second[i]);
}

class collective_phase {
 public:
  using maps = std::vector<affine_map>;
  using blocks = std::vector<int>;

  collective_phase(program_random& shared, const program_communicator& on, int self, std::uint64_t key)
      : on_(on), self_(self), key_(key), size_(int(on.groups[0].size())) {
    kind_ = shared.number(0, on.is_inter() ? 2 : 7);
    n_ = shared.one_in(8) ? shared.number(500, 5000) : shared.number(0, 12);
    root_ = shared.number(0, size_ - 1);
    does_wait_ = shared.one_in(2);
    is_in_place_ = shared.one_in(3);
    for (std::size_t i = 0; i < on.members().size(); ++i) lengths_.push_back(shared.number(0, 5));
  }

  /// Nothing if this rank is not in the communicator.
  std::shared_ptr<open_collective> run(MPI_Datatype map_type, MPI_Op compose) {
    if (!on_.has(self_)) return nullptr;
    map_type_ = map_type, compose_ = compose;
    switch (kind_) {
      case 0: return broadcast();
      case 1: return allgather();
      case 2: return barrier();
      case 3: return alltoallv();
      case 4: return reduce();
      case 5: return scan();
      case 6: return gatherv();
      default: return reduce_scatter();
    }
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  int rank() const { return on_.rank(self_); }
  affine_map value(int member, int i) const {
    const auto v = program_random(key_ * 64 + index(member)).next() + index(i) * 2654435761u;
    return {static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(v >> 32)};
  }
  maps values(int member, int n) const {
    maps all;
    for (int i = 0; i < n; ++i) all.push_back(value(member, i));
    return all;
  }
  std::shared_ptr<open_collective> done(const char* name, std::shared_ptr<maps> got, maps expected) const {
    auto made = std::make_shared<open_collective>();
    const int self = self_;
    made->check = [=] {
      if (*got != expected) fail("rank %d: wrong result of %s", self, name);
    };
    return made;
  }
  /// The contributions of the ranks first to last, composed.
  maps composition(int first, int last, int from = 0, int n = -1) const {
    maps all;
    for (int i = from; i < from + (n < 0 ? n_ : n); ++i) {
      affine_map v = value(on_.groups[0][index(first)], i);
      for (int r = first + 1; r <= last; ++r) v = composed(v, value(on_.groups[0][index(r)], i));
      all.push_back(v);
    }
    return all;
  }

  std::shared_ptr<open_collective> broadcast() {
    const int sender = on_.groups[0][index(root_)];
    const bool is_source = on_.side(self_) == 0 && rank() == root_;
    auto data = std::make_shared<maps>(is_source ? values(sender, n_) : maps(index(n_)));
    int root = root_;
    if (on_.is_inter() && on_.side(self_) == 0) root = is_source ? MPI_ROOT : MPI_PROC_NULL;
    const bool gets = !on_.is_inter() || on_.side(self_) == 1 || is_source;
    auto made = done("a broadcast", data, gets ? values(sender, n_) : maps(index(n_)));
    if (does_wait_) MPI_Bcast(data->data(), n_, map_type_, root, on_.handle);
    else MPI_Ibcast(data->data(), n_, map_type_, root, on_.handle, &made->request);
    return made;
  }

  std::shared_ptr<open_collective> allgather() {
    const auto& from = on_.peers_of(self_);
    const bool in_place = is_in_place_ && !on_.is_inter();
    auto sent = std::make_shared<maps>(values(self_, n_));
    auto got = std::make_shared<maps>(from.size() * index(n_));
    maps expected;
    for (const int member : from)
      for (int i = 0; i < n_; ++i) expected.push_back(value(member, i));
    if (in_place) std::copy(sent->begin(), sent->end(), got->begin() + rank() * n_);
    const void* const input = in_place ? MPI_IN_PLACE : sent->data();
    auto made = done("an allgather", got, expected);
    if (does_wait_) MPI_Allgather(input, n_, map_type_, got->data(), n_, map_type_, on_.handle);
    else MPI_Iallgather(input, n_, map_type_, got->data(), n_, map_type_, on_.handle, &made->request);
    keep(made, sent);
    return made;
  }

  std::shared_ptr<open_collective> barrier() {
    auto made = done("a barrier", std::make_shared<maps>(), {});
    if (does_wait_) MPI_Barrier(on_.handle);
    else MPI_Ibarrier(on_.handle, &made->request);
    return made;
  }

  /// The rank i sends lengths[i] + lengths[j] to j.
  std::shared_ptr<open_collective> alltoallv() {
    auto counts = std::make_shared<blocks>(), places = std::make_shared<blocks>();
    auto sent = std::make_shared<maps>(), got = std::make_shared<maps>();
    maps expected;
    for (int j = 0; j < size_; ++j) {
      counts->push_back(lengths_[index(rank())] + lengths_[index(j)]);
      places->push_back(int(sent->size()));
      for (int i = 0; i < counts->back(); ++i) {
        sent->push_back(value(self_, j * 100 + i));
        expected.push_back(value(on_.groups[0][index(j)], rank() * 100 + i));
      }
    }
    got->resize(expected.size());
    got->reserve(1), sent->reserve(1);  // two buffers, even if nothing is in them
    auto made = done("an alltoallv", got, expected);
    if (does_wait_) {
      MPI_Alltoallv(sent->data(), counts->data(), places->data(), map_type_, got->data(), counts->data(),
                    places->data(), map_type_, on_.handle);
    } else {
      MPI_Ialltoallv(sent->data(), counts->data(), places->data(), map_type_, got->data(), counts->data(),
                     places->data(), map_type_, on_.handle, &made->request);
    }
    keep(made, sent), keep(made, counts), keep(made, places);
    return made;
  }

  /// To the root, or to all.
  std::shared_ptr<open_collective> reduce() {
    const bool to_all = random_is_odd(), gets = to_all || rank() == root_;
    auto sent = std::make_shared<maps>(values(self_, n_));
    auto got = std::make_shared<maps>(gets && is_in_place_ ? *sent : maps(index(n_)));
    const void* const input = gets && is_in_place_ ? MPI_IN_PLACE : sent->data();
    auto made = done("a reduction", got, gets ? composition(0, size_ - 1) : maps(index(n_)));
    if (to_all && does_wait_) MPI_Allreduce(input, got->data(), n_, map_type_, compose_, on_.handle);
    else if (to_all) MPI_Iallreduce(input, got->data(), n_, map_type_, compose_, on_.handle, &made->request);
    else if (does_wait_) MPI_Reduce(input, got->data(), n_, map_type_, compose_, root_, on_.handle);
    else MPI_Ireduce(input, got->data(), n_, map_type_, compose_, root_, on_.handle, &made->request);
    keep(made, sent);
    return made;
  }

  std::shared_ptr<open_collective> scan() {
    const bool has_own = random_is_odd();
    auto sent = std::make_shared<maps>(values(self_, n_));
    auto got = std::make_shared<maps>(is_in_place_ ? *sent : maps(index(n_)));
    const void* const input = is_in_place_ ? MPI_IN_PLACE : sent->data();
    maps expected = *got;  // of an exclusive scan, rank 0 gets nothing
    if (has_own || rank() > 0) expected = composition(0, has_own ? rank() : rank() - 1);
    auto made = done("a scan", got, expected);
    if (has_own && does_wait_) MPI_Scan(input, got->data(), n_, map_type_, compose_, on_.handle);
    else if (has_own) MPI_Iscan(input, got->data(), n_, map_type_, compose_, on_.handle, &made->request);
    else if (does_wait_) MPI_Exscan(input, got->data(), n_, map_type_, compose_, on_.handle);
    else MPI_Iexscan(input, got->data(), n_, map_type_, compose_, on_.handle, &made->request);
    if (!has_own && rank() == 0) made->check = [got] {};
    keep(made, sent);
    return made;
  }

  std::shared_ptr<open_collective> gatherv() {
    const bool gets = rank() == root_;
    auto places = std::make_shared<blocks>(), counts = std::make_shared<blocks>(lengths_);
    auto sent = std::make_shared<maps>(values(self_, lengths_[index(rank())]));
    auto got = std::make_shared<maps>();
    maps expected;
    for (int r = 0; r < size_; ++r) {
      places->push_back(int(expected.size()) + 1);
      expected.push_back({0, 0});  // a gap before each block
      for (int i = 0; i < lengths_[index(r)]; ++i) expected.push_back(value(on_.groups[0][index(r)], i));
    }
    if (!gets) expected.clear();
    got->resize(expected.size(), {0, 0});
    auto made = done("a gatherv", got, expected);
    if (does_wait_) {
      MPI_Gatherv(sent->data(), int(sent->size()), map_type_, got->data(), counts->data(), places->data(), map_type_,
                  root_, on_.handle);
    } else {
      MPI_Igatherv(sent->data(), int(sent->size()), map_type_, got->data(), counts->data(), places->data(), map_type_,
                   root_, on_.handle, &made->request);
    }
    keep(made, sent), keep(made, counts), keep(made, places);
    return made;
  }

  std::shared_ptr<open_collective> reduce_scatter() {
    auto counts = std::make_shared<blocks>(lengths_);
    int all = 0, before = 0;
    for (int r = 0; r < size_; ++r) {
      if (r == rank()) before = all;
      all += lengths_[index(r)];
    }
    auto sent = std::make_shared<maps>(values(self_, all));
    auto got = std::make_shared<maps>(index(lengths_[index(rank())]));
    auto made = done("a reduce_scatter", got, composition(0, size_ - 1, before, int(got->size())));
    if (does_wait_) MPI_Reduce_scatter(sent->data(), got->data(), counts->data(), map_type_, compose_, on_.handle);
    else
      MPI_Ireduce_scatter(sent->data(), got->data(), counts->data(), map_type_, compose_, on_.handle, &made->request);
    keep(made, sent), keep(made, counts);
    return made;
  }

  bool random_is_odd() const { return program_random(key_).one_in(2); }
  /// Until the collective is done.
  template <class T>
  static void keep(const std::shared_ptr<open_collective>& open, std::shared_ptr<T> data) {
    open->check = [check = open->check, data] { check(); };
  }

  const program_communicator& on_;
  const int self_;
  const std::uint64_t key_;
  const int size_;  // of the first group
  int kind_, n_, root_;
  bool does_wait_, is_in_place_;
  blocks lengths_;
  MPI_Datatype map_type_ = MPI_DATATYPE_NULL;
  MPI_Op compose_ = MPI_OP_NULL;
};
