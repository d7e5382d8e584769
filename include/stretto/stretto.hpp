// stretto.hpp - everything.
#pragma once

#include <stretto/barrier.hpp>
#include <stretto/box.hpp>
#include <stretto/completion_queue.hpp>
#include <stretto/async_copy.hpp>
#include <stretto/copy.hpp>
#include <stretto/coroutine.hpp>
#include <stretto/error.hpp>
#include <stretto/event.hpp>
#include <stretto/finish.hpp>
#include <stretto/forasync.hpp>
#include <stretto/future.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>
#include <stretto/place.hpp>
#include <stretto/platform.hpp>
#include <stretto/profile.hpp>
#include <stretto/progress.hpp>
#include <stretto/recorded_data.hpp>
#include <stretto/recorded_graph.hpp>
#include <stretto/reduce.hpp>
#include <stretto/reservation.hpp>
#include <stretto/runtime.hpp>
#include <stretto/scheduler.hpp>
#include <stretto/task.hpp>
