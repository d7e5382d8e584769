// far_requests.hpp - an operation on instances, as a message holds it.
//
// Threads     values.
#pragma once

#include <cstddef>
#include <vector>

#include "data/other_nodes.hpp"
#include "base/bytes.hpp"

namespace stretto::dist {

using base::reader;
using base::writer;

/// One that owns what its spans show.
struct kept_request {
  explicit kept_request(const data::remote_operation_request& r);
  kept_request(kept_request&&) = default;

  data::remote_operation_request is;

 private:
  std::vector<box> boxes_;
  std::vector<std::byte> value_;
};

void put(writer& to, const point& p);
void put(writer& to, const box& b);
void put(writer& to, const detail::instance_handle& h);
point get_point(reader& from);
box get_box(reader& from);
detail::instance_handle get_handle(reader& from);

void put(writer& to, const data::remote_operation_request& r);
/// Throws N13 if it names an operator that is not known here.
kept_request get_request(reader& from, const std::string& self, const std::source_location& where);

/// A reduction operator's table, as a constant of the program; 0 and null for none.
std::uint64_t encode_kind(const detail::reduction_kind* kind);
const detail::reduction_kind* decode_kind(std::uint64_t bits, const std::string& self, const std::source_location& where);

}  // namespace stretto::dist
