// faulty_opencl.hpp - what makes the faulty OpenCL library fail.
//
// Threads     any.
#pragma once

extern "C" {
/// After `after` successful calls of this name one call fails with the status, or all later ones. For clGetEventInfo
/// the operation has ended with it. "device" counts the calls that enqueue; then the device is lost, and every call
/// fails with the status.
void faulty_opencl_set(const char* call, long after, int status, int lasts);
/// Buffers allocate memory on first use; all of them together have that many bytes.
void faulty_opencl_lazy(unsigned long long bytes);
/// The version that the devices report.
void faulty_opencl_version(const char* text);
/// Removes all faults.
void faulty_opencl_mend();
}
