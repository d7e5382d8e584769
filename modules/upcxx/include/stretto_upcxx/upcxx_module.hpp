// upcxx_module.hpp - UPC++ as a module: its calls as functions that return futures of Stretto, remote calls that run as
// tasks, and futures that convert both ways.
//
//     auto pgas = std::make_shared<stretto::upcxx_module>();
//     stretto::runtime rt({.modules = {pgas}});
//     rt.run([&] {
//       const int next = (pgas->rank() + 1) % pgas->ranks();
//       std::printf("%d\n", pgas->rpc(next, [](int a) { return 2 * a; }, 21).get());
//       pgas->barrier().get();
//     });
//
// UPC++ must be built and used with UPCXX_THREADMODE=par.
//
// Threads     any thread of the runtime calls any member. One of them at a time is inside UPC++, with the master
//             persona.
// Memory      memory belongs to a call until its future is ready.
// Cost        a call: UPC++'s own and a lock. A remote call: a task at the target, and a message each way. The runtime
//             polls as long as it exists, since other processes may call this one.
// Invariants  (1) whoever initialises UPC++ finalises it. (2) a call without tags has started when its function
//             returns; collective calls start in the order of the program. (3) no task blocks its worker while others
//             are waited for. (4) a remote call that was made before the runtimes end is served.
// Source      the calls: UPC++ (Bachan et al., "UPC++: A High-Performance Communication Framework for Asynchronous
//             Computation", IPDPS 2019). UPC++ as a module of a task runtime: HiPER (Grossman et al.).
#pragma once

#include <stretto/module.hpp>
#include <stretto/stretto.hpp>
#include <stretto_upcxx/engine.hpp>
#include <stretto_upcxx/remote_call.hpp>

#include <functional>
#include <span>

namespace stretto {

class upcxx_module final : public module {
 public:
  static_assert(UPCXX_THREADMODE, "tasks call UPC++ from several threads: compile with UPCXX_THREADMODE=par");

  upcxx_module();
  ~upcxx_module() override;

  /// The number of this process, from 0, and how many there are. Both 0 if no runtime uses the module.
  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return ranks_; }

  // ---- any call of UPC++

  /// Calls `call` with the master persona. Its result, a value or a future of UPC++, becomes a future of Stretto; a
  /// future of several values one of a tuple. `tags` may be after(...), name(...) and others of async. Throws M36.
  template <class Call, class... Tags>
  auto start(Call call, Tags&&... tags) -> future<upcxx_detail::value_of_call<Call>>;
  /// For several calls: this thread is inside UPC++ while the returned object exists, and must not suspend meanwhile.
  upcxx_scope calling() const;

  /// The same end and value. Both only inside of start, of calling(), or of a callback of UPC++: a future of UPC++
  /// belongs to a persona. Throws M39 otherwise.
  template <upcxx_detail::upcxx_future Future>
  auto to_stretto(const Future& f) -> future<typename upcxx_detail::value_of_result<Future>::type>;
  /// UPC++ has no failures: if the operation fails, the process ends, as by an exception of a callback of UPC++.
  template <class T>
  auto to_upcxx(const future<T>& f);
  ::upcxx::future<> to_upcxx(event e);

  // ---- remote calls

  /// Runs `function(arguments...)` as a task at rank `to`. Functions and arguments must be Serializable; at the target
  /// a dist_object or a team is the one there. Poisoned with M38 if the function throws; throws M37 if there is no such
  /// rank.
  template <class Function, class... Argument>
  auto rpc(int to, Function&& function,
           Argument&&... arguments) -> future<upcxx_detail::result_of_remote<Function, Argument...>>;
  /// The same without a result: "fire and forget". An exception is reported at the target. The end of the runtimes
  /// waits for the task.
  template <class Function, class... Argument>
  void rpc_ff(int to, Function&& function, Argument&&... arguments);

  // ---- memory of other processes

  /// Copies to that address. Ready when the elements are there.
  template <class T>
  future<void> rput(const std::type_identity_t<T>& value, ::upcxx::global_ptr<T> to) {
    counts().puts.add(1, {}, sizeof(T));
    return start([=] { return ::upcxx::rput(value, to); });
  }
  template <class T>
  future<void> rput(std::span<const std::type_identity_t<T>> from, ::upcxx::global_ptr<T> to) {
    counts().puts.add(1, {}, from.size_bytes());
    return start([=] { return ::upcxx::rput(from.data(), to, from.size()); });
  }
  /// The element at that address.
  template <class T>
  future<std::remove_const_t<T>> rget(::upcxx::global_ptr<T> from) {
    counts().gets.add(1, {}, sizeof(T));
    return start([=] { return ::upcxx::rget(from); });
  }
  template <class T>
  future<void> rget(::upcxx::global_ptr<T> from, std::span<std::remove_const_t<T>> into) {
    counts().gets.add(1, {}, into.size_bytes());
    return start([=] { return ::upcxx::rget(from, into.data(), into.size()); });
  }

  // ---- collective calls: all members of the team make them, in one order

  future<void> barrier(const ::upcxx::team& team = ::upcxx::world());
  /// The value of the member `root`, at all.
  template <class T>
  future<T> broadcast(T value, int root, const ::upcxx::team& team = ::upcxx::world()) {
    check(root, team);
    return collective(team, [=, &team] { return ::upcxx::broadcast(value, root, team); });
  }
  /// The values of all members combined by `combine`.
  template <class T, class Combine>
  future<T> reduce_all(T value, Combine combine, const ::upcxx::team& team = ::upcxx::world()) {
    return collective(team, [=, &team] { return ::upcxx::reduce_all(value, combine, team); });
  }
  /// A team of those members that give the same color, in the order of their keys.
  future<std::shared_ptr<::upcxx::team>> split(const ::upcxx::team& parent, int color, int key);
  /// Ends a team that split has made, once all members ask for it. It must exist until then.
  future<void> destroy(::upcxx::team& team);

  /// Another collective call, in its turn; `when` says whether it blocks until all members have made it.
  template <class Call>
  auto collective(const ::upcxx::team& team, Call call,
                  upcxx_detail::entry when = upcxx_detail::entry::at_once) -> future<upcxx_detail::value_of_call<Call>>;

  const upcxx_detail::counted_operations& counts() const;

  std::string_view name() const noexcept override { return "upcxx"; }
  void initialise(module_host& host) override;
  void started(runtime& owner) override;
  void finalise() override;

 private:
  upcxx_detail::engine& running() const;  // throws M36
  void check(int rank, const ::upcxx::team& team) const;
  void check_persona() const;
  void wait_for_remote_calls();

  std::shared_ptr<upcxx_detail::engine> engine_, ended_;  // ended_: until the runtime of it has ended
  int rank_ = 0, ranks_ = 0;
  bool is_ours_ = false;
};

/// As the members, of the module of this thread's runtime. Throws M09 if there is none.
template <upcxx_detail::upcxx_future Future>
auto to_stretto(const Future& f) {
  return this_runtimes<upcxx_module>().to_stretto(f);
}
template <class T>
auto to_upcxx(const future<T>& f) {
  return this_runtimes<upcxx_module>().to_upcxx(f);
}
inline ::upcxx::future<> to_upcxx(event e) { return this_runtimes<upcxx_module>().to_upcxx(e); }

}  // namespace stretto

#include <stretto_upcxx/upcxx_templates.hpp>
