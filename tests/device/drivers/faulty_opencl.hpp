// faulty_opencl.hpp - what makes the faulty OpenCL library fail.
//
// Threads     any.
#pragma once

extern "C" {
/// So many calls of this name go well, then one ends with the status, or all from then on. Of clGetEventInfo: the operation has ended with it.
/// "device": of the calls that enqueue; then the device is gone, and everything that it is asked ends with the status.
void faulty_opencl_set(const char* call, long after, int status, int lasts);
/// What the devices say their version is.
void faulty_opencl_version(const char* text);
/// Everything goes well again.
void faulty_opencl_mend();
}
