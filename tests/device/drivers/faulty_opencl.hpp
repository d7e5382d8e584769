// faulty_opencl.hpp - what makes the faulty OpenCL library fail.
//
// Threads     any.
#pragma once

extern "C" {
/// So many calls of this name go well, then one ends with the status, or all from then on. Of clGetEventInfo: the operation has ended with it.
/// "device": of the calls that enqueue; then the device is gone, and everything that it is asked ends with the status.
void faulty_opencl_set(const char* call, long after, int status, int lasts);
/// Buffers are made without memory, which they take at their first use; all of them together get so many bytes.
void faulty_opencl_lazy(unsigned long long bytes);
/// What the devices say their version is.
void faulty_opencl_version(const char* text);
/// Everything goes well again.
void faulty_opencl_mend();
}
