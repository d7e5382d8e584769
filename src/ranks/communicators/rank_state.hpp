// rank_state.hpp - the objects of MPI that a rank has from its start; the C binding finds them here.
//
// Threads     as each member says; any thread of the rank may ask for it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "ranks/communicators/communicator.hpp"
#include "ranks/communicators/error_codes.hpp"
#include "ranks/communicators/exchange_source.hpp"
#include "ranks/communicators/handle_numbers.hpp"
#include "ranks/communicators/keyval.hpp"
#include "ranks/communicators/members_table.hpp"
#include "ranks/communicators/predefined_attributes.hpp"
#include "ranks/communicators/type_properties.hpp"
#include "ranks/files/data_representation.hpp"
#include "ranks/thread_identity.hpp"

namespace stretto::ranks {

/// Before MPI_Init, until MPI_Finalize, and after it.
enum class rank_phase { starting, running, finalized };

/// The end of ranks that a fatal error handler, or MPI_Abort, asks for.
struct requested_end {
  error_reaction reaction = error_reaction::fatal;  // fatal: all ranks end; abort: those of `ranks`
  const communicator* ranks = nullptr;
  int code = 0;
  std::string message;  // for the user, several lines
};

/// Facts of Fortran that a program has passed, for tools.
struct fortran_facts {
  std::optional<info> facts;
  int logical_size = 0;  // 0: nothing is known
  char true_value[16] = {}, false_value[16] = {};
};

struct rank_state {
  rank_state(world_rank rank, std::shared_ptr<const communicator_members> world_members,
             std::shared_ptr<const communicator_members> self_members);

  std::atomic<rank_phase> phase = rank_phase::starting;
  std::atomic<int> sessions = 0;     // not finalized
  std::atomic<int> tool_starts = 0;  // of MPI_T_init_thread without MPI_T_finalize
  number_table numbers;              // communicators release theirs in it
  communicator world;                // MPI_COMM_WORLD
  communicator self;                 // MPI_COMM_SELF
  info environment;                  // MPI_INFO_ENV
  environment_attributes attributes;
  keyval_table keyvals;
  type_property_table types;  // names and attributes of datatypes
  error_codes codes;
  handle_numbers handles;
  error_handler_ref file_handler = predefined_handler(error_reaction::return_code);  // of files that are opened
  std::map<std::string, representation_ref, std::less<>> representations;            // that the program has registered
  fortran_facts fortran;
  std::shared_ptr<members_table> node;         // of all ranks of this node
  std::function<int(world_rank)> node_of;      // the number of a rank's node
  std::unique_ptr<exchange_source> exchanges;  // to create communicators
  /// Ends ranks, usually without returning. Empty: the message is printed, and the process is aborted.
  std::function<void(const requested_end&)> end;
};

/// Ends the process with R92: the calling thread belongs to no rank.
[[noreturn]] void refuse_thread();

/// The state of the rank that the calling thread belongs to. Ends the process with R92 if there is none.
inline rank_state& current_rank() {
  const thread_identity* const identity = identity_of_thread();
  if (!identity || !identity->state) [[unlikely]]
    refuse_thread();
  return *identity->state;
}

/// The communicator whose error handler is called by functions without a communicator, window, file or session:
/// MPI_COMM_SELF, and MPI_COMM_WORLD in programs that change only the handler of that, as up to MPI 3.1.
communicator& default_communicator(rank_state& state);

}  // namespace stretto::ranks
