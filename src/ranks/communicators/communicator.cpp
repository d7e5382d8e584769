// communicator.cpp - comparison and duplication.
#include "ranks/communicators/communicator.hpp"

#include <algorithm>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

comparison compare(const communicator_members& a, const communicator_members& b) {
  if (a.is_intercommunicator() != b.is_intercommunicator()) return comparison::unequal;
  comparison groups = compare(a.local, b.local);
  if (a.remote) groups = std::max(groups, compare(*a.remote, *b.remote));
  if (groups != comparison::identical) return groups;
  return a.number == b.number ? comparison::identical : comparison::congruent;
}

void communicator::add_hints(const info& given) {
  for (int i = 0; i < given.size(); ++i) {
    const std::string_view key = given.key(i);
    if (key.starts_with("mpi_assert_") || key.starts_with("stretto_")) hints_.set(key, *given.find(key));
  }
}

void copy_properties(communicator& original, communicator& copy, void* handle, void* copy_handle) {
  copy.set_handler(original.handler());
  copy.set_arrangement(original.shared_arrangement());
  try {
    original.attributes().copy_to(copy.attributes(), handle);
  } catch (const call_error&) {
    copy.attributes().remove_all(copy_handle);
    throw;
  }
}

std::unique_ptr<communicator> made_communicator(std::shared_ptr<const communicator_members> members, world_rank self) {
  const std::optional<int> rank = members->local.rank_of(self);
  const bool has_no_peers = members->peers().is_empty();
  if (!rank || has_no_peers) return nullptr;
  return std::make_unique<communicator>(std::move(members), *rank);
}

}  // namespace stretto::ranks
