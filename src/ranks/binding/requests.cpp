// requests.cpp - functions that complete, test, start, cancel and free requests.
#include <fmt/format.h>

#include <memory>
#include <span>
#include <vector>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/busy_loop.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/binding/call_texts.hpp"
#include "ranks/binding/status.hpp"
#include "ranks/binding/usage_check.hpp"
#include "ranks/call_error.hpp"
#include "ranks/messages/request_set.hpp"

namespace stretto::ranks {
namespace {

/// The handle of an array of a program is the pointer to the request, so that functions on sets change it in place.
request*& element_of(MPI_Request* handle) { return reinterpret_cast<request*&>(required(handle, "request")); }

std::span<request*> elements_of(MPI_Request* handles, int count) {
  if (count < 0) throw call_error(error_class::count, fmt::format("the count is {}", count));
  if (count > 0) required(handles, "array_of_requests");
  return {reinterpret_cast<request**>(handles), static_cast<std::size_t>(count)};
}

/// For calls that leave requests as they are.
std::span<request* const> elements_of(const MPI_Request* handles, int count) {
  return elements_of(const_cast<MPI_Request*>(handles), count);
}

/// Statuses that a call on several requests returns; none if the program ignores them.
class returned_statuses {
 public:
  returned_statuses(MPI_Status* to, std::size_t count) : to_(to), all_(count) {}

  status_list list() { return all_; }
  /// MPI_ERROR is written only if an operation failed, as MPI says.
  void write(std::size_t count, bool all_well) const {
    if (to_ == MPI_STATUSES_IGNORE) return;
    for (std::size_t i = 0; i < count; ++i)
      all_well ? write_status(to_ + i, all_[i]) : write_status_with_error(to_ + i, all_[i]);
  }

 private:
  MPI_Status* const to_;
  std::vector<message_status> all_;
};

[[noreturn]] void refuse_in_status() {
  throw call_error(error_class::in_status, "an operation failed: MPI_ERROR of its status says how");
}

void finish_one(const message_status& s, MPI_Status* status) {
  write_status(status, s);
  throw_error_of(s);
}

int index_or_undefined(std::size_t index) {
  return index == completed_request::no_index ? MPI_UNDEFINED : static_cast<int>(index);
}

void finish_some(const completed_count& done, const returned_statuses& statuses, int* outcount) {
  required(outcount, "outcount") = done.any_active ? static_cast<int>(done.count) : MPI_UNDEFINED;
  statuses.write(done.count, done.all_well);
  if (!done.all_well) refuse_in_status();
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Wait(MPI_Request* handle, MPI_Status* status) {
  const request_arguments one{handle, 1};
  return call("MPI_Wait", MPI_COMM_NULL, details_of(one), [&] {
    const usage_check::requests_in_call watched(handle, 1);
    finish_one(wait_one(element_of(handle)), status);
  });
}
STRETTO_MPI_NAME(Wait)

int PMPI_Test(MPI_Request* handle, int* flag, MPI_Status* status) {
  return call("MPI_Test", [&] {
    const usage_check::requests_in_call watched(handle, 1);
    const auto done = test_one(element_of(handle));
    required(flag, "flag") = done.has_value();
    if (done) finish_one(*done, status);
    else yield_without_result();
  });
}
STRETTO_MPI_NAME(Test)

int PMPI_Waitall(int count, MPI_Request* handles, MPI_Status* statuses) {
  const request_arguments listed{handles, count};
  return call("MPI_Waitall", MPI_COMM_NULL, details_of(listed), [&] {
    const usage_check::requests_in_call watched(handles, count);
    const auto all = elements_of(handles, count);
    if (statuses == MPI_STATUSES_IGNORE) {
      if (!wait_all(all, {})) refuse_in_status();
      return;
    }
    returned_statuses results(statuses, all.size());
    const bool all_well = wait_all(all, results.list());
    results.write(all.size(), all_well);
    if (!all_well) refuse_in_status();
  });
}
STRETTO_MPI_NAME(Waitall)

int PMPI_Testall(int count, MPI_Request* handles, int* flag, MPI_Status* statuses) {
  return call("MPI_Testall", [&] {
    const usage_check::requests_in_call watched(handles, count);
    const auto all = elements_of(handles, count);
    returned_statuses results(statuses, all.size());
    const auto done = test_all(all, results.list());
    required(flag, "flag") = done.has_value();
    if (!done) return yield_without_result();
    results.write(all.size(), *done);
    if (!*done) refuse_in_status();
  });
}
STRETTO_MPI_NAME(Testall)

int PMPI_Waitany(int count, MPI_Request* handles, int* index, MPI_Status* status) {
  const request_arguments listed{handles, count};
  return call("MPI_Waitany", MPI_COMM_NULL, details_of(listed), [&] {
    const usage_check::requests_in_call watched(handles, count);
    const auto done = wait_any(elements_of(handles, count));
    required(index, "index") = index_or_undefined(done.index);
    finish_one(done.status, status);
  });
}
STRETTO_MPI_NAME(Waitany)

int PMPI_Testany(int count, MPI_Request* handles, int* index, int* flag, MPI_Status* status) {
  return call("MPI_Testany", [&] {
    const usage_check::requests_in_call watched(handles, count);
    const auto done = test_any(elements_of(handles, count));
    required(flag, "flag") = done.has_value();
    required(index, "index") = done ? index_or_undefined(done->index) : MPI_UNDEFINED;
    if (done) finish_one(done->status, status);
    else yield_without_result();
  });
}
STRETTO_MPI_NAME(Testany)

int PMPI_Waitsome(int count, MPI_Request* handles, int* outcount, int* indices, MPI_Status* statuses) {
  const request_arguments listed{handles, count};
  return call("MPI_Waitsome", MPI_COMM_NULL, details_of(listed), [&] {
    const usage_check::requests_in_call watched(handles, count);
    const auto all = elements_of(handles, count);
    returned_statuses results(statuses, all.size());
    finish_some(wait_some(all, {indices, all.size()}, results.list()), results, outcount);
  });
}
STRETTO_MPI_NAME(Waitsome)

int PMPI_Testsome(int count, MPI_Request* handles, int* outcount, int* indices, MPI_Status* statuses) {
  return call("MPI_Testsome", [&] {
    const usage_check::requests_in_call watched(handles, count);
    const auto all = elements_of(handles, count);
    returned_statuses results(statuses, all.size());
    const auto done = test_some(all, {indices, all.size()}, results.list());
    finish_some(done, results, outcount);
    if (done.count == 0) yield_without_result();
  });
}
STRETTO_MPI_NAME(Testsome)

int PMPI_Request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  return call("MPI_Request_get_status", [&] {
    const auto done = status_of_done(reinterpret_cast<request*>(handle));
    required(flag, "flag") = done.has_value();
    if (done) write_status_with_error(status, *done);
    else yield_without_result();
  });
}
STRETTO_MPI_NAME(Request_get_status)

int PMPI_Request_get_status_all(int count, const MPI_Request handles[], int* flag, MPI_Status* statuses) {
  return call("MPI_Request_get_status_all", [&] {
    const auto all = elements_of(handles, count);
    required(flag, "flag") = 0;
    for (request* const one : all)
      if (is_active(one) && !one->is_done()) return;
    *flag = 1;
    if (statuses == MPI_STATUSES_IGNORE) return;
    for (std::size_t i = 0; i < all.size(); ++i) write_status_with_error(statuses + i, *status_of_done(all[i]));
  });
}
STRETTO_MPI_NAME(Request_get_status_all)

int PMPI_Request_get_status_any(int count, const MPI_Request handles[], int* index, int* flag, MPI_Status* status) {
  return call("MPI_Request_get_status_any", [&] {
    required(index, "indx") = MPI_UNDEFINED;
    required(flag, "flag") = 1;
    for (request* const& one : elements_of(handles, count)) {
      const auto place = static_cast<int>(&one - reinterpret_cast<request* const*>(handles));
      if (!is_active(one)) continue;
      if (const auto done = status_of_done(one)) {
        *flag = 1;
        *index = place;
        return write_status_with_error(status, *done);
      }
      *flag = 0;
    }
    if (*flag) write_status(status, {});
  });
}
STRETTO_MPI_NAME(Request_get_status_any)

int PMPI_Request_get_status_some(int count, const MPI_Request handles[], int* outcount, int indices[],
                                 MPI_Status* statuses) {
  return call("MPI_Request_get_status_some", [&] {
    const auto all = elements_of(handles, count);
    int found = 0;
    bool any_active = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_active(all[i])) continue;
      any_active = true;
      const auto done = status_of_done(all[i]);
      if (!done) continue;
      if (statuses != MPI_STATUSES_IGNORE) write_status_with_error(statuses + found, *done);
      indices[found++] = static_cast<int>(i);
    }
    required(outcount, "outcount") = any_active ? found : MPI_UNDEFINED;
  });
}
STRETTO_MPI_NAME(Request_get_status_some)

int PMPI_Request_free(MPI_Request* handle) {
  return call("MPI_Request_free", [&] {
    const usage_check::requests_in_call watched(handle, 1);
    const request_owner freed(&existing_request(required(handle, "request")));
    *handle = MPI_REQUEST_NULL;
  });
}
STRETTO_MPI_NAME(Request_free)

int PMPI_Cancel(MPI_Request* handle) {
  return call("MPI_Cancel", [&] { cancel(existing_request(required(handle, "request"))); });
}
STRETTO_MPI_NAME(Cancel)

int PMPI_Start(MPI_Request* handle) {
  return call("MPI_Start", [&] { start(existing_request(required(handle, "request"))); });
}
STRETTO_MPI_NAME(Start)

int PMPI_Startall(int count, MPI_Request* handles) {
  return call("MPI_Startall", [&] {
    for (request* const one : elements_of(handles, count)) start(existing_request(reinterpret_cast<MPI_Request>(one)));
  });
}
STRETTO_MPI_NAME(Startall)

}  // extern "C"
