#include "ranks/windows/access_message.hpp"

#include <utility>

#include "ranks/messages/joined_request.hpp"
#include "ranks/windows/ended_access.hpp"

namespace stretto::ranks {

request_owner window_channel::start_send_of(int to, int tag, const data_part& data, datatype_ref type) const {
  return start_send({peers[static_cast<std::size_t>(to)], {context, rank, tag}, data}, std::move(type));
}

void window_channel::send_kept(int to, int tag, std::vector<std::byte> bytes) const {
  request_owner sent = start_send_of(to, tag, {bytes.data(), std::ssize(bytes)});
  if (!sent->is_done()) joined(std::move(sent), ended_access(), std::move(bytes));
}

}  // namespace stretto::ranks
