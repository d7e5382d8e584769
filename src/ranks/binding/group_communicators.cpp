// group_communicators.cpp - functions that create communicators from groups alone, as programs with sessions do.
#include <cstring>
#include <string>
#include <utility>

#include "ranks/binding/creation.hpp"
#include "ranks/communicators/session.hpp"

namespace stretto::ranks {
namespace {

constexpr std::size_t most_characters = MPI_MAX_STRINGTAG_LEN - 1;

struct new_properties {
  info hints;
  error_handler_ref handler;
};

new_properties properties_of(MPI_Info hints, MPI_Errhandler handler) {
  new_properties all{copied(hints), object_of(handler)};
  if (!all.handler->fits(error_owner::communicator))
    throw call_error(error_class::errhandler, "the error handler is for objects of another kind");
  return all;
}

created_communicator with(created_communicator made, const new_properties& properties) {
  if (!made) return made;
  made->add_hints(properties.hints);
  made->set_handler(properties.handler);
  return made;
}

std::string text_of_tag(const char* stringtag) {
  const std::string text = &required(stringtag, "stringtag");
  if (text.size() > most_characters)
    throw call_error(error_class::argument, "stringtag has " + std::to_string(text.size()) + " characters");
  return text;
}

created_communicator created_from(const group& members, const std::string& text) {
  const int tag = tag_of_text(text);
  creation made(current_rank().exchanges->in_group(members, tag));
  return create_from_group(members, key_of_group(creation_number, tag), made.site());
}

int create_from_groups(const char* name, MPI_Comm* newcomm, const auto& body) {
  return call(name, [&] {
    required(newcomm, "newcomm") = MPI_COMM_NULL;
    *newcomm = new_handle(body());
  });
}

world_rank leader_of(const group& members, int leader, const char* name) {
  if (leader >= 0 && leader < members.size()) return members[leader];
  throw call_error(error_class::rank, std::string(name) + " is " + std::to_string(leader) + ", and the group has " +
                                          std::to_string(members.size()) + " ranks");
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                MPI_Comm* newcomm) {
  return create_from_groups("MPI_Comm_create_from_group", newcomm, [&]() -> created_communicator {
    const auto& members = object_of(group);
    const new_properties properties = properties_of(info, errhandler);
    const std::string text = text_of_tag(stringtag);
    if (members.is_empty()) return nullptr;
    return with(created_from(members, text), properties);
  });
}
STRETTO_MPI_NAME(Comm_create_from_group)

int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group,
                                      int remote_leader, const char* stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
  return create_from_groups("MPI_Intercomm_create_from_groups", newintercomm, [&]() -> created_communicator {
    const auto &own = object_of(local_group), &other = object_of(remote_group);
    const new_properties properties = properties_of(info, errhandler);
    const std::string text = text_of_tag(stringtag);
    const world_rank leader = leader_of(own, local_leader, "local_leader");
    leader_link link{local_leader, {}, tag_of_text(text)};
    if (leader == current_rank().world.members().local[current_rank().world.rank()])
      link.remote_leader = leader_of(other, remote_leader, "remote_leader");
    const created_communicator local = created_from(own, text);
    creation joined(current_rank().exchanges->between(*local, link));
    return with(create_intercommunicator(*local, local_leader, joined.site()), properties);
  });
}
STRETTO_MPI_NAME(Intercomm_create_from_groups)

}  // extern "C"
