#include <stretto_upcxx/upcxx_module.hpp>

#include <unistd.h>

#include "faults.hpp"

namespace stretto {

using upcxx_detail::call_counts;
using upcxx_detail::entry;

namespace {

// UPC++ can be initialised once in a process.
std::atomic<bool> was_initialised{false};

/// Lets other threads have the master persona. The thread that initialises UPC++ begins with it.
void give_up_master_persona() {
  if (::upcxx::master_persona().active_with_caller()) ::upcxx::liberate_master_persona();
  else if (::upcxx::master_persona().active())
    throw upcxx_detail::not_usable("another thread of the program has the master persona");
}

}  // namespace

upcxx_module::upcxx_module() = default;
upcxx_module::~upcxx_module() = default;

void upcxx_module::initialise(module_host& host) {
  is_ours_ = !::upcxx::initialized();
  if (is_ours_) {
    if (was_initialised.exchange(true)) throw upcxx_detail::not_usable("it has been finalised in this process");
    const pid_t process = getpid();
    ::upcxx::init();
    if (getpid() != process)
      throw upcxx_detail::not_usable(
          "its conduit has forked this process in upcxx::init, as smp does: the program "
          "must call that before it makes a runtime");
  }
  give_up_master_persona();
  rank_ = ::upcxx::rank_me(), ranks_ = ::upcxx::rank_n();
  engine_ = std::make_shared<upcxx_detail::engine>(upcxx_detail::counted_operations{
      host.add_statistic("remote calls"), host.add_statistic("puts"), host.add_statistic("gets"),
      host.add_statistic("atomics"), host.add_statistic("collective calls")});
  engine_->expect_calls();
  host.add_poller(*engine_);
  const auto held = engine_->calling();
  ::upcxx::barrier();  // from now on, each process has an engine that calls of others go to
}

void upcxx_module::started(runtime& owner) {
  const attached_thread here(owner);
  promise<void> kept;
  const auto done = kept.get_future();
  kept.set();
  engine_->open(done);
}

void upcxx_module::finalise() {
  if (engine_->is_open()) wait_for_remote_calls();
  engine_->stop_polling();
  engine_->fail(std::make_exception_ptr(upcxx_detail::not_usable("the runtime has ended before this operation")));
  {
    const auto held = engine_->calling();
    if (is_ours_) ::upcxx::finalize();
    else ::upcxx::barrier();
  }
  rank_ = ranks_ = 0;
  ended_ = std::move(engine_);
}

/// Until no process has made a call that has not been served, nor waits for an operation: twice the same sums, as the
/// processes read their counts at different times (Mattern, "Algorithms for distributed termination detection", 1987).
void upcxx_module::wait_for_remote_calls() {
  const auto sums = [this] {
    const auto add = [](call_counts a, const call_counts& b) {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
      return a;
    };
    return collective(::upcxx::world(),
                      [this, add] { return ::upcxx::reduce_all(engine_->call_counts_now(), add, ::upcxx::world()); })
        .get();
  };
  for (call_counts before{}, now = sums();; before = now, now = sums())
    if (now == before && now[0] == now[1] && now[2] == 0) return;
}

upcxx_detail::engine& upcxx_module::running() const {
  if (!engine_ || !engine_->is_open()) throw upcxx_detail::not_usable("no runtime uses the module now");
  return *engine_;
}

upcxx_scope upcxx_module::calling() const { return running().calling(); }
const upcxx_detail::counted_operations& upcxx_module::counts() const { return running().counts(); }

void upcxx_module::check(int rank, const ::upcxx::team& team) const {
  running();
  if (rank < 0 || rank >= team.rank_n()) throw upcxx_detail::no_such_rank(rank, team.rank_n());
}

void upcxx_module::check_persona() const {
  running();
  if (!::upcxx::master_persona().active_with_caller()) throw upcxx_detail::without_persona();
}

::upcxx::future<> upcxx_module::to_upcxx(event e) {
  check_persona();
  upcxx_detail::kept_promise<> kept(running());
  const auto result = kept.get_future();
  async(after(ignore_failure(e)), stretto::name("future of UPC++"), [e, kept = std::move(kept)]() mutable noexcept {
    e.result().rethrow();
    kept.fulfill();
  });
  return result;
}

future<void> upcxx_module::barrier(const ::upcxx::team& team) {
  return collective(team, [&team] { return ::upcxx::barrier_async(team); });
}

future<std::shared_ptr<::upcxx::team>> upcxx_module::split(const ::upcxx::team& parent, int color, int key) {
  return collective(
      parent, [=, &parent] { return std::make_shared<::upcxx::team>(parent.split(color, key)); },
      entry::when_all_have_arrived);
}

future<void> upcxx_module::destroy(::upcxx::team& team) {
  return collective(team, [&team] { team.destroy(); }, entry::when_all_have_arrived);
}

}  // namespace stretto
