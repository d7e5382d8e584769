// file_request.hpp - an access to a file in progress: what the program waits for.
//
// Threads     as request.hpp says; what performs the access writes `failure` and `status` before it ends the request.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ranks/call_error.hpp"
#include "ranks/files/file_transfer.hpp"
#include "ranks/messages/request.hpp"

namespace stretto::ranks {

/// The parts of an access's memory, where the program may free it before the access ends.
struct kept_data {
  datatype_ref type;
  std::vector<std::byte> bytes;  // in the file's representation
};

class file_request final : public request {
 public:
  /// `view` and `kept` live until the request has ended.
  file_request(std::shared_ptr<const file_view> view, kept_data kept, const file_access& access);

  const file_access& access() const { return access_; }
  /// After a read: the bytes in the file's representation.
  std::span<const std::byte> bytes_read() const;
  /// For reports.
  std::string text() const;

  /// The result. Only by what performs the access, before end().
  void set_bytes(std::int64_t bytes) { status.bytes = status.message_bytes = bytes; }
  void set_failure(const call_error& error);
  const std::optional<call_error>& failure() const { return failure_; }

 private:
  const std::shared_ptr<const file_view> view_;
  const kept_data kept_;
  const file_access access_;
  std::optional<call_error> failure_;
};

using file_request_owner = std::unique_ptr<file_request, request_release>;

}  // namespace stretto::ranks
