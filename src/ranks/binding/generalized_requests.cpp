// generalized_requests.cpp - requests whose operations the program performs and completes itself.
#include "ranks/binding/arguments.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/binding/status.hpp"
#include "ranks/messages/request.hpp"

namespace stretto::ranks {
namespace {

struct program_functions {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* state;
};

struct generalized_request final : request {
  explicit generalized_request(const program_functions& of);

  const program_functions functions_of_program;
};

generalized_request& generalized(completion& one) { return static_cast<generalized_request&>(one); }

void destroy_generalized(completion& one) noexcept {
  const program_functions& f = generalized(one).functions_of_program;
  if (f.free) f.free(f.state);
  delete &generalized(one);
}

std::string describe_generalized(const completion&) { return "a generalized request"; }

void cancel_generalized(request& r) {
  const program_functions& f = generalized(r).functions_of_program;
  const int code = f.cancel ? f.cancel(f.state, r.is_done()) : MPI_SUCCESS;
  if (code != MPI_SUCCESS) throw call_error(static_cast<error_class>(code), "the request's function cancel_fn failed");
}

void query_generalized(request& r) {
  const program_functions& f = generalized(r).functions_of_program;
  MPI_Status status{};
  write_status_with_error(&status, {});
  const int code = f.query ? f.query(f.state, &status) : MPI_SUCCESS;
  r.status = read_status(status);
  r.status.error = static_cast<error_class>(code);
}

const request_kind kind_of_generalized{
    {destroy_generalized, describe_generalized}, nullptr, cancel_generalized, nullptr, nullptr, query_generalized};

generalized_request::generalized_request(const program_functions& all)
    : request(kind_of_generalized), functions_of_program(all) {}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                        MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* made) {
  return call("MPI_Grequest_start", [&] {
    required(made, "request");
    request_owner one(new generalized_request({query_fn, free_fn, cancel_fn, extra_state}));
    one->activate();
    *made = handle_of(std::move(one));
  });
}
STRETTO_MPI_NAME(Grequest_start)

int PMPI_Grequest_complete(MPI_Request handle) {
  return call("MPI_Grequest_complete", [&] {
    request& one = existing_request(handle);
    if (&one.functions() != &kind_of_generalized)
      throw call_error(error_class::request, "MPI_Grequest_start has not made the request");
    if (one.is_done()) throw call_error(error_class::request, "the request has been completed before");
    one.end();
  });
}
STRETTO_MPI_NAME(Grequest_complete)

}  // extern "C"
