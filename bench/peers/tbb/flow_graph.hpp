// flow_graph.hpp - what oneTBB measures with flow graphs: tasks that depend on tasks.
#pragma once

#include "common/measure.hpp"

bench::outcome time_flow_chain(const bench::options&);  ///< building and running
bench::outcome measure_flow_bytes(const bench::options&);
bench::outcome time_flow_taskbench(const bench::options&);         ///< building and running
bench::outcome time_flow_taskbench_static(const bench::options&);  ///< running a graph that stands already
