#include "ranks/windows/access_message.hpp"

#include <cstring>
#include <utility>

#include "ranks/messages/joined_request.hpp"
#include "ranks/windows/ended_access.hpp"

namespace stretto::ranks {

void window_channel::send_kept(int to, int tag, std::vector<std::byte> bytes) const {
  const send_arguments arguments{peers[static_cast<std::size_t>(to)],
                                 {context, rank, tag},
                                 {bytes.data(), static_cast<std::int64_t>(bytes.size())}};
  joined(start_send(arguments), ended_access(), std::move(bytes));
}

void window_channel::send_access(int to, const access_header& header, std::vector<std::byte> payload) const {
  std::vector<std::byte> head(sizeof header);
  std::memcpy(head.data(), &header, sizeof header);
  send_kept(to, header_tag, std::move(head));
  if (!payload.empty()) send_kept(to, payload_tag(header.number), std::move(payload));
}

}  // namespace stretto::ranks
