// file_request.cpp - the kind of requests of files.
#include "ranks/files/file_request.hpp"

#include <utility>

namespace stretto::ranks {
namespace {

void destroy(completion& one) noexcept { delete &static_cast<file_request&>(one); }
std::string describe(const completion& one) { return static_cast<const file_request&>(one).text(); }
const request_kind kind_of_files{{destroy, describe}, nullptr, nullptr, nullptr};

}  // namespace

file_request::file_request(std::shared_ptr<const file_view> view, kept_data kept, const file_access& access)
    : request(kind_of_files), view_(std::move(view)), kept_(std::move(kept)), access_(access) {}

std::span<const std::byte> file_request::bytes_read() const {
  return std::span(kept_.bytes).first(static_cast<std::size_t>(status.bytes));
}

std::string file_request::text() const {
  return std::string(access_.direction == file_direction::read ? "read" : "write") + " of " +
         std::to_string(access_.bytes()) + " bytes of a file";
}

void file_request::set_failure(const call_error& error) {
  status.error = error.which();
  failure_ = error;
}

}  // namespace stretto::ranks
