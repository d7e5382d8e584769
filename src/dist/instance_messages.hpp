// instance_messages.hpp - the messages by which a node creates instances on other nodes and works on them.
//
// An instance is named by its handle, which holds its owner's node number. A request is named by the number of its
// event at the node that made it; 0 wants no reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "dist/instance_fields.hpp"

namespace stretto::dist {

/// To the node whose memory the instance takes: create it.
struct instance_creation {
  static constexpr std::string_view message = "instances.create";
  std::uint64_t name = 0;  // the sender's number for the instance (instance_names.hpp)
  std::uint64_t request = 0;
  event behind = {};
  std::source_location where = {};
  place memory = {};  // none: the node's first
  stretto::box box = {};
  std::vector<std::int64_t> strides = {};
  axis_order order = {};
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1, alignment = 1;
  operator_bits reduction = {};
  reduction_style style = {};
  std::string text = {};  // its name in reports
};

/// data::remote_operation_request, with its elements and boxes.
struct operation_fields {
  using action = data::remote_operation_request::action;
  action what = {};
  std::vector<detail::instance_handle> used = {};  // one to three
  bool is_whole = true;
  std::vector<box> boxes = {};
  point shift = {};
  std::vector<std::byte> value = {};
  operator_bits reduction = {};
  std::uint32_t contributor = 0;
  detail::index_kind indices = detail::index_kind::int64;

  /// True if the action takes so many instances.
  bool is_sound() const noexcept;
};

/// To the node that carries the operation out, with all its arguments.
struct instance_operation {
  static constexpr std::string_view message = "instances.request";
  std::uint64_t request = 0;
  event behind = {};
  std::source_location where = {};
  operation_fields what = {};
};

/// To the node that made the request: the operation has ended.
struct instance_reply {
  static constexpr std::string_view message = "instances.reply";
  std::uint64_t request = 0;
  failure_ref why = {};
};

/// To the owner: where and how large is the instance?
struct instance_query {
  static constexpr std::string_view message = "instances.describe";
  std::uint64_t request = 0;
  detail::instance_handle instance = {};
  std::source_location where = {};
  std::string verb = {};  // what the program is about to do
};

/// From the owner: where and how large the instance is; a failure is an instance_reply instead.
struct instance_description {
  static constexpr std::string_view message = "instances.described";
  std::uint64_t request = 0;
  detail::instance_handle instance = {};
  data::layout shape = {};
  place memory = {};
  std::string name = {};
};

/// From the owner, to a node that has asked about it: the instance lies in global memory, at this address.
struct global_instance_known {
  static constexpr std::string_view message = "global_instances.known";
  detail::instance_handle named = {};
  data::layout shape = {};
  std::uint8_t dimensions = 1;
  std::uint64_t address = 0;
  std::string name = {};
};

/// From the owner: the instance in global memory is destroyed.
struct global_instance_gone {
  static constexpr std::string_view message = "global_instances.gone";
  detail::instance_handle named = {};
};

}  // namespace stretto::dist
