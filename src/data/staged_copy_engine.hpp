// detour.hpp - who takes over a copy that the processor's loads and stores cannot do.
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
  /// Throws D12 if no sequence of channels leads from what is read to what is written.
  virtual void require_route(const operation_request& r) const = 0;
  /// Takes the operation over: it will be finished.
  virtual void start(operation& op, base::thread_context& context) = 0;
};

}  // namespace stretto::data
