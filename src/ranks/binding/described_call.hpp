// described_call.hpp - a call of a rank with its arguments, line and data, of this node or another, for checks.
//
// Threads     values. Those of the calling rank are made by its thread.
// Cost        the text of a site runs addr2line, once for each address.
#pragma once

#include <cstdint>
#include <string>

#include "ranks/binding/call_texts.hpp"
#include "ranks/datatypes/datatype.hpp"
#include "ranks/node_messages.hpp"

namespace stretto::ranks {

struct described_call {
  int rank = 0;
  std::string call = {};  // "MPI_Send(to rank 1, ...)"
  const void* return_address = nullptr;
  std::string elsewhere = {};  // its text, if the rank is of another node

  std::string place() const;
  std::string text() const;
};

/// Of the innermost call of this thread, which must be in one.
described_call innermost_description();

/// The data of a call as one side describes it.
struct data_of_call {
  described_call site;
  std::int64_t count = 0;
  datatype_ref type;  // null: unknown
};

/// For another node. Types of many runs become unknown.
described_data describe(const data_of_call& data);
data_of_call described_elsewhere(const described_data& data);

}  // namespace stretto::ranks
