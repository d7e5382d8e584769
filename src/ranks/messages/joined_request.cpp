// joined_request.cpp - counts the two parts of an operation.
#include "ranks/messages/joined_request.hpp"

#include <atomic>
#include <string>
#include <utility>

#include "event/waiter.hpp"

namespace stretto::ranks {
namespace {

struct joined_request;

/// One of the two operations.
struct joined_part : waiter {
  joined_request* of = nullptr;
  request_owner operation;
};

struct joined_request final : request {
  explicit joined_request(std::vector<std::byte> kept);

  void await(joined_part& part, request_owner operation) {
    part.of = this;
    part.operation = std::move(operation);
    part.fire = [](waiter& link, const failure*, base::thread_context&) noexcept {
      static_cast<joined_part&>(link).of->end_one();
    };
    if (!part.operation->subscribe(part)) end_one();
  }
  void end_one() noexcept {
    if (left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    status = receive.operation->status;
    end();
  }

  joined_part receive, send;
  std::atomic<int> left{2};
  const std::vector<std::byte> memory;
};

void destroy(completion& one) noexcept { delete &static_cast<joined_request&>(one); }
std::string describe(const completion&) { return "receive with a send"; }
constexpr request_kind joined_kind{{destroy, describe}};

joined_request::joined_request(std::vector<std::byte> kept) : request(joined_kind), memory(std::move(kept)) {}

}  // namespace

request_owner joined(request_owner receive, request_owner send, std::vector<std::byte> memory) {
  auto* const both = new joined_request(std::move(memory));
  request_owner made(both);
  both->activate();
  both->await(both->receive, std::move(receive));
  both->await(both->send, std::move(send));
  return made;
}

}  // namespace stretto::ranks
