#include "ranks/windows/ended_access.hpp"

#include <string>

namespace stretto::ranks {
namespace {

struct access_request final : request {
  access_request();
};

void destroy_access(completion& one) noexcept { delete &static_cast<access_request&>(one); }
std::string describe_access(const completion&) { return "operation on a window"; }
constexpr request_kind kind_of_accesses{{destroy_access, describe_access}};

access_request::access_request() : request(kind_of_accesses) {}

}  // namespace

request_owner ended_access() {
  request_owner made(new access_request);
  made->activate_done();
  return made;
}

}  // namespace stretto::ranks
