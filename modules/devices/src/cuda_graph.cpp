#include <stretto_devices/cuda_graph.hpp>

#include <mutex>
#include <utility>

#include "cuda_library.hpp"
#include "engine.hpp"

namespace stretto {

using devices::cuda_library;

struct cuda_graph::state {
  CUcontext context = nullptr;
  devices::CUgraphExec executable = nullptr;
  std::mutex mutex;                              // of launches: the driver takes one at a time
  std::function<void(const cuda_stream&)> body;  // of a simulated device

  ~state() {
    if (executable) cuda_library::get().cuGraphExecDestroy(executable);
  }
};

namespace {

/// A stream for one capture.
struct captured_stream {
  const cuda_library& cu = cuda_library::get();
  CUstream is = nullptr;
  devices::CUgraph graph = nullptr;

  captured_stream() { cu.check("cuStreamCreate", cu.cuStreamCreate(&is, devices::stream_non_blocking)); }
  ~captured_stream() {
    if (graph) cu.cuGraphDestroy(graph);
    cu.cuStreamDestroy(is);
  }
  void capture(const cuda_stream& on, const std::function<void(const cuda_stream&)>& body) {
    cu.check("cuStreamBeginCapture", cu.cuStreamBeginCapture(is, devices::capture_thread_local));
    try {
      body({is, on.context});
    } catch (...) {
      cu.cuStreamEndCapture(is, &graph);
      throw;
    }
    cu.check("cuStreamEndCapture", cu.cuStreamEndCapture(is, &graph));
  }
};

}  // namespace

cuda_graph::cuda_graph(const cuda_stream& on, std::function<void(const cuda_stream&)> body)
    : state_(std::make_shared<state>()) {
  if (!on.context) {
    state_->body = std::move(body);
    return;
  }
  captured_stream s;
  s.capture(on, body);
  state_->context = on.context;
  s.cu.check("cuGraphInstantiate", s.cu.cuGraphInstantiateWithFlags(&state_->executable, s.graph, 0));
}

void cuda_graph::operator()(const cuda_stream& into) const {
  if (!state_)
    throw devices::refused("CUDA", "the launch of a graph", "it is a default-made cuda_graph: capture one first");
  if (into.context != state_->context)
    throw devices::refused("CUDA", "the launch of a graph", "it was captured for another device");
  if (state_->body) return state_->body(into);
  const cuda_library& cu = cuda_library::get();
  const std::scoped_lock lock(state_->mutex);
  cu.check("cuGraphLaunch", cu.cuGraphLaunch(state_->executable, into));
}

}  // namespace stretto
