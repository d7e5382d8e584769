#include "ranks/process/rank.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "ranks/program/crash_report.hpp"

namespace stretto::ranks {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local rank* rank_of_thread = nullptr;

// Reads and writes of the variable are calls: its address differs after a suspension.
[[gnu::noinline]] void set_current(rank* one) noexcept {
  rank_of_thread = one;
  set_current_rank(one ? &one->mpi() : nullptr);
}

}  // namespace

[[gnu::noinline]] rank* rank::current() noexcept { return rank_of_thread; }

rank::rank(node_ranks& node, world_rank number, std::shared_ptr<const program_image> image, rank_start start)
    : node_(node),
      number_(number),
      mpi_(number, node.world(),
           std::make_shared<const communicator_members>(communicator_members{self_number, group(number, 1), {}, {}})),
      copy_(std::move(image), std::move(start)) {
  node.set_peer(number, {&messages_, nullptr});
  mpi_.end = end_job;
  mpi_.node = node.members();
  mpi_.node_of = [](world_rank) { return 0; };
}

acting_rank::acting_rank(rank& as) noexcept : as_(as), before_(rank::current()) {
  if (before_) before_->leave_thread();
  as_.enter_thread();
}

acting_rank::~acting_rank() {
  as_.leave_thread();
  if (before_) before_->enter_thread();
}

void end_job(const requested_end& how) {
  std::fflush(nullptr);
  std::fputs(how.message.c_str(), stderr);
  std::_Exit(how.code & 0xff ? how.code & 0xff : 1);
}

void rank::run() {
  use_alternate_stack();
  set_current(this);
  sched::this_thread()->companion = this;
  worker_ = sched::this_thread()->index;
  end_ = copy_.run();
  sched::this_thread()->companion = nullptr;
  set_current(nullptr);
  if (mpi_.phase == rank_phase::running) end_without_finalize();
}

/// Other ranks may wait for it: the job ends, as under other launchers.
void rank::end_without_finalize() const {
  const int code = end_.code ? end_.code : 1;
  end_job({error_reaction::fatal, nullptr, code,
           "error R93: " + copy_.start().name + " ended without MPI_Finalize, with the exit code " +
               std::to_string(end_.code) + "\n"});
}

void rank::leave_thread() noexcept {
  copy_.leave_thread();
  set_current(nullptr);
}

void rank::enter_thread() noexcept {
  set_current(this);
  copy_.enter_thread();
}

}  // namespace stretto::ranks
