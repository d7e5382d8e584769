#include "ranks/windows/ended_access.hpp"

#include <string>

namespace stretto::ranks {
namespace {

struct ended_request final : request {
  ended_request();
};

void destroy_access(completion& one) noexcept { delete &static_cast<ended_request&>(one); }
std::string describe_access(const completion&) { return "operation on a window"; }
constexpr request_kind kind_of_accesses{{destroy_access, describe_access}};

ended_request::ended_request() : request(kind_of_accesses) {}

}  // namespace

request_owner ended_access() {
  request_owner made(new ended_request);
  made->activate_done();
  return made;
}

}  // namespace stretto::ranks
