// team.hpp - teams, collective calls and distributed objects of the stand-in. All collective calls are one: each member
// sends its bytes to all, and has ended when it has those of all.
#pragma once

#include <upcxx/rpc.hpp>

#include <algorithm>

namespace upcxx {

class team {
 public:
  team(std::uint64_t id, std::vector<int> members) : id_(id), members_(std::move(members)) {
    me_ = index_of(upcxx::rank_me());
    stand_in::objects()[number()] = this;
  }
  team(team&& other) : team(other.id_, other.members_) { calls_ = other.calls_, is_moved(other); }
  team& operator=(const team&) = delete;
  ~team() {
    if (is_here_ && id_ != 1 && initialized()) stand_in::stop("a team is destroyed without destroy()");
  }

  intrank_t rank_n() const { return static_cast<int>(members_.size()); }
  intrank_t rank_me() const { return me_; }
  intrank_t operator[](intrank_t member) const { return members_.at(static_cast<std::size_t>(member)); }
  team split(intrank_t color, intrank_t key) const;
  void destroy() {
    stand_in::objects().erase(number());
    is_here_ = false;
  }

  stand_in::object_id number() const { return {id_, 0}; }
  /// Of the next collective call, or object; the same at all members.
  stand_in::object_id next_number() const {
    stand_in::require_master("a collective call begins");
    return {id_, ++calls_};
  }

 private:
  int index_of(int rank) const {
    return static_cast<int>(std::find(members_.begin(), members_.end(), rank) - members_.begin());
  }
  void is_moved(team& from) { from.is_here_ = false; }

  std::uint64_t id_;
  std::vector<int> members_;
  int me_ = 0;
  mutable std::uint64_t calls_ = 0;
  bool is_here_ = true;
};

inline team& world() {
  static team all = [] {
    std::vector<int> ranks(static_cast<std::size_t>(rank_n()));
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
    return team(1, ranks);
  }();
  return all;
}

namespace stand_in {

struct collection {
  std::vector<bytes> parts;
  std::size_t missing = 0;
  std::function<void(const std::vector<bytes>&)> on_all;
};
inline std::map<object_id, collection>& collections() {
  static std::map<object_id, collection> all;
  return all;
}

inline void finish(const object_id& id) {
  auto& c = collections()[id];
  if (c.missing || !c.on_all) return;
  const collection whole = std::move(c);
  collections().erase(id);
  whole.on_all(whole.parts);
}

/// `part` of each member, in their order, to `on_all` of each.
inline void gather(const team& of, bytes part, std::function<void(const std::vector<bytes>&)> on_all) {
  const object_id id = of.next_number();
  const auto take = [](const object_id& at, int from, int members, bytes its) {
    auto& c = collections()[at];
    if (c.parts.empty()) c.parts.resize(static_cast<std::size_t>(members)), c.missing = c.parts.size();
    c.parts[static_cast<std::size_t>(from)] = std::move(its);
    --c.missing;
    finish(at);
  };
  for (int to = 0; to < of.rank_n(); ++to)
    if (to != of.rank_me()) rpc_ff(of[to], take, id, of.rank_me(), of.rank_n(), part);
  here().completions.push_back([=, members = of.rank_n(), me = of.rank_me()] {
    take(id, me, members, part);
    collections()[id].on_all = on_all;
    finish(id);
  });
}

/// Blocks until all members do.
inline std::vector<bytes> meet(const team& of, bytes part = {}) {
  std::optional<std::vector<bytes>> all;
  gather(of, std::move(part), [&](const auto& parts) { all = parts; });
  while (!all) progress(), sched_yield();
  return *all;
}

template <class T>
T unpack(const bytes& from) {
  reader r{from};
  return wire<T>::get(r);
}

}  // namespace stand_in

inline team team::split(intrank_t color, intrank_t key) const {
  struct member_choice {
    int color, key, rank;
  };
  const std::uint64_t id = id_ * 1'000'003 + (calls_ + 1) * 1009 + static_cast<std::uint64_t>(color) + 2;
  std::vector<member_choice> same;
  for (const auto& part : stand_in::meet(*this, stand_in::packed(member_choice{color, key, upcxx::rank_me()})))
    if (const auto w = stand_in::unpack<member_choice>(part); w.color == color) same.push_back(w);
  std::stable_sort(same.begin(), same.end(),
                   [](const member_choice& a, const member_choice& b) { return a.key < b.key; });
  std::vector<int> members;
  for (const member_choice& w : same) members.push_back(w.rank);
  return team(id, members);
}

inline future<> barrier_async(const team& of = world()) {
  promise<> p;
  stand_in::gather(of, {}, [p](const auto&) mutable { p.fulfill_result(); });
  return p.get_future();
}
inline void barrier(const team& of = world()) { stand_in::meet(of); }

template <class T>
future<T> broadcast(T value, intrank_t root, const team& of = world()) {
  promise<T> p;
  stand_in::gather(
      of, of.rank_me() == root ? stand_in::packed(value) : stand_in::bytes(),
      [=](const auto& parts) mutable { p.fulfill_result(stand_in::unpack<T>(parts[static_cast<std::size_t>(root)])); });
  return p.get_future();
}

template <class T, class Combine>
future<T> reduce_all(T value, Combine combine, const team& of = world()) {
  promise<T> p;
  stand_in::gather(of, stand_in::packed(value), [=](const auto& parts) mutable {
    T sum = stand_in::unpack<T>(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) sum = combine(sum, stand_in::unpack<T>(parts[i]));
    p.fulfill_result(sum);
  });
  return p.get_future();
}

template <class T>
class dist_object {
 public:
  dist_object(T value, const team& of) : of_(&of), number_(of.next_number()), value_(std::move(value)) {
    stand_in::objects()[number_] = this;
  }
  dist_object(const dist_object&) = delete;
  ~dist_object() {
    stand_in::require_master("a distributed object is destroyed");
    stand_in::objects().erase(number_);
  }
  T& operator*() { return value_; }
  T* operator->() { return &value_; }
  const stand_in::object_id& number() const { return number_; }
  future<T> fetch(intrank_t member) const {
    return rpc((*of_)[member], [](dist_object& there) { return *there; }, *this);
  }

 private:
  const team* of_;
  const stand_in::object_id number_;
  T value_;
};

inline void finalize() {
  barrier();
  auto& p = stand_in::here();
  if (--p.uses == 0) return;
}

}  // namespace upcxx
