// stretto.hpp - includes the headers for programs. Those for modules, such as module.hpp and poller.hpp, are separate.
//
//     int program() {  // the main function of a program
//       runtime rt;    // one worker per core
//       rt.run([] {
//         future<int> a = async([] { return 20; }), b = async([] { return 22; });
//         future<int> both = async(after(a, b), [=] { return a.get() + b.get(); });
//         std::printf("%d\n", both.get());
//       });
//       return 0;
//     }
#pragma once

#include <stretto/array_layout.hpp>
#include <stretto/async_copy.hpp>
#include <stretto/balancer.hpp>
#include <stretto/balancing.hpp>
#include <stretto/barrier.hpp>
#include <stretto/box.hpp>
#include <stretto/buffer.hpp>
#include <stretto/buffer_checkpoint.hpp>
#include <stretto/buffer_files.hpp>
#include <stretto/buffer_launch.hpp>
#include <stretto/buffer_mapper.hpp>
#include <stretto/buffer_tags.hpp>
#include <stretto/buffer_use.hpp>
#include <stretto/buffer_view.hpp>
#include <stretto/cancel.hpp>
#include <stretto/checkpoint.hpp>
#include <stretto/collection.hpp>
#include <stretto/completion_queue.hpp>
#include <stretto/copy.hpp>
#include <stretto/core_lease.hpp>
#include <stretto/coroutine.hpp>
#include <stretto/device_kind.hpp>
#include <stretto/epoch.hpp>
#include <stretto/error.hpp>
#include <stretto/event.hpp>
#include <stretto/fields.hpp>
#include <stretto/finish.hpp>
#include <stretto/forasync.hpp>
#include <stretto/future.hpp>
#include <stretto/global_object.hpp>
#include <stretto/group_scope.hpp>
#include <stretto/host_task.hpp>
#include <stretto/index_space.hpp>
#include <stretto/instance.hpp>
#include <stretto/job.hpp>
#include <stretto/kernel.hpp>
#include <stretto/kernel_range.hpp>
#include <stretto/kernel_template.hpp>
#include <stretto/launch.hpp>
#include <stretto/launch_graph.hpp>
#include <stretto/manual_clock.hpp>
#include <stretto/mobile.hpp>
#include <stretto/native_device.hpp>
#include <stretto/native_kernel.hpp>
#include <stretto/object.hpp>
#include <stretto/object_launch.hpp>
#include <stretto/per_node_values.hpp>
#include <stretto/place.hpp>
#include <stretto/platform.hpp>
#include <stretto/platform_of.hpp>
#include <stretto/profile.hpp>
#include <stretto/progress.hpp>
#include <stretto/received_buffer.hpp>
#include <stretto/recorded_data.hpp>
#include <stretto/recorded_graph.hpp>
#include <stretto/recorded_launch.hpp>
#include <stretto/reduce.hpp>
#include <stretto/remote.hpp>
#include <stretto/reservation.hpp>
#include <stretto/route.hpp>
#include <stretto/runtime.hpp>
#include <stretto/saved_value.hpp>
#include <stretto/scheduler.hpp>
#include <stretto/task.hpp>
#include <stretto/task_tags.hpp>
#include <stretto/timed_wait.hpp>
#include <stretto/view.hpp>
#include <stretto/weights.hpp>
