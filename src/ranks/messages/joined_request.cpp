// joined_request.cpp - counts the two parts of an operation.
#include "ranks/messages/joined_request.hpp"

#include <atomic>
#include <string>
#include <utility>

#include "ranks/messages/request_part.hpp"
#include "ranks/messages/wait_targets.hpp"

namespace stretto::ranks {
namespace {

struct joined_request final : request {
  explicit joined_request(std::vector<std::byte> kept);

  void end_part(request_part<joined_request>&) noexcept {
    if (left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    status = receive.operation->status;
    end();
  }

  request_part<joined_request> receive, send;
  std::atomic<int> left{2};
  const std::vector<std::byte> memory;
};

void destroy(completion& one) noexcept { delete &static_cast<joined_request&>(one); }
std::string describe(const completion&) { return "receive with a send"; }
void add_targets_of_parts(const request& r, wait_targets& to) {
  const auto& both = static_cast<const joined_request&>(r);
  for (const auto* const one : {&both.receive, &both.send})
    if (one->operation) add_targets(*one->operation, to);
}
constexpr request_kind joined_kind{{destroy, describe}, nullptr, nullptr, nullptr, add_targets_of_parts};

joined_request::joined_request(std::vector<std::byte> kept) : request(joined_kind), memory(std::move(kept)) {}

}  // namespace

request_owner joined(request_owner receive, request_owner send, std::vector<std::byte> memory) {
  auto* const both = new joined_request(std::move(memory));
  request_owner made(both);
  both->activate();
  both->receive.await(*both, std::move(receive));
  both->send.await(*both, std::move(send));
  return made;
}

}  // namespace stretto::ranks
