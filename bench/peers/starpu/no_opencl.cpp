// no_opencl.cpp - StarPU without OpenCL.
#include "peers/starpu/opencl_chain.hpp"

bench::outcome time_chain_on_opencl(const bench::options&) {
  throw bench::unsupported("this StarPU was built without OpenCL");
}
