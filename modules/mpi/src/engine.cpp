#include "engine.hpp"

#include <stretto/mpi_mutex.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include "faults.hpp"
#include "new_parts.hpp"
#include "start_call.hpp"

namespace stretto::mpi {

using detail::call;
using detail::call_kind;
using detail::operation;

namespace {

/// How often is tested under one lock: what is waited for is then seen with MPI's own delay, and others wait for half a
/// microsecond.
constexpr unsigned tests_at_once = 8;
/// How often a lock is tried for before the thread sleeps: who holds it does so for one call of MPI.
constexpr unsigned tries = 100;

constexpr const char* ended_before = "its preconditions had not triggered";
constexpr const char* nobody_sent = "no message arrived, and the runtime cancelled the receive";
constexpr const char* not_ended = "the runtime abandoned the pending call";
constexpr const char* too_late = "it was requested after the module had been finalised";

struct void_operation final : operation {
  promise<void> result;
  void_operation(call&& c, const call_tags& tags) : operation(std::move(c), tags), result(tags.where) {}
  void keep(const MPI_Status&) override { result.set(); }
  void poison(std::exception_ptr why) noexcept override { result.poison(std::move(why), where); }
};
struct status_operation final : operation {
  promise<status> result;
  status_operation(call&& c, const call_tags& tags) : operation(std::move(c), tags), result(tags.where) {}
  void keep(const MPI_Status& s) override { result.set(status(s)); }
  void poison(std::exception_ptr why) noexcept override { result.poison(std::move(why), where); }
};

bool has_succeeded(const dependency& d) {
  if (const completion* const c = d.task()) return stretto::detail::is_done(*c) && !stretto::detail::is_poisoned(*c);
  return d.as_event().has_triggered() && !d.as_event().is_poisoned();
}
bool has_nothing_to_wait_for(const call_tags& tags) {
  return std::ranges::all_of(tags.dependencies, has_succeeded) && std::ranges::all_of(tags.events, has_succeeded);
}

/// Whether MPI has often done with it when it returns. A receive has not: the message would have to be there.
bool may_end_at_once(call_kind k) noexcept {
  return k != call_kind::recv && k != call_kind::request && !detail::is_collective(k);
}
bool is_probe(call_kind k) noexcept { return k == call_kind::probe || k == call_kind::mprobe; }

/// Whether it waits for what others may never do. The end takes it back.
bool may_never_come(call_kind k) noexcept { return k == call_kind::recv || k == call_kind::request || is_probe(k); }

/// Waits with its call for what the call comes after; if that never happens, the end of the runtime drops it.
class put_off_call {
 public:
  put_off_call(engine& e, std::unique_ptr<operation> o) noexcept : engine_(&e), is_(std::move(o)) {}
  put_off_call(put_off_call&&) noexcept = default;
  ~put_off_call() {
    if (is_) is_->poison(unfinished(*is_, ended_before));
  }
  void go() { engine_->launch(std::move(is_)); }
  void skip(std::exception_ptr why) { std::exchange(is_, nullptr)->poison(std::move(why)); }

 private:
  engine* engine_;
  std::unique_ptr<operation> is_;
};

/// The same for a collective call, which stands in its communicator's line meanwhile.
class waiting_turn {
 public:
  waiting_turn(engine& e, sequences& in, const operation& o) noexcept
      : engine_(&e), in_(&in), comm_(o.what.comm), is_(&o) {}
  waiting_turn(waiting_turn&& other) noexcept
      : engine_(other.engine_), in_(std::exchange(other.in_, nullptr)), comm_(other.comm_), is_(other.is_) {}
  ~waiting_turn() {
    if (in_) skip(unfinished(*is_, ended_before));
  }
  void go() {
    std::exchange(in_, nullptr)->ready(comm_, is_, [e = engine_](std::unique_ptr<operation> o) {
      e->launch(std::move(o));
    });
  }
  void skip(std::exception_ptr why) { std::exchange(in_, nullptr)->skip(comm_, is_, why); }

 private:
  engine* engine_;
  sequences* in_;
  MPI_Comm comm_;
  const operation* is_;
};

template <class Waiting>
void when_happened(Waiting&& w, const call_tags& tags) {
  const event before =
      tags.events.empty() ? merge_dependencies(tags.dependencies, tags.where) : merge(tags.events, tags.where);
  async(
      after(ignore_failure(before)), name(tags.name.empty() ? "a call of MPI" : tags.name),
      [waits = std::forward<Waiting>(w), before]() mutable {
        if (const wait_result how = before.result()) waits.go();
        else waits.skip(how.why());
      },
      tags.where);
}

}  // namespace

void engine::begin(thread_level level, std::uint32_t worker, std::thread::id main, const counted_calls& counts) {
  level_ = level;
  worker_ = worker;
  main_ = main;
  calls_ = level == thread_level::serialized ? &mpi_mutex() : nullptr;
  arrays_ = level == thread_level::multiple ? &array_mutex_ : nullptr;
  counts_ = counts;
}

void engine::open(const future<void>& done) {
  done_ = done;
  open_.store(true, std::memory_order_release);
}

std::unique_lock<std::mutex> engine::calling() const {
  if (!calls_) return {};
  for (unsigned i = 0; i < tries; ++i)
    if (std::unique_lock held(*calls_, std::try_to_lock); held) return held;
  return std::unique_lock(*calls_);
}
std::unique_lock<std::mutex> engine::calling_unless_taken() const {
  return calls_ ? std::unique_lock(*calls_, std::try_to_lock) : std::unique_lock<std::mutex>();
}

void engine::check_open(const call_tags& tags) const {
  if (!is_open()) throw no_mpi("no runtime uses the module now").fact("called", tags.where);
}

void engine::count(const call& c) const {
  if (c.kind > call_kind::flush_all) return;
  const statistic& s = detail::is_collective(c.kind)  ? counts_.collective
                       : detail::is_one_sided(c.kind) ? counts_.one_sided
                       : c.kind <= call_kind::ssend   ? counts_.sent
                                                      : counts_.received;
  s.add();
}

future<void> engine::post(call&& c, const call_tags& tags) {
  check_open(tags);
  check_counts(c, tags);
  if (may_end_at_once(c.kind) && may_call() && has_nothing_to_wait_for(tags)) {
    if (queued_count_.load(std::memory_order_relaxed)) start_queued();
    auto held = calling();
    MPI_Request request;
    int has_ended = 0, code = start_call(c, &request);
    if (code == MPI_SUCCESS) code = MPI_Test(&request, &has_ended, MPI_STATUS_IGNORE);
    count(c);  // now, while the message is on its way
    if (has_ended) [[likely]]
      return done_;
    const auto why = code == MPI_SUCCESS ? nullptr : failed(c, tags, code);
    auto o = std::make_unique<void_operation>(std::move(c), tags);
    auto f = o->result.get_future(tags.where);
    if (!why) {
      o->request = request;
      add(std::move(o));
      return f;
    }
    if (held) held.unlock();
    o->poison(why);
    return f;
  }
  auto o = std::make_unique<void_operation>(std::move(c), tags);
  auto f = o->result.get_future(tags.where);
  post_operation(std::move(o), tags);
  return f;
}

future<status> engine::post_status(call&& c, const call_tags& tags) {
  auto o = std::make_unique<status_operation>(std::move(c), tags);
  auto f = o->result.get_future(tags.where);
  post_operation(std::move(o), tags);
  return f;
}

void engine::post_operation(std::unique_ptr<operation> o, const call_tags& tags) {
  check_open(tags);
  check_counts(o->what, tags);
  const bool is_ready = has_nothing_to_wait_for(tags);
  if (!detail::is_collective(o->what.kind))
    return is_ready ? launch(std::move(o)) : when_happened(put_off_call(*this, std::move(o)), tags);
  if (is_ready && order_.are_empty()) return launch(std::move(o));
  const operation& is = *o;
  if (is_ready)
    return order_.put(std::move(o), sequences::readiness::now, [this](auto next) { launch(std::move(next)); });
  waiting_turn turn(*this, order_, is);
  order_.put(std::move(o), sequences::readiness::later, {});
  when_happened(std::move(turn), tags);
}

void engine::launch(std::unique_ptr<operation> o) {
  if (!is_open()) return o->poison(unfinished(*o, too_late));
  if (may_call()) {
    if (queued_count_.load(std::memory_order_relaxed)) start_queued();
    return start_here(std::move(o));
  }
  add_pending();
  {
    const std::scoped_lock lock(queue_mutex_);
    queued_.push_back(std::move(o));
    queued_count_.store(queued_.size(), std::memory_order_relaxed);
  }
  ask_turn();
}

void engine::start_here(std::unique_ptr<operation> o) {
  int has_ended = 0;
  MPI_Status s{};
  auto held = calling();
  int code = start_call(o->what, &o->request);
  count(o->what);
  if (code == MPI_SUCCESS && may_end_at_once(o->what.kind) && !is_probe(o->what.kind))
    code = MPI_Test(&o->request, &has_ended, &s);
  if (code == MPI_SUCCESS && !has_ended) return add(std::move(o));
  const auto why = code == MPI_SUCCESS ? nullptr : failed(*o, code);
  if (held) held.unlock();
  why ? o->poison(why) : o->keep(s);
}

/// Where calling() is held.
void engine::add(std::unique_ptr<operation> o) {
  add_pending();
  if (!may_never_come(o->what.kind)) certain_.fetch_add(1);
  const auto arranged = arranging();
  if (is_probe(o->what.kind)) return probes_.push_back(std::move(o));
  requests_.push_back(o->request);
  operations_.push_back(std::move(o));
}

void engine::ask_turn() {
  if (!turn_asked_.exchange(true, std::memory_order_acq_rel))
    async(stretto::on(stretto::worker(worker_)), name("MPI"), [self = shared_from_this()] { self->take_turn(); });
}

void engine::take_turn() {
  turn_asked_.store(false, std::memory_order_release);
  if (!is_open()) return;
  if (!may_call()) return fail(std::make_exception_ptr(other_thread(worker_)));
  start_queued();
  progress();
}

void engine::start_queued() {
  std::deque<std::unique_ptr<operation>> all;
  {
    const std::scoped_lock lock(queue_mutex_);
    all.swap(queued_);
    queued_count_.store(0, std::memory_order_relaxed);
  }
  for (auto& o : all) start_here(std::move(o));
  remove_pending(all.size());
}

// A worker that may not call MPI has the one that may look, if that has not done so since it was last asked for.
std::size_t engine::poll() {
  if (may_call()) {
    if (queued_count_.load(std::memory_order_relaxed)) start_queued();
    return progress();
  }
  const std::uint64_t turns = turns_.load(std::memory_order_relaxed);
  if (std::exchange(turns_seen_, turns) == turns) ask_turn();
  return 0;
}

std::size_t engine::progress() {
  if (level_ == thread_level::funneled) turns_.fetch_add(1, std::memory_order_relaxed);  // others ask
  std::vector<ended_call> ended;
  ended.swap(spare_);
  if (const auto held = calling_unless_taken(); held.owns_lock() == (calls_ != nullptr)) {
    const auto arranged = arranging();
    for (unsigned tests = 0; tests < tests_at_once && ended.empty(); ++tests) test(ended);
    if (!probes_.empty()) test_probes(ended);
  }
  if (ended.empty()) {
    ended.swap(spare_);
    return 0;
  }
  for (ended_call& e : ended) finish(e);
  const std::size_t n = ended.size();
  for (const ended_call& e : ended)
    if (!may_never_come(e.is->what.kind)) certain_.fetch_sub(1);
  ended.clear();
  ended.swap(spare_);
  remove_pending(n);
  return n;
}

void engine::finish(ended_call& e) noexcept {
  if (!is_open()) {
    int is_cancelled = 0;
    if (e.is->what.kind == call_kind::recv) MPI_Test_cancelled(&e.status, &is_cancelled);
    if (is_cancelled) return e.is->poison(unfinished(*e.is, nobody_sent));
  }
  if (e.code == MPI_SUCCESS) [[likely]]
    return e.is->keep(e.status);
  std::exception_ptr why;
  {
    const auto held = calling();
    why = failed(*e.is, e.code);
  }
  e.is->poison(std::move(why));
}

void engine::take(std::size_t i, const MPI_Status& s, int code, std::vector<ended_call>& ended) {
  ended.push_back({std::move(operations_[i]), s, code});
  requests_[i] = MPI_REQUEST_NULL;
}

void engine::test(std::vector<ended_call>& ended) {
  const std::size_t n = requests_.size();
  if (n == 0) return;
  if (n == 1) {
    int has_ended = 0;
    MPI_Status s;
    const int code = MPI_Test(requests_.data(), &has_ended, &s);
    if (!has_ended && code == MPI_SUCCESS) return;
    take(0, s, code, ended);
    requests_.clear();
    operations_.clear();
    return;
  }
  indices_.resize(n);
  statuses_.resize(n);
  int count = 0;
  const int code = MPI_Testsome(static_cast<int>(n), requests_.data(), &count, indices_.data(), statuses_.data());
  if (count == MPI_UNDEFINED || count == 0) return;
  for (int k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    take(static_cast<std::size_t>(indices_[at]), statuses_[at],
         code == MPI_ERR_IN_STATUS ? statuses_[at].MPI_ERROR : MPI_SUCCESS, ended);
  }
  // The last ones move to where others were.
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!operations_[i]) continue;
    if (left != i) operations_[left] = std::move(operations_[i]), requests_[left] = requests_[i];
    ++left;
  }
  operations_.resize(left);
  requests_.resize(left);
}

void engine::test_probes(std::vector<ended_call>& ended) {
  for (auto& o : probes_) {
    call& c = o->what;
    int is_there = 0;
    MPI_Status s;
    const int code = c.kind == call_kind::probe ? MPI_Iprobe(c.peer, c.tag, c.comm, &is_there, &s)
                                                : MPI_Improbe(c.peer, c.tag, c.comm, &is_there, &c.message, &s);
    if (is_there || code != MPI_SUCCESS) ended.push_back({std::move(o), s, code});
  }
  std::erase(probes_, nullptr);
}

void engine::fail(std::exception_ptr why) noexcept {
  std::vector<std::unique_ptr<operation>> all;
  {
    const auto held = calling();
    const auto arranged = arranging();
    const std::scoped_lock lock(queue_mutex_);
    open_.store(false, std::memory_order_release);
    for (auto& o : operations_) all.push_back(std::move(o));
    for (auto& o : probes_) all.push_back(std::move(o));
    for (auto& o : queued_) all.push_back(std::move(o));
    operations_.clear(), requests_.clear(), probes_.clear(), queued_.clear();
    certain_.store(0);
    queued_count_.store(0, std::memory_order_relaxed);
  }
  for (auto& o : all) o->poison(why);
  remove_pending(all.size());
}

/// Takes out what nobody waits for any more: receives that MPI gives back, probes, and requests that are the program's
/// own.
void engine::cancel_receives() noexcept {
  std::vector<std::unique_ptr<operation>> taken_back;
  {
    const auto held = calling();
    const auto arranged = arranging();
    taken_back.swap(probes_);
    std::size_t left = 0;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const call_kind kind = operations_[i]->what.kind;
      // One that has met its message ends well, in the progress that follows.
      if (kind == call_kind::recv) MPI_Cancel(&requests_[i]);
      if (kind == call_kind::request) {
        taken_back.push_back(std::move(operations_[i]));
        continue;
      }
      if (left != i) operations_[left] = std::move(operations_[i]), requests_[left] = requests_[i];
      ++left;
    }
    operations_.resize(left), requests_.resize(left);
  }
  for (auto& o : taken_back) o->poison(unfinished(*o, not_ended));
  remove_pending(taken_back.size());
}

void engine::end() noexcept {
  open_.store(false, std::memory_order_release);
  start_queued();
  cancel_receives();
  for (; !operations_.empty(); std::this_thread::yield()) progress();
  done_ = {};
}

communicator engine::on(MPI_Comm comm) {
  known_comm known{comm};
  if (may_call()) {
    const auto held = calling();
    start_call({.kind = call_kind::look_at, .in = {&known}}, nullptr);
  } else {
    post({.kind = call_kind::look_at, .in = {&known}}, {}).get();
  }
  return {shared_from_this(), comm, known.rank, known.size};
}

namespace detail {

future<void> post(engine& e, call&& c, const call_tags& tags) { return e.post(std::move(c), tags); }
future<status> post_status(engine& e, call&& c, const call_tags& tags) { return e.post_status(std::move(c), tags); }
void post_operation(engine& e, std::unique_ptr<operation> o, const call_tags& tags) {
  e.post_operation(std::move(o), tags);
}

}  // namespace detail
}  // namespace stretto::mpi
