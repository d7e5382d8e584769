#include "ranks/process/blocked_rank.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string_view>

#include "base/thread_stack.hpp"
#include "ranks/process/rank.hpp"

namespace stretto::ranks {
namespace {

constexpr std::size_t most_addresses = 64;  // on the way from the system call to the program

/// Whether that is the program's file or that of one of its own libraries.
bool has_file(const program_image& image, std::string_view path) {
  const auto is_there = [&](const private_object& one) { return one.file().path().native() == path; };
  return is_there(image.program()) ||
         std::ranges::any_of(image.libraries(), [&](const auto& one) { return is_there(*one); });
}

const void* return_address_in(const program_image& image, const base::thread_sleep& sleep) {
  for (const void* const address : base::return_addresses(sleep, most_addresses)) {
    Dl_info found{};
    if (::dladdr(address, &found) && has_file(image, found.dli_fname)) return address;
  }
  return nullptr;
}

}  // namespace

bool has_ranks() {
  bool any = false;
  rank::for_each([&](rank&) { any = true; });
  return any;
}

std::optional<blocked_rank> find_blocked_rank(const void* task, const base::thread_sleep& sleep) {
  std::optional<blocked_rank> found;
  rank::for_each([&](rank& one) {
    if (one.task() == task)
      found = {one.number(), base::name_of_call(sleep), return_address_in(one.copy().image(), sleep)};
  });
  return found;
}

}  // namespace stretto::ranks
