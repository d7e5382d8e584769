#include "diagnose/watcher.hpp"

#include "event/telling.hpp"
#include "sched/telling.hpp"

namespace stretto::diagnose {

base::wait_snapshot look_at(sched::scheduler& runtime, double seconds) {
  base::wait_snapshot s;
  s.node = runtime.runtime.node;
  s.seconds = seconds;
  base::wait_walk walk(s);
  detail::tell_waits(runtime.runtime, walk);
  sched::tell_waits(runtime, s, walk);
  return s;
}

}  // namespace stretto::diagnose
