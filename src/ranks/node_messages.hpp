// node_messages.hpp - the messages between the nodes of a job of ranks.
//
// Threads     values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ranks/datatypes/type_signature.hpp"

namespace stretto::ranks {

/// The data of a call as its rank describes it for checks on another node (STRETTO_CHECK=1).
struct described_data {
  std::string call = {};               // its rank, arguments and line
  std::int64_t count = 0;              // of elements of the datatype
  std::vector<type_run> element = {};  // of the datatype; empty: unknown
};

/// A message from a rank to a rank of the receiving node. Its data follows as a payload.
struct rank_message {
  static constexpr std::string_view message = "ranks.message";
  std::int32_t to = 0;      // rank in the world
  std::int32_t source = 0;  // rank in the communicator
  std::int32_t tag = 0;
  std::uint32_t context = 0;         // of the communicator
  std::uint64_t send = 0;            // number of the send at its node, if it can be cancelled; else 0
  std::uint64_t is_synchronous = 0;  // 1: its node waits for match_notice
  std::int64_t withheld_bytes = -1;  // of data that the sender keeps until data_request; -1: the data follows
  std::uint64_t is_early = 0;        // 1: the receiver counts it in early_return
  std::optional<described_data> described = {};  // for checks
  std::uint64_t span = 0;                        // of the trace, which the call that sends ended; 0: none
};

/// The ranks of a node begin a collective: for checks on the node of the communicator's first rank.
struct collective_notice {
  static constexpr std::string_view message = "ranks.collective";
  std::int32_t first = 0;          // the communicator's first rank, in the world
  std::uint32_t communicator = 0;  // its number
  std::int32_t number = 0;         // of the collective
  std::uint32_t nodes = 0;         // that send such a notice, or have the first rank
  std::string name = {};           // of the function
  std::int32_t root = 0;
  std::uint64_t operation = 0;  // handle of a predefined one; else 0
  described_data data = {};
};

/// A receive has taken a message whose data was withheld.
struct data_request {
  static constexpr std::string_view message = "ranks.data_request";
  std::uint64_t send = 0;     // number of the send
  std::uint64_t receive = 0;  // number of the receive at its node
};

/// The data, which follows as a payload.
struct withheld_data {
  static constexpr std::string_view message = "ranks.data";
  std::uint64_t receive = 0;  // as in the request
};

/// A rank of the sender has received early messages of the receiver's node, which may send more.
struct early_return {
  static constexpr std::string_view message = "ranks.early_return";
  static constexpr bool is_counted = false;
  std::int32_t to = 0;     // that rank, in the world
  std::int64_t bytes = 0;  // of the messages, with their places in queues
};

/// A receive has taken the message of a synchronous send.
struct match_notice {
  static constexpr std::string_view message = "ranks.matched";
  std::uint64_t send = 0;  // number of the send
};

/// The sender wants to take a message back.
struct message_cancellation {
  static constexpr std::string_view message = "ranks.cancel";
  std::int32_t to = 0;     // the receiving rank in the world
  std::uint64_t send = 0;  // number of the send
};

/// The answer to message_cancellation.
struct cancellation_reply {
  static constexpr std::string_view message = "ranks.cancel_reply";
  std::uint64_t send = 0;     // number of the send
  bool is_cancelled = false;  // no receive had taken the message, and none will
};

/// The sender has loaded its ranks, and takes messages for them.
struct ranks_loaded {
  static constexpr std::string_view message = "ranks.loaded";
  std::uint8_t nothing = 0;  // always 0
};

/// How many accelerators the ranks of the sender may have: it then has as many ranks.
struct accelerator_count {
  static constexpr std::string_view message = "ranks.accelerators";
  std::int32_t count = 0;
};

/// To the node that decides: a rank of the sender wants to end the job, and to report why.
struct job_end_request {
  static constexpr std::string_view message = "ranks.end_request";
  static constexpr bool is_counted = false;
  std::int32_t code = 0;  // exit code of all nodes
};

/// To the node that decides: the sender cannot reach that node any more.
struct node_failure_notice {
  static constexpr std::string_view message = "ranks.node_failure";
  static constexpr bool is_counted = false;
  std::uint32_t node = 0;  // of the job
};

/// From the node that decides: the job ends.
struct job_end_notice {
  static constexpr std::string_view message = "ranks.end";
  static constexpr bool is_counted = false;
  std::int32_t code = 0;        // exit code of all nodes
  std::uint32_t reporting = 0;  // the node that reports why
};

/// To the node that reports: the sender knows that the job ends, and reports nothing.
struct job_end_reply {
  static constexpr std::string_view message = "ranks.end_reply";
  static constexpr bool is_counted = false;
  std::int32_t code = 0;  // as in the notice
};

}  // namespace stretto::ranks
