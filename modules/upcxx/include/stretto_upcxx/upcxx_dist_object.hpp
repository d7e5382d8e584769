// upcxx_dist_object.hpp - a value of each process of a team, under one name.
//
//     upcxx_dist_object<std::vector<double>> rows(*pgas, my_rows);
//     const auto theirs = rows.fetch(2).get();
//     pgas->rpc(2, [](upcxx::dist_object<std::vector<double>>& at) { return at->size(); }, rows.object());
#pragma once

#include <stretto_upcxx/upcxx_module.hpp>

namespace stretto {

/// The local value, and access to those of the others. The module's runtime must exist as long as this object does.
template <class T>
class upcxx_dist_object {
 public:
  /// Collective, without waiting for the others. Suspends if collective calls are pending.
  explicit upcxx_dist_object(upcxx_module& by, T value, const ::upcxx::team& team = ::upcxx::world())
      : by_(by), is_(by.collective(team, [&] {
                         return std::make_shared<::upcxx::dist_object<T>>(std::move(value), team);
                       }).get()) {}
  upcxx_dist_object(const upcxx_dist_object&) = delete;
  ~upcxx_dist_object() {
    const auto held = by_.calling();
    is_.reset();
  }

  T& operator*() const noexcept { return **is_; }
  T* operator->() const noexcept { return &**is_; }
  /// The object of UPC++, as an argument of remote calls.
  ::upcxx::dist_object<T>& object() const noexcept { return *is_; }

  /// The value of member `rank` of the team, once it has made the object.
  future<T> fetch(int rank) const {
    return by_.start([=, this] { return is_->fetch(rank); });
  }

 private:
  upcxx_module& by_;
  std::shared_ptr<::upcxx::dist_object<T>> is_;
};

}  // namespace stretto
