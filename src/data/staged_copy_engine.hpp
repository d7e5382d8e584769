// staged_copy_engine.hpp - interface for copies that loads and stores of the processor cannot do.
//
// Threads     any thread of the runtime.
#pragma once

namespace stretto::base {
struct thread_context;
}

namespace stretto::data {

struct operation;
struct operation_request;

class staged_copy_engine {
 public:
  virtual ~staged_copy_engine() = default;
  /// Throws D12 if no sequence of channels leads from the source to the target.
  virtual void require_route(const operation_request& r) const = 0;
  /// Takes the operation over and finishes it.
  virtual void start(operation& op, base::thread_context& context) = 0;
};

}  // namespace stretto::data
