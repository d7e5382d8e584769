// duplications.cpp - duplicates communicators while their ranks go on, by tasks.
#include <memory>
#include <optional>
#include <stretto/task.hpp>
#include <utility>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/creation.hpp"

namespace stretto::ranks {
namespace {

/// The task acts as a thread of the rank, whose attributes' functions it may call.
class task_of_rank final : sched::thread_companion {
 public:
  explicit task_of_rank(rank& of) : of_(of) {
    enter_thread();
    sched::this_thread()->companion = this;
  }
  task_of_rank(const task_of_rank&) = delete;
  ~task_of_rank() {
    sched::this_thread()->companion = nullptr;
    leave_thread();
  }

  void leave_thread() noexcept override { set_identity(nullptr); }
  void enter_thread() noexcept override { set_identity(&of_.copy().thread_identity()); }

 private:
  rank& of_;
};

class duplication final : public request {
 public:
  duplication(MPI_Comm of, std::optional<info> hints, MPI_Comm* result);

  void begin();

 private:
  void perform();

  rank& rank_ = caller();
  communicator& original_;
  const MPI_Comm handle_;
  const std::optional<info> hints_;
  MPI_Comm* const result_;
  const std::uint32_t call_;
};

void destroy_duplication(completion& one) noexcept { delete &static_cast<duplication&>(one); }
std::string describe_duplication(const completion&) { return "the duplication of a communicator"; }
const request_kind kind_of_duplications{{destroy_duplication, describe_duplication}};

duplication::duplication(MPI_Comm of, std::optional<info> hints, MPI_Comm* result)
    : request(kind_of_duplications),
      original_(object_of(of)),
      handle_(of),
      hints_(std::move(hints)),
      result_(result),
      call_(original_.next_creation()) {}

void duplication::begin() {
  activate();
  context_of_thread();
  if (rank_.calls_from_any_thread()) async(name("duplication"), [this] { perform(); });
  else async(on(worker(rank_.worker())), name("duplication"), [this] { perform(); });
}

void duplication::perform() {
  {
    const task_of_rank as(rank_);
    try {
      creation apart(rank_.mpi().exchanges->apart(original_, call_));
      creation_site site = apart.site();
      site.call = call_;
      created_communicator made = duplicate(original_, handle_, site);
      if (hints_) made->add_hints(*hints_);
      *result_ = new_handle(std::move(made));
    } catch (const call_error& why) {
      status.error = why.which();
    }
  }
  end();
}

int begin_duplication(const char* name, MPI_Comm comm, std::optional<MPI_Info> hints, MPI_Comm* newcomm,
                      MPI_Request* made) {
  return call(name, comm, [&] {
    required(newcomm, "newcomm") = MPI_COMM_NULL;
    required(made, "request");
    std::optional<info> given;
    if (hints) given = copied(*hints);
    auto* const one = new duplication(comm, std::move(given), newcomm);
    request_owner owner(one);
    one->begin();
    *made = handle_of(std::move(owner));
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return begin_duplication("MPI_Comm_idup", comm, {}, newcomm, request);
}
STRETTO_MPI_NAME(Comm_idup)

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  return begin_duplication("MPI_Comm_idup_with_info", comm, info, newcomm, request);
}
STRETTO_MPI_NAME(Comm_idup_with_info)

}  // extern "C"
