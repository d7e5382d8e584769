// failure.hpp - why an operation will never happen: the exception at the root and the chain of skipped work.
//
// Threads     immutable once shared; counted references from any thread.
// Cost        made only on failure; a poisoned event, task or phase holds one reference.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <source_location>
#include <string>
#include <utility>

namespace stretto {

/// One link of a causal chain. The root holds an exception; each link above it names an operation that was skipped.
class alignas(16) failure {
 public:
  static constexpr std::int32_t here = -1;

  /// `node`: the number of the node on which it happened, if it is another one.
  failure(std::exception_ptr exception, std::string who, std::source_location where, std::int32_t node = here)
      : exception_(std::move(exception)), who_(std::move(who)), where_(where), node_(node) {}
  /// "`who` was skipped because of `because`".
  failure(const failure& because, std::string who, std::source_location where, std::int32_t node = here)
      : because_(&because), root_(because.root_), who_(std::move(who)), where_(where), node_(node) {
    because.add_reference();
  }
  failure(const failure&) = delete;

  const failure& root() const noexcept { return *root_; }
  const failure* because() const noexcept { return because_; }
  const std::exception_ptr& exception() const noexcept { return exception_; }  // null except at the root
  const std::string& who() const noexcept { return who_; }  // `task "halo"`, `event E7`; may be empty
  const std::source_location& where() const noexcept { return where_; }
  std::int32_t node() const noexcept { return node_; }

  /// The id of its root on all nodes; 0 until a node has sent it to another.
  std::uint64_t id() const noexcept { return root().id_.load(std::memory_order_acquire); }
  /// Sets the root's id unless it has one; returns the id that it has.
  std::uint64_t name_root(std::uint64_t id) const noexcept {
    std::uint64_t none = 0;
    return root().id_.compare_exchange_strong(none, id, std::memory_order_acq_rel) ? id : none;
  }
  /// Whether both have the same root, also if one of them came from another node.
  bool has_root_of(const failure& other) const noexcept { return root_ == other.root_ || (id() && id() == other.id()); }

  /// The program has received the root's exception, so that a finish need not report it again.
  void mark_observed() const noexcept { root().observed_.store(true, std::memory_order_relaxed); }
  bool is_observed() const noexcept { return root().observed_.load(std::memory_order_relaxed); }

  /// Throws the root's exception itself if this is the root; else stretto::poisoned, which describes the chain and, if
  /// known, the line that asked. The failure counts as observed from then on.
  [[noreturn]] void raise(const std::source_location* asked = nullptr) const;
  /// The exception that raise() throws, as a value.
  std::exception_ptr as_exception(const std::source_location* asked = nullptr) const;
  /// The same, but the failure does not count as observed: for records such as profiles.
  std::exception_ptr unobserved_exception(const std::source_location* asked = nullptr) const;

  void add_reference() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() const noexcept;

 private:
  ~failure();
  std::exception_ptr exception_;
  mutable const failure* because_ = nullptr;
  const failure* root_ = this;
  std::string who_;
  std::source_location where_;
  std::int32_t node_;
  mutable std::atomic<unsigned> references_{1};
  mutable std::atomic<bool> observed_{false};
  mutable std::atomic<std::uint64_t> id_{0};  // of a root
};

/// The message of the exception.
std::string exception_text(const std::exception_ptr& exception);

/// A counted reference to a failure; null means success.
class failure_ref {
 public:
  failure_ref() noexcept = default;
  /// Takes over the one reference that a new failure starts with.
  static failure_ref adopt(const failure* f) noexcept { return failure_ref(f); }
  static failure_ref share(const failure* f) noexcept {
    if (f) f->add_reference();
    return failure_ref(f);
  }
  failure_ref(const failure_ref& other) noexcept : failure_(other.failure_) {
    if (failure_) failure_->add_reference();
  }
  failure_ref(failure_ref&& other) noexcept : failure_(other.failure_) { other.failure_ = nullptr; }
  failure_ref& operator=(failure_ref other) noexcept {
    std::swap(failure_, other.failure_);
    return *this;
  }
  ~failure_ref() {
    if (failure_) failure_->release();
  }
  const failure* get() const noexcept { return failure_; }
  const failure* detach() noexcept { return std::exchange(failure_, nullptr); }
  const failure* operator->() const noexcept { return failure_; }
  explicit operator bool() const noexcept { return failure_ != nullptr; }

 private:
  explicit failure_ref(const failure* f) noexcept : failure_(f) {}
  const failure* failure_ = nullptr;
};

}  // namespace stretto
