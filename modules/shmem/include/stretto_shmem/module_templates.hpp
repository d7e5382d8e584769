// module_templates.hpp - how shmem_module performs a call, with and without preconditions: a part of shmem_module.hpp,
// which alone includes it.
#pragma once

namespace stretto {

template <class Call, class... Tags>
auto shmem_module::perform(statistic counted, std::size_t bytes, Call call, int pe, Tags&&... tags) {
  using result = std::invoke_result_t<Call>;
  check(pe);
  counted.add(1, {}, bytes);
  if constexpr (sizeof...(Tags) != 0) {
    return async(tags..., [this, call = std::move(call)]() -> result {
      const auto held = calling();
      return call();
    });
  } else if constexpr (std::is_void_v<result>) {
    const auto held = calling();
    call();
    return done_;
  } else {
    promise<result> value;
    auto f = value.get_future();
    value.set([&] {
      const auto held = calling();
      return call();
    }());
    return f;
  }
}

template <class T>
future<T*> shmem_module::allocated_as(std::size_t bytes, const std::source_location& where) {
  auto address = std::make_shared<T*>(nullptr);
  const auto entered = collective([=, this] { *address = static_cast<T*>(zeroed(bytes, where)); }, where);
  return async(after(entered), [address] { return *address; });
}

}  // namespace stretto
