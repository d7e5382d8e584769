// lent_call.hpp - the body of one operation, kept until it has run, and the kernel that passes it the queue of a
// device: for device_module.hpp.
#pragma once

#include <stretto/stretto.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace stretto {

/// An argument of enqueue that the body only reads; others may read it at the same time.
template <class T, std::size_t D>
struct only_read_instance {
  instance<T, D> is;
};
/// The argument `only_read(x)` of enqueue.
template <class T, std::size_t D>
only_read_instance<T, D> only_read(const instance<T, D>& x) noexcept {
  return {x};
}

namespace devices {

class engine;

template <class Array>
struct array_traits;
template <class T, std::size_t D>
struct array_traits<instance<T, D>> {
  using parameter = kernels::inout<T, D>;
  using array = native_array<T, D>;
};
template <class T, std::size_t D>
struct array_traits<only_read_instance<T, D>> {
  using parameter = kernels::in<T, D>;
  using array = native_array<T, D>;
};
template <class Array>
using parameter_of = typename array_traits<Array>::parameter;
template <class Array>
using array_of = typename array_traits<Array>::array;

template <class T, std::size_t D>
const instance<T, D>& instance_of(const instance<T, D>& x) noexcept {
  return x;
}
template <class T, std::size_t D>
const instance<T, D>& instance_of(const only_read_instance<T, D>& x) noexcept {
  return x.is;
}

/// A body with the value that it returns.
template <class Body, class... Argument>
struct kept_call {
  using result = std::invoke_result_t<Body&, Argument...>;
  static constexpr bool has_result = !std::is_void_v<result>;

  template <class Given>
  explicit kept_call(Given&& given) : body(std::forward<Given>(given)) {}

  void make(const Argument&... given) {
    if constexpr (has_result) value.emplace(body(given...));
    else body(given...);
  }
  /// `done` itself, or the future of the value.
  template <class Call>
  static auto result_behind(const event& done, const std::shared_ptr<Call>& call) {
    if constexpr (!has_result) {
      return done;
    } else {
      return async(after(ignore_failure(done)), [done, call] {
        wait(done);  // it has ended: this throws its failure, and never suspends
        return std::move(*call->value);
      });
    }
  }

  Body body;
  std::optional<std::conditional_t<has_result, result, char>> value;
};

/// Counts a call at a place, from its beginning to its end.
class counted_call {
 public:
  counted_call(engine& e, place at);
  ~counted_call();

 private:
  engine& engine_;
  const place at_;
  const std::uint64_t since_ns_;
};

/// A lent call without the type of its body; the kernel gets its address.
template <class... Array>
class lent_body {
 public:
  virtual ~lent_body() = default;
  virtual void run(const native_call& on, const Array&... arrays) = 0;
  std::uint64_t address() const noexcept { return reinterpret_cast<std::uintptr_t>(this); }
};

template <class Driver, class Body, class... Array>
class lent_call final : public lent_body<Array...>, public kept_call<Body, typename Driver::queue, Array...> {
 public:
  template <class Given>
  lent_call(engine& e, place at, Given&& given)
      : kept_call<Body, typename Driver::queue, Array...>(std::forward<Given>(given)), engine_(e), at_(at) {}
  void run(const native_call& on, const Array&... arrays) override {
    const counted_call counted(engine_, at_);
    this->make(Driver::queue_of(on), arrays...);
  }

 private:
  engine& engine_;
  const place at_;
};

/// The kernel whose calls are a lent body. One per driver and list of arrays; it lives until the program ends.
template <class Driver, class... Parameter>
const native_kernel<void(std::uint64_t, Parameter...)>& lent_kernel() {
  using kernel_type = native_kernel<void(std::uint64_t, Parameter...)>;
  static const kernel_type made = [] {
    const auto calls = [](const native_call& on, std::uint64_t call, const auto&... arrays) {
      reinterpret_cast<lent_body<std::decay_t<decltype(arrays)>...>*>(static_cast<std::uintptr_t>(call))
          ->run(on, arrays...);
    };
    typename kernel_type::definition d{.name = Driver::calls_name, .host_calls = calls};
    (Driver::kind == native_call::kind::opencl ? d.opencl_calls : d.cuda_calls) = calls;
    return kernel_type(std::move(d));
  }();
  return made;
}

}  // namespace devices
}  // namespace stretto
