// upcxx_templates.hpp - how upcxx_module makes calls and converts futures: a part of upcxx_module.hpp, which alone
// includes it.
#pragma once

namespace stretto {

namespace upcxx_detail {

/// Ends the operation when the future of UPC++ is ready. With the master persona.
template <class T, class Future>
void end_with(engine& by, operation_with_result<T>& o, const Future& f) {
  f.then([&by, &o](auto&&... values) {
    o.keep(std::forward<decltype(values)>(values)...);
    by.end(o);
  });
}

/// `call()` as a value or a future of Stretto. Not part of its callers, which may be tasks that suspend: UPC++ keeps
/// personas in thread-local memory, whose address a function reads once.
template <class Module, class Call>
[[gnu::noinline]] auto call_now(Module& by, engine& in, Call& call) -> future<value_of_call<Call>> {
  using value = value_of_call<Call>;
  if constexpr (upcxx_future<std::invoke_result_t<Call&>>) {
    const auto held = in.calling();
    return by.to_stretto(call());
  } else {
    promise<value> result;  // nothing depends on it yet
    auto f = result.get_future();
    const auto held = in.calling();
    if constexpr (std::is_void_v<value>) call(), result.set();
    else result.set(call());
    return f;
  }
}

/// A call that begins in its turn.
template <class Call>
class call_in_turn final : public operation_with_result<value_of_call<Call>> {
 public:
  call_in_turn(engine& by, Call&& call) : by_(by), call_(std::move(call)) {}

  void start() override {
    using result = std::invoke_result_t<Call&>;
    try {
      if constexpr (upcxx_future<result>) return end_with(by_, *this, call_());
      else if constexpr (std::is_void_v<result>) call_(), this->keep();
      else this->keep(call_());
    } catch (...) {
      this->fail(std::current_exception());
    }
    by_.end(*this);
  }

 private:
  engine& by_;
  Call call_;
};

/// A promise of UPC++, which is used and destroyed with the master persona only.
template <class... T>
class kept_promise {
 public:
  explicit kept_promise(engine& by) : by_(&by), is_(std::make_unique<::upcxx::promise<T...>>()) {}
  kept_promise(kept_promise&&) noexcept = default;
  ~kept_promise() {
    if (!is_) return;
    const auto held = by_->calling();
    is_.reset();
  }
  ::upcxx::future<T...> get_future() const { return is_->get_future(); }
  template <class... Value>
  [[gnu::noinline]] void fulfill(Value&&... values) {
    const auto held = by_->calling();
    is_->fulfill_result(std::forward<Value>(values)...);
    is_.reset();
  }

 private:
  engine* by_;
  std::unique_ptr<::upcxx::promise<T...>> is_;
};

}  // namespace upcxx_detail

template <class Call, class... Tags>
auto upcxx_module::start(Call call, Tags&&... tags) -> future<upcxx_detail::value_of_call<Call>> {
  using value = upcxx_detail::value_of_call<Call>;
  auto& by = running();
  if constexpr (sizeof...(Tags) != 0) {
    return async(std::forward<Tags>(tags)...,
                 [this, call = std::move(call)]() mutable -> value { return start(std::move(call)).get(); });
  } else {
    return upcxx_detail::call_now(*this, by, call);
  }
}

template <upcxx_detail::upcxx_future Future>
auto upcxx_module::to_stretto(const Future& f) -> future<typename upcxx_detail::value_of_result<Future>::type> {
  using value = typename upcxx_detail::value_of_result<Future>::type;
  check_persona();
  auto& by = running();
  if constexpr (std::is_void_v<value>)
    if (upcxx_detail::is_ready(f)) return by.done();
  auto o = std::make_unique<upcxx_detail::operation_with_result<value>>();
  auto result = o->get_future();
  auto& is = *o;
  by.add(std::move(o));
  upcxx_detail::end_with(by, is, f);
  return result;
}

template <class T>
auto upcxx_module::to_upcxx(const future<T>& f) {
  check_persona();
  if constexpr (std::is_void_v<T>) {
    return to_upcxx(static_cast<event>(f));
  } else {
    upcxx_detail::kept_promise<T> kept(running());
    const auto result = kept.get_future();
    async(after(ignore_failure(f)), stretto::name("future of UPC++"),
          [f, kept = std::move(kept)]() mutable noexcept { kept.fulfill(f.get()); });
    return result;
  }
}

template <class Function, class... Argument>
auto upcxx_module::rpc(int to, Function&& function,
                       Argument&&... arguments) -> future<upcxx_detail::result_of_remote<Function, Argument...>> {
  using value = upcxx_detail::result_of_remote<Function, Argument...>;
  check(to, ::upcxx::world());
  auto& by = running();
  auto o = std::make_unique<upcxx_detail::operation_with_result<value>>();
  auto result = o->get_future();
  upcxx_detail::send_call<value>(by, to, std::move(o), std::forward<Function>(function),
                                 std::forward<Argument>(arguments)...);
  return result;
}

template <class Function, class... Argument>
void upcxx_module::rpc_ff(int to, Function&& function, Argument&&... arguments) {
  using value = upcxx_detail::result_of_remote<Function, Argument...>;
  check(to, ::upcxx::world());
  auto& by = running();
  upcxx_detail::send_call<value>(by, to, nullptr, std::forward<Function>(function),
                                 std::forward<Argument>(arguments)...);
}

template <class Call>
auto upcxx_module::collective(const ::upcxx::team& team, Call call,
                              upcxx_detail::entry when) -> future<upcxx_detail::value_of_call<Call>> {
  auto& by = running();
  by.counts().collectives.add();
  auto o = std::make_unique<upcxx_detail::call_in_turn<Call>>(by, std::move(call));
  auto result = o->get_future();
  const auto held = by.calling();
  by.add_collective(std::move(o), team, when);
  return result;
}

}  // namespace stretto
