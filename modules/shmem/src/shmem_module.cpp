#include <stretto_shmem/shmem_module.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "engine.hpp"
#include "kept_libraries.hpp"

namespace stretto {

namespace {

// OpenSHMEM is one of a process, and can be initialised once.
std::atomic<bool> was_initialised{false};

error not_usable(const std::string& why) {
  return error("M30", "OpenSHMEM is not usable")
      .because(why)
      .remedy(
          "one runtime of a process may start it; for several call shmem_init_thread and shmem_finalize in the "
          "program, "
          "and say so by shmem_options::is_started");
}

}  // namespace

shmem_module::shmem_module(const shmem_options& options) : options_(options) {}
shmem_module::~shmem_module() = default;

void shmem_module::initialise(module_host& host) {
  int level = SHMEM_THREAD_SINGLE;
  if (options_.is_started) shmem_query_thread(&level);
  else if (was_initialised.exchange(true)) throw not_usable("it has been finalised in this process");
  else if (shmem_init_thread(SHMEM_THREAD_SERIALIZED, &level) != 0) throw not_usable("shmem_init_thread failed");
  shmem::keep_loaded_components();
  if (level < SHMEM_THREAD_SERIALIZED) {
    if (!options_.is_started) shmem_finalize();
    throw not_usable("its threads cannot take turns: it gives less than SHMEM_THREAD_SERIALIZED");
  }
  pe_ = shmem_my_pe(), pes_ = shmem_n_pes();
  constexpr std::size_t most_rounds = 32;
  sync_ = static_cast<long*>(shmem_malloc(SHMEM_SYNC_SIZE * sizeof(long)));
  auto* const arrivals = static_cast<unsigned long*>(shmem_malloc(most_rounds * sizeof(unsigned long)));
  if (!sync_ || !arrivals) throw not_usable("it has no symmetric memory left; SHMEM_SYMMETRIC_SIZE sets its size");
  std::fill_n(sync_, SHMEM_SYNC_SIZE, SHMEM_SYNC_VALUE);
  std::fill_n(arrivals, most_rounds, 0);
  shmem_barrier_all();  // nobody writes to an array that is not initialised yet
  engine_ = std::make_shared<shmem::engine>();
  counts_ = {host.add_statistic("puts"), host.add_statistic("gets"), host.add_statistic("atomics")};
  engine_->begin(pe_, pes_, arrivals, {host.add_statistic("conditions"), host.add_statistic("collective calls")});
  host.add_poller(*engine_);
}

void shmem_module::started(runtime& owner) {
  const attached_thread here(owner);
  promise<void> kept;
  done_ = kept.get_future();
  kept.set();
}

void shmem_module::finalise() {
  engine_->stop_polling();
  engine_->fail(std::make_exception_ptr(not_usable("the runtime has ended before this operation")));
  shmem_barrier_all();
  done_ = {};
  pe_ = pes_ = 0;
  if (options_.is_started) return;
  shmem_finalize();
}

std::unique_lock<std::mutex> shmem_module::calling() const {
  if (pes_ == 0) throw not_usable("no runtime uses the module now");
  return std::unique_lock(engine_->library);
}

void shmem_module::check(int pe) const {
  if (pes_ == 0) throw not_usable("no runtime uses the module now");
  if (pe < 0 || pe >= pes_)
    throw error("M31", "there is no PE " + std::to_string(pe))
        .because("there are " + std::to_string(pes_) + ", numbered from 0");
}

future<void> shmem_module::collective(std::function<void()> call, const std::source_location& where) {
  check(pe_);
  return engine_->add_collective(std::move(call), where);
}

event shmem_module::add_condition(const shmem::condition& c, const std::source_location& where) {
  check(pe_);
  if (c.holds_for(c.read())) {
    engine_->count_condition(c);
    return done_;
  }
  return engine_->add_condition(c, where);
}

void* shmem_module::zeroed(std::size_t bytes, const std::source_location& where) const {
  // Open MPI's shmem_calloc sets memory to 0 behind its barrier, where others may have put something.
  void* const memory = shmem_malloc(std::max<std::size_t>(bytes, 1));
  if (memory) std::memset(memory, 0, bytes);
  shmem_barrier_all();
  if (!memory)
    throw error("M32", "OpenSHMEM has no memory for " + std::to_string(bytes) + " bytes on each PE")
        .fact("called", where)
        .because("its memory is as large as SHMEM_SYMMETRIC_SIZE said at the start")
        .remedy("SHMEM_SYMMETRIC_SIZE=1G in the environment of all PEs");
  return memory;
}

// All PEs ask for the same number of bytes, in one collective call.
void* shmem_module::scratch(std::size_t bytes) {
  const std::size_t needed = std::max<std::size_t>(bytes, SHMEM_REDUCE_MIN_WRKDATA_SIZE * sizeof(long double));
  if (needed <= scratch_bytes_) return scratch_;
  if (scratch_) shmem_free(std::exchange(scratch_, nullptr));
  scratch_bytes_ = 0;
  scratch_ = zeroed(needed, std::source_location::current());
  scratch_bytes_ = needed;
  return scratch_;
}

future<void> shmem_module::free(void* symmetric, std::source_location where) {
  return collective([=] { shmem_free(symmetric); }, where);
}

future<void> shmem_module::barrier(std::source_location where) {
  return collective([] { shmem_barrier_all(); }, where);
}

future<void> shmem_module::broadcast_bytes(void* into, const void* from, std::size_t bytes, int root,
                                           const std::source_location& where) {
  check(root);
  return collective(
      [=, this] {
        if (pe_ == root)
          for (int to = 0; to < pes_; ++to) shmem_putmem_nbi(into, from, bytes, to);
        shmem_barrier_all();
      },
      where);
}

future<void> shmem_module::lock(long* symmetric, std::source_location where) {
  check(pe_);
  return engine_->add_lock(symmetric, where);
}

void shmem_module::unlock(long* symmetric) {
  const auto held = calling();
  shmem_clear_lock(symmetric);
}

}  // namespace stretto
