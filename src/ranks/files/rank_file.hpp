// rank_file.hpp - a rank's own object of a file that it has opened with others: what a handle of type MPI_File names.
//
// Threads     those of the rank. MPI asks programs not to use the individual position from two threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ranks/communicators/communicator.hpp"
#include "ranks/communicators/error_handler.hpp"
#include "ranks/files/file_opening.hpp"

namespace stretto::ranks {

/// The view of a file as a program has set it.
struct set_view {
  std::shared_ptr<const file_view> view = std::make_shared<const file_view>();
  std::string representation = "native";
};

/// A collective access between its two calls.
struct split_access {
  const char* name = "";  // as "MPI_File_read_all"
  file_request_owner request;
};

struct rank_file {
  rank_file(opened_file opened, std::unique_ptr<communicator> of, file_modes how, error_handler_ref on_error)
      : file(std::move(opened.file)),
        leads_node(opened.leads_node),
        is_on_one_node(opened.is_on_one_node),
        comm(std::move(of)),
        modes(how),
        handler(std::move(on_error)) {}

  bool is_first() const { return comm->rank() == 0; }
  ranks::shared_position& shared_position() const {
    return position_over_nodes ? *position_over_nodes : file->position();
  }

  counted_ref<open_file> file;  // until it is closed
  // immutable after construction
  const bool leads_node;
  const bool is_on_one_node;                 // all its ranks
  const std::unique_ptr<communicator> comm;  // of the file alone
  const file_modes modes;
  /// Null on one node.
  std::unique_ptr<ranks::shared_position> position_over_nodes;
  // the program changes them
  error_handler_ref handler;
  info hints;
  set_view seen;
  access_mode mode = access_mode::usual;
  std::int64_t position = 0;  // in etypes
  std::optional<split_access> split;
  std::uint64_t collective_accesses = 0;  // all ranks count alike
};

}  // namespace stretto::ranks
