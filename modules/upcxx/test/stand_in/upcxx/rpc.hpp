// rpc.hpp - remote calls of the stand-in, and how it sends values: bytes, strings, vectors, and references to
// distributed objects and teams by their numbers.
#pragma once

#include <upcxx/process.hpp>

#include <array>
#include <bit>
#include <map>

namespace upcxx {

class team;
template <class T>
class dist_object;

namespace stand_in {

struct reader {
  std::span<const std::byte> left;
  const std::byte* take(std::size_t n) {
    if (n > left.size()) stop("a message is too short");
    const std::byte* const at = left.data();
    left = left.subspan(n);
    return at;
  }
};

/// Thrown where a message refers to what this process has not made yet.
struct not_here_yet {};

/// The objects of this process that messages refer to.
using object_id = std::array<std::uint64_t, 2>;  // team, and number in it
inline std::map<object_id, void*>& objects() {
  static std::map<object_id, void*> all;
  return all;
}
inline void* object_at(const object_id& id) {
  const auto found = objects().find(id);
  if (found == objects().end()) throw not_here_yet();
  return found->second;
}

template <class T>
struct wire {
  static_assert(std::is_trivially_copyable_v<T>, "the stand-in sends values of such types only");
  static void put(bytes& to, const T& value) {
    const auto* const at = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), at, at + sizeof value);
  }
  static T get(reader& from) {
    std::array<std::byte, sizeof(T)> raw;
    std::memcpy(raw.data(), from.take(sizeof(T)), sizeof(T));
    return std::bit_cast<T>(raw);
  }
};
template <class T>
struct wire<std::vector<T>> {
  static void put(bytes& to, const std::vector<T>& value) {
    wire<std::size_t>::put(to, value.size());
    for (const T& one : value) wire<T>::put(to, one);
  }
  static std::vector<T> get(reader& from) {
    std::vector<T> all;
    for (std::size_t n = wire<std::size_t>::get(from); n > 0; --n) all.push_back(wire<T>::get(from));
    return all;
  }
};
template <>
struct wire<std::string> {
  static void put(bytes& to, const std::string& value) {
    wire<std::vector<char>>::put(to, std::vector<char>(value.begin(), value.end()));
  }
  static std::string get(reader& from) {
    const auto all = wire<std::vector<char>>::get(from);
    return std::string(all.begin(), all.end());
  }
};
template <class T>
struct by_number {
  static void put(bytes& to, const T& value) { wire<object_id>::put(to, value.number()); }
  static T& get(reader& from) { return *static_cast<T*>(object_at(wire<object_id>::get(from))); }
};
template <>
struct wire<team> : by_number<team> {};
template <class T>
struct wire<dist_object<T>> : by_number<dist_object<T>> {};

template <class... T>
bytes packed(const T&... values) {
  bytes all;
  (wire<std::remove_cvref_t<T>>::put(all, values), ...);
  return all;
}

/// A value as an rvalue, or a reference.
template <class T>
using unpacked = decltype(wire<T>::get(std::declval<reader&>()));

template <class Function, class... Argument>
bool run_call(std::span<const std::byte> data) try {
  reader from{data};
  auto function = wire<Function>::get(from);
  std::tuple<unpacked<Argument>...> arguments{wire<Argument>::get(from)...};  // in this order, within braces
  std::apply([&](auto&... a) { function(static_cast<unpacked<Argument>&&>(a)...); }, arguments);
  return true;
} catch (const not_here_yet&) {
  return false;
}

}  // namespace stand_in

template <class Function, class... Argument>
void rpc_ff(intrank_t to, Function&& function, Argument&&... arguments) {
  stand_in::send(to, &stand_in::run_call<std::decay_t<Function>, std::remove_cvref_t<Argument>...>,
                 stand_in::packed(function, arguments...));
}

namespace stand_in {

/// The caller's promises, by address.
template <class Promise>
struct take_reply {
  template <class... Value>
  void operator()(std::uint64_t token, Value&&... values) const {
    const std::unique_ptr<Promise> is(reinterpret_cast<Promise*>(token));
    is->fulfill_result(std::forward<Value>(values)...);
  }
};

template <class Promise>
struct serve_call {
  template <class Function, class... Argument>
  void operator()(int caller, std::uint64_t token, Function&& function, Argument&&... arguments) const {
    Promise to;
    to.get_future().then([=](auto&... values) { rpc_ff(caller, take_reply<Promise>(), token, values...); });
    fulfill_with(to, [&]() -> decltype(auto) { return function(std::forward<Argument>(arguments)...); });
  }
};

}  // namespace stand_in

template <class Function, class... Argument>
auto rpc(intrank_t to, Function&& function, Argument&&... arguments) {
  using result =
      std::decay_t<std::invoke_result_t<std::decay_t<Function>&, stand_in::unpacked<std::remove_cvref_t<Argument>>...>>;
  using promise_type = typename stand_in::future_of<result>::type::promise_type;
  auto is = std::make_unique<promise_type>();
  const auto f = is->get_future();
  rpc_ff(to, stand_in::serve_call<promise_type>(), rank_me(), reinterpret_cast<std::uint64_t>(is.release()),
         std::forward<Function>(function), std::forward<Argument>(arguments)...);
  return f;
}

}  // namespace upcxx
