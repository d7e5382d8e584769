// cuda_handles.hpp - the handles of CUDA's driver that the module takes, declared as cuda.h declares them, so that no
// header of CUDA is needed. A cudaStream_t is a CUstream.
#pragma once

struct CUctx_st;
struct CUstream_st;
struct CUfunc_st;
using CUcontext = CUctx_st*;
using CUstream = CUstream_st*;
using CUfunction = CUfunc_st*;
