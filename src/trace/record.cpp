#include "trace/record.hpp"

namespace stretto::trace {

const char* name(kind k) noexcept {
  switch (k) {
    case kind::task: return "task";
    case kind::suspended: return "suspended";
    case kind::copy: return "copy";
    case kind::fill: return "fill";
    case kind::reduce: return "reduce";
    case kind::kernel: return "kernel";
    case kind::message: return "message";
    case kind::wait: return "wait";
    case kind::user_span: return "user";
    case kind::counter: return "counter";
    case kind::instant: return "instant";
    case kind::edge: return "edge";
  }
  return "unknown";
}

}  // namespace stretto::trace
