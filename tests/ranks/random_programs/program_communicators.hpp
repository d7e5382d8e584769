// program_communicators.hpp - the communicators of a random program, and who belongs to them.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

#include "program_random.hpp"

/// Its members are named by their rank in the program, here as in all that follows.
struct program_communicator {
  MPI_Comm handle = MPI_COMM_NULL;         // null at those who do not belong to it
  std::array<std::vector<int>, 2> groups;  // the second is empty unless it is an intercommunicator

  bool is_inter() const { return !groups[1].empty(); }
  static int place(const std::vector<int>& group, int member) {
    const auto found = std::find(group.begin(), group.end(), member);
    return found == group.end() ? -1 : static_cast<int>(found - group.begin());
  }
  /// The group that has the member, or -1.
  int side(int member) const { return place(groups[0], member) >= 0 ? 0 : place(groups[1], member) >= 0 ? 1 : -1; }
  bool has(int member) const { return side(member) >= 0; }
  /// Its rank in its group.
  int rank(int member) const { return place(groups[static_cast<std::size_t>(side(member))], member); }
  const std::vector<int>& group_of(int member) const { return groups[static_cast<std::size_t>(side(member))]; }
  /// The group to which the member sends.
  const std::vector<int>& peers_of(int member) const {
    return groups[static_cast<std::size_t>(is_inter() ? 1 - side(member) : 0)];
  }
  std::vector<int> members() const {
    std::vector<int> all = groups[0];
    all.insert(all.end(), groups[1].begin(), groups[1].end());
    return all;
  }
};

class program_communicators {
 public:
  program_communicators(MPI_Comm all, int size, int self) : self_(self) {
    std::vector<int> members(static_cast<std::size_t>(size));
    std::iota(members.begin(), members.end(), 0);
    all_.push_back({all, {members, {}}});
  }

  const program_communicator& any(program_random& random) { return random.one_of(all_); }
  int self() const { return self_; }

  /// Makes another one from an intracommunicator, which all ranks of the program draw alike.
  void add(program_random& random) {
    std::vector<program_communicator> intra;
    for (const auto& one : all_)
      if (!one.is_inter()) intra.push_back(one);
    const program_communicator from = random.one_of(intra);
    switch (random.number(0, 4)) {
      case 0: return duplicate(from);
      case 1: return split(random, from);
      case 2: return create(random, from);
      case 3: return connect(random, from, false);
      default: return connect(random, from, true);
    }
  }

  void free() {
    for (std::size_t i = 1; i < all_.size(); ++i)
      if (all_[i].handle != MPI_COMM_NULL) MPI_Comm_free(&all_[i].handle);
  }

 private:
  void keep(program_communicator made) {
    const bool is_member = made.has(self_);
    if (is_member != (made.handle != MPI_COMM_NULL)) fail("rank %d is wrongly in or out of a communicator", self_);
    if (is_member) {
      int rank, size, remote = 0;
      MPI_Comm_rank(made.handle, &rank);
      MPI_Comm_size(made.handle, &size);
      if (made.is_inter()) MPI_Comm_remote_size(made.handle, &remote);
      if (rank != made.rank(self_) || size != int(made.group_of(self_).size()) ||
          remote != (made.is_inter() ? int(made.peers_of(self_).size()) : 0))
        fail("rank %d is rank %d of %d, %d remote ones, in a communicator", self_, rank, size, remote);
    }
    if (!made.groups[0].empty()) all_.push_back(std::move(made));
  }

  void duplicate(const program_communicator& from) {
    program_communicator made{MPI_COMM_NULL, from.groups};
    if (from.has(self_)) MPI_Comm_dup(from.handle, &made.handle);
    keep(made);
  }

  void split(program_random& random, const program_communicator& from) {
    const int colours = random.number(1, 3);
    std::vector<std::vector<std::pair<int, int>>> parts(static_cast<std::size_t>(colours));  // key and member
    int mine = MPI_UNDEFINED, my_key = 0;
    for (const int member : from.groups[0]) {
      const int colour = random.number(-1, colours - 1), key = random.number(-2, 2);
      if (member == self_) mine = colour < 0 ? MPI_UNDEFINED : colour, my_key = key;
      if (colour >= 0) parts[static_cast<std::size_t>(colour)].push_back({key, member});
    }
    MPI_Comm handle = MPI_COMM_NULL;
    if (from.has(self_)) MPI_Comm_split(from.handle, mine, my_key, &handle);
    for (int colour = 0; colour < colours; ++colour) {
      auto& part = parts[static_cast<std::size_t>(colour)];
      std::stable_sort(part.begin(), part.end(), [](auto& a, auto& b) { return a.first < b.first; });
      program_communicator made;
      for (const auto& [key, member] : part) made.groups[0].push_back(member);
      if (mine == colour) made.handle = handle;
      keep(made);
    }
  }

  void create(program_random& random, const program_communicator& from) {
    std::vector<int> chosen = from.groups[0], ranks;
    random.shuffle(chosen);
    chosen.resize(static_cast<std::size_t>(random.number(1, int(chosen.size()))));
    const bool by_all = random.one_in(2);
    program_communicator made{MPI_COMM_NULL, {chosen, {}}};
    if (from.has(self_) && (by_all || made.has(self_))) {
      for (const int member : chosen) ranks.push_back(from.rank(member));
      MPI_Group whole, part;
      MPI_Comm_group(from.handle, &whole);
      MPI_Group_incl(whole, int(ranks.size()), ranks.data(), &part);
      if (by_all) MPI_Comm_create(from.handle, part, &made.handle);
      else MPI_Comm_create_group(from.handle, part, 5, &made.handle);
      MPI_Group_free(&part);
      MPI_Group_free(&whole);
    }
    keep(made);
  }

  /// An intercommunicator of two parts, or the two merged again.
  void connect(program_random& random, const program_communicator& from, bool is_merged) {
    if (from.groups[0].size() < 2) return;
    program_communicator made;
    for (const int member : from.groups[0]) made.groups[random.one_in(2)].push_back(member);
    for (int side = 0; side < 2; ++side) {
      auto &group = made.groups[static_cast<std::size_t>(side)],
           &other = made.groups[static_cast<std::size_t>(1 - side)];
      if (group.empty()) group.push_back(other.back()), other.pop_back();
    }
    if (from.has(self_)) {
      MPI_Comm part;
      MPI_Comm_split(from.handle, made.side(self_), 0, &part);
      MPI_Intercomm_create(part, 0, from.handle, from.rank(made.peers_of(self_)[0]), 6, &made.handle);
      MPI_Comm_free(&part);
    }
    if (!is_merged) return keep(made);
    const int first = random.number(0, 1);  // this side gets the lower ranks
    program_communicator merged;
    for (const int side : {first, 1 - first})
      for (const int member : made.groups[static_cast<std::size_t>(side)]) merged.groups[0].push_back(member);
    if (from.has(self_)) {
      MPI_Intercomm_merge(made.handle, made.side(self_) != first, &merged.handle);
      MPI_Comm_free(&made.handle);
    }
    keep(merged);
  }

  const int self_;
  std::vector<program_communicator> all_;
};
