// collective_arguments.cpp - the ways to call a collective, and checks of its buffers.
#include "ranks/binding/collective_arguments.hpp"

#include <utility>

namespace stretto::ranks {

void complete_call(collective_owner collective, calling_way way) {
  if (way.which == calling_way::kind::blocking) return perform(std::move(collective));
  MPI_Request& made = required(way.request, "request");
  if (way.which == calling_way::kind::persistent) collective->make_persistent();
  else collective->begin();
  made = handle_of(request_owner(collective.release()));
}

data_buffer data_at(const void* buffer, std::int64_t count, MPI_Datatype type) {
  if (buffer == MPI_IN_PLACE) return {in_place_buffer(), 0, nullptr};
  return {buffer, count, &type_of_data(buffer, count, type)};
}

block_buffer blocks_at(const void* buffer, std::int64_t count, MPI_Datatype type) {
  return {buffer, count, type_of_data(buffer, count, type)};
}

std::vector<const datatype*> committed_types(const MPI_Datatype* types, int count) {
  if (count > 0) required(types, "the array of datatypes");
  std::vector<const datatype*> all;
  for (int i = 0; i < count; ++i) all.push_back(&committed(types[i]));
  return all;
}

part_in_rooted::part_in_rooted(const communicator& over, int root) {
  is_root = over.is_intercommunicator() ? root == MPI_ROOT : root == over.rank();
  has_own = !over.is_intercommunicator() || root >= 0;
}

}  // namespace stretto::ranks
