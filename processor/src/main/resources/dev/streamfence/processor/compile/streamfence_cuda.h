// What kernels for clang need of CUDA, in place of the headers of a toolkit: the words of the
// language, the numbers of threads and blocks, barriers, atomics, and a few functions.
#ifndef STREAMFENCE_CUDA_H
#define STREAMFENCE_CUDA_H

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

#define STREAMFENCE_FUNCTION static __device__ __forceinline__

// threadIdx, blockIdx, blockDim, gridDim and warpSize; it comes with clang, not with a toolkit.
#include "__clang_cuda_builtin_vars.h"

// __syncthreads is known to clang itself.
STREAMFENCE_FUNCTION void __threadfence() { __nvvm_membar_gl(); }
STREAMFENCE_FUNCTION void __threadfence_block() { __nvvm_membar_cta(); }
STREAMFENCE_FUNCTION void __trap() { __builtin_trap(); }

STREAMFENCE_FUNCTION int atomicAdd(int* to, int value) {
  return __nvvm_atom_add_gen_i(to, value);
}
STREAMFENCE_FUNCTION unsigned atomicAdd(unsigned* to, unsigned value) {
  return __nvvm_atom_add_gen_i((int*)to, value);
}
STREAMFENCE_FUNCTION unsigned long long atomicAdd(
    unsigned long long* to, unsigned long long value) {
  return __nvvm_atom_add_gen_ll((long long*)to, value);
}
STREAMFENCE_FUNCTION float atomicAdd(float* to, float value) {
  return __nvvm_atom_add_gen_f(to, value);
}
STREAMFENCE_FUNCTION int atomicMin(int* to, int value) {
  return __nvvm_atom_min_gen_i(to, value);
}
STREAMFENCE_FUNCTION int atomicMax(int* to, int value) {
  return __nvvm_atom_max_gen_i(to, value);
}
STREAMFENCE_FUNCTION int atomicExch(int* to, int value) {
  return __nvvm_atom_xchg_gen_i(to, value);
}
STREAMFENCE_FUNCTION int atomicCAS(int* to, int expected, int value) {
  return __nvvm_atom_cas_gen_i(to, expected, value);
}

STREAMFENCE_FUNCTION float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
STREAMFENCE_FUNCTION double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
STREAMFENCE_FUNCTION float fabsf(float x) { return __builtin_fabsf(x); }
STREAMFENCE_FUNCTION double fabs(double x) { return __builtin_fabs(x); }
STREAMFENCE_FUNCTION float fminf(float x, float y) { return __builtin_fminf(x, y); }
STREAMFENCE_FUNCTION float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
STREAMFENCE_FUNCTION float fmaf(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
STREAMFENCE_FUNCTION double fma(double x, double y, double z) {
  return __nvvm_fma_rn_d(x, y, z);
}
STREAMFENCE_FUNCTION int min(int x, int y) { return x < y ? x : y; }
STREAMFENCE_FUNCTION int max(int x, int y) { return x > y ? x : y; }

#endif
