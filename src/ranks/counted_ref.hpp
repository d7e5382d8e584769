// counted_ref.hpp - references to an object that counts them, so that a handle can be its address.
//
// Threads     references to one object may be made and dropped by any threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace stretto::ranks {

template <class Object>
class counted_ref;

/// The count of an object that is made by make_counted().
class counted {
 public:
  counted() = default;
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;

 private:
  template <class Object>
  friend class counted_ref;

  mutable std::atomic<std::int64_t> references_ = 0;
};

/// Keeps an object, which is destroyed with its last reference.
template <class Object>
class counted_ref {
 public:
  counted_ref() = default;
  explicit counted_ref(Object* object) : object_(object) {
    if (object_) object_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  counted_ref(const counted_ref& other) : counted_ref(other.object_) {}
  counted_ref(counted_ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  counted_ref& operator=(counted_ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~counted_ref() {
    if (object_ && object_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
  }

  Object& operator*() const { return *object_; }
  Object* operator->() const { return object_; }
  Object* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const counted_ref& a, const counted_ref& b) { return a.object_ == b.object_; }

  /// Gives the reference to the caller, as a handle does; adopt() takes it back.
  Object* release() { return std::exchange(object_, nullptr); }
  static counted_ref adopt(Object* object) {
    counted_ref reference;
    reference.object_ = object;
    return reference;
  }

 private:
  Object* object_ = nullptr;
};

template <class Object, class... Arguments>
counted_ref<Object> make_counted(Arguments&&... arguments) {
  return counted_ref<Object>(new Object(std::forward<Arguments>(arguments)...));
}

}  // namespace stretto::ranks
