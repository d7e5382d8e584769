// remote_requests.hpp - operations on instances, and the fields of messages that ask for them.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "data/other_nodes.hpp"
#include "dist/instance_messages.hpp"

namespace stretto::dist {

/// A request that owns the memory of its spans.
struct owned_request {
  explicit owned_request(const data::remote_operation_request& r);
  owned_request(owned_request&&) = default;

  data::remote_operation_request is;

 private:
  std::vector<box> boxes_;
  std::vector<std::byte> value_;
};

operation_fields fields_of(const data::remote_operation_request& r);
/// Throws N13 if this node does not know the reduction operator. Requires f.is_sound().
owned_request request_of(const operation_fields& f, const std::string& self, const std::source_location& where);

/// A reduction operator's table, encoded as a constant of the program; no operator is encoded as 0.
std::uint64_t encode_kind(const detail::reduction_kind* kind);
const detail::reduction_kind* decode_kind(std::uint64_t bits, const std::string& self,
                                          const std::source_location& where);

}  // namespace stretto::dist
