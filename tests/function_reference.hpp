// function_reference.hpp - refers to a function that outlives it. Helpers of tests take one instead of any type, so
// that each is compiled once and not for every test.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace stretto::test {

template <class Signature>
class function_reference;

template <class Result, class... Arguments>
class function_reference<Result(Arguments...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_reference> && std::is_invocable_v<F&, Arguments...>)
  function_reference(F&& f)
      : of_((void*)std::addressof(f)), call_([](void* of, Arguments... arguments) {
          return static_cast<Result>((*(std::add_pointer_t<F>)of)(std::forward<Arguments>(arguments)...));
        }) {}

  Result operator()(Arguments... arguments) const { return call_(of_, std::forward<Arguments>(arguments)...); }

 private:
  void* of_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace stretto::test
