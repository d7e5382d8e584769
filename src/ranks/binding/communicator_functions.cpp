// communicator_functions.cpp - functions that create and free communicators.
#include <utility>
#include <vector>

#include "ranks/binding/creation.hpp"
#include "ranks/process/rank.hpp"

namespace stretto::ranks {

namespace {

void check_intracommunicator(const communicator& comm) {
  if (!comm.is_intercommunicator()) return;
  throw call_error(error_class::comm, "the communicator is an intercommunicator");
}

void check_leader(int rank, const group& of, const char* name) {
  if (rank >= 0 && rank < of.size()) return;
  throw call_error(error_class::rank, std::string(name) + " is " + std::to_string(rank) + ", and the group has " +
                                          std::to_string(of.size()) + " ranks");
}

created_communicator duplicated(communicator& original, MPI_Comm handle) {
  return duplicate(original, handle, creation_over(original).site());
}

constexpr std::string_view resource_key = "mpi_hw_resource_type";

/// The choice by which a rank splits a communicator by type.
split_choice type_choice(const communicator& comm, int split_type, int key, MPI_Info hints) {
  if (split_type == MPI_UNDEFINED) return {no_rank, key};
  rank_state& state = current_rank();
  std::vector<int> nodes;
  for (int rank = 0; rank < comm.size(); ++rank) {
    nodes.push_back(state.node_of ? state.node_of(comm.members().local[rank]) : 0);
  }
  const info given = copied(hints);
  const std::string resource(given.find(resource_key).value_or(""));
  return {type_color(static_cast<split_kind>(split_type), nodes, comm.rank(), resource.c_str()), key};
}

/// Deletes the attributes of a communicator, and the object. Pending operations keep what they need of it.
void free_communicator(MPI_Comm* handle) {
  communicator& freed = object_of(required(handle, "comm"));
  if (is_predefined(*handle)) {
    throw call_error(error_class::comm, "the communicator is " + freed.name() + ", which cannot be freed");
  }
  freed.attributes().remove_all(*handle);
  if (usage_check::is_on) usage_check::freed(&freed);
  if (rank* const whole = rank::current()) {
    whole->buffers().remove(&freed);
    whole->retired().keep(freed);
  }
  delete &freed;
  *handle = MPI_COMM_NULL;
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return create_by_call("MPI_Comm_dup", comm, newcomm, [&](communicator& parent) { return duplicated(parent, comm); });
}
STRETTO_MPI_NAME(Comm_dup)

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return create_by_call("MPI_Comm_dup_with_info", comm, newcomm, [&](communicator& parent) {
    const auto hints = copied(info);
    created_communicator made = duplicated(parent, comm);
    made->add_hints(hints);
    return made;
  });
}
STRETTO_MPI_NAME(Comm_dup_with_info)

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return create_by_call("MPI_Comm_split", comm, newcomm, [&](communicator& parent) {
    check_color(color);
    return split(parent, {color, key}, creation_over(parent).site());
  });
}
STRETTO_MPI_NAME(Comm_split)

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  return create_by_call("MPI_Comm_split_type", comm, newcomm, [&](communicator& parent) {
    check_intracommunicator(parent);
    created_communicator made = split(parent, type_choice(parent, split_type, key, info), creation_over(parent).site());
    if (made) made->add_hints(copied(info));
    if (made && split_type == MPI_COMM_TYPE_HW_UNGUIDED && info != MPI_INFO_NULL)
      changeable(info).set(resource_key, node_resource);
    return made;
  });
}
STRETTO_MPI_NAME(Comm_split_type)

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return create_by_call("MPI_Comm_create", comm, newcomm, [&](communicator& parent) {
    return create(parent, object_of(group), creation_over(parent).site());
  });
}
STRETTO_MPI_NAME(Comm_create)

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return create_by_call("MPI_Comm_create_group", comm, newcomm, [&](communicator& parent) {
    check_intracommunicator(parent);
    if (tag < 0) throw call_error(error_class::tag, "the tag is " + std::to_string(tag));
    const auto& chosen = object_of(group);
    check_subgroup(parent.members().local, chosen);
    creation made_in(current_rank().exchanges->in_group(chosen, tag));
    created_communicator made = create_from_group(chosen, key_of_group(parent.members().number, tag), made_in.site());
    if (made) made->set_handler(parent.handler());
    return made;
  });
}
STRETTO_MPI_NAME(Comm_create_group)

int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                          MPI_Comm* newintercomm) {
  return create_by_call("MPI_Intercomm_create", local_comm, newintercomm, [&](communicator& local) {
    check_intracommunicator(local);
    check_leader(local_leader, local.members().local, "local_leader");
    leader_link link{local_leader, {}, tag};
    if (local.rank() == local_leader) {
      const group& peers = object_of(peer_comm).members().peers();
      check_leader(remote_leader, peers, "remote_leader");
      link.remote_leader = peers[remote_leader];
      if (tag < 0) throw call_error(error_class::tag, "the tag is " + std::to_string(tag));
    }
    creation joined(current_rank().exchanges->between(local, link));
    return create_intercommunicator(local, local_leader, joined.site());
  });
}
STRETTO_MPI_NAME(Intercomm_create)

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  return create_by_call("MPI_Intercomm_merge", intercomm, newintracomm, [&](communicator& both) {
    if (!both.is_intercommunicator()) {
      throw call_error(error_class::comm, "the communicator is no intercommunicator");
    }
    return merge(both, high != 0, creation_over(both).site());
  });
}
STRETTO_MPI_NAME(Intercomm_merge)

int PMPI_Comm_free(MPI_Comm* comm) {
  return call("MPI_Comm_free", comm ? *comm : MPI_COMM_NULL, [&] { free_communicator(comm); });
}
STRETTO_MPI_NAME(Comm_free)

// Pending messages keep what they need of the communicator, so nothing is to be waited for.
int PMPI_Comm_disconnect(MPI_Comm* comm) {
  return call("MPI_Comm_disconnect", comm ? *comm : MPI_COMM_NULL, [&] { free_communicator(comm); });
}
STRETTO_MPI_NAME(Comm_disconnect)

}  // extern "C"
