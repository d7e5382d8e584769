// malformed_messages.hpp - checks of received messages whose fields could be decoded: is_malformed() is true if no
// correct node of this job sends such values.
//
// mobile_objects calls it for each received message, before any part of the protocol sees the message. If it is true,
// this node disconnects from the sender.
//
// Threads     Any.
#pragma once

#include <type_traits>

#include "mobile/broadcast_message.hpp"
#include "mobile/home_nodes.hpp"
#include "mobile/migration_message.hpp"
#include "mobile/protocol_messages.hpp"

namespace stretto::mobiles {

/// `homes` knows the nodes of this job, and the home nodes of restored objects.
bool is_malformed(const message_header& h, const home_nodes& homes) noexcept;
bool is_malformed(const migration_header& h, const home_nodes& homes) noexcept;
bool is_malformed(const reply_header& h, const home_nodes& homes) noexcept;
bool is_malformed(const broadcast_message& m, const home_nodes& homes) noexcept;
bool is_malformed(const object_migration& m, const home_nodes& homes) noexcept;
bool is_malformed(const aggregated_replies& m, const home_nodes& homes) noexcept;

/// Any other message: checks its header; or its object, which must have a home node, and its cause, which must not be
/// null. Only a resend_request may name object 0: all objects.
template <class M>
bool is_malformed(const M& m, const home_nodes& homes) noexcept {
  if constexpr (requires { m.header; }) return is_malformed(m.header, homes);
  if constexpr (requires { m.object; })
    if (m.object != object_id{} ? homes.home_of(m.object) == no_rank : !std::is_same_v<M, resend_request>) return true;
  if constexpr (requires { m.cause; }) return !m.cause;
  return false;
}

}  // namespace stretto::mobiles
