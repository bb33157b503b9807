// What kernels for clang need of CUDA, in place of the headers of a toolkit: the words of the
// language, vectors, the numbers of threads and blocks, barriers, atomics, what the lanes of a warp
// exchange, and the functions that the device has instructions for.
#ifndef STREAMFENCE_CUDA_H
#define STREAMFENCE_CUDA_H

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

#define STREAMFENCE_FUNCTION static __device__ __forceinline__

typedef __SIZE_TYPE__ size_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

// A vector of two or four lies at a multiple of its size, up to 16 bytes.
#define STREAMFENCE_VECTOR(type, name)                                                     \
  struct name##1 { type x; };                                                              \
  struct __align__(2 * sizeof(type)) name##2 { type x, y; };                               \
  struct name##3 { type x, y, z; };                                                        \
  struct __align__(4 * sizeof(type) < 16 ? 4 * sizeof(type) : 16) name##4 {                \
    type x, y, z, w;                                                                       \
  };                                                                                       \
  STREAMFENCE_FUNCTION name##1 make_##name##1(type x) { return {x}; }                      \
  STREAMFENCE_FUNCTION name##2 make_##name##2(type x, type y) { return {x, y}; }           \
  STREAMFENCE_FUNCTION name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  STREAMFENCE_FUNCTION name##4 make_##name##4(type x, type y, type z, type w) {            \
    return {x, y, z, w};                                                                   \
  }
STREAMFENCE_VECTOR(signed char, char)
STREAMFENCE_VECTOR(unsigned char, uchar)
STREAMFENCE_VECTOR(short, short)
STREAMFENCE_VECTOR(unsigned short, ushort)
STREAMFENCE_VECTOR(int, int)
STREAMFENCE_VECTOR(unsigned int, uint)
STREAMFENCE_VECTOR(long long, longlong)
STREAMFENCE_VECTOR(unsigned long long, ulonglong)
STREAMFENCE_VECTOR(float, float)
STREAMFENCE_VECTOR(double, double)

struct dim3 {
  unsigned x, y, z;
  __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  __device__ constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
  __device__ operator uint3() const { return {x, y, z}; }
};

// threadIdx, blockIdx, blockDim, gridDim and warpSize; it comes with clang, not with a toolkit.
#include "__clang_cuda_builtin_vars.h"

#define STREAMFENCE_PLACE(type)                                              \
  __device__ inline type::operator uint3() const { return {x, y, z}; }       \
  __device__ inline type::operator dim3() const { return dim3(x, y, z); }
STREAMFENCE_PLACE(__cuda_builtin_threadIdx_t)
STREAMFENCE_PLACE(__cuda_builtin_blockIdx_t)
STREAMFENCE_PLACE(__cuda_builtin_blockDim_t)
STREAMFENCE_PLACE(__cuda_builtin_gridDim_t)

// __syncthreads is known to clang itself.
STREAMFENCE_FUNCTION void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }
STREAMFENCE_FUNCTION int __syncthreads_and(int value) { return __nvvm_bar0_and(value); }
STREAMFENCE_FUNCTION int __syncthreads_or(int value) { return __nvvm_bar0_or(value); }
STREAMFENCE_FUNCTION int __syncthreads_count(int value) { return __nvvm_bar0_popc(value); }
STREAMFENCE_FUNCTION void __threadfence() { __nvvm_membar_gl(); }
STREAMFENCE_FUNCTION void __threadfence_block() { __nvvm_membar_cta(); }
STREAMFENCE_FUNCTION void __threadfence_system() { __nvvm_membar_sys(); }
STREAMFENCE_FUNCTION void __trap() { __builtin_trap(); }
STREAMFENCE_FUNCTION long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
extern "C" __device__ int printf(const char* format, ...);

// The same bits as a number of another type.
template <typename To, typename From>
STREAMFENCE_FUNCTION To streamfence_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}
STREAMFENCE_FUNCTION int __float_as_int(float x) { return streamfence_bits<int>(x); }
STREAMFENCE_FUNCTION unsigned __float_as_uint(float x) { return streamfence_bits<unsigned>(x); }
STREAMFENCE_FUNCTION float __int_as_float(int x) { return streamfence_bits<float>(x); }
STREAMFENCE_FUNCTION float __uint_as_float(unsigned x) { return streamfence_bits<float>(x); }
STREAMFENCE_FUNCTION double __longlong_as_double(long long x) {
  return streamfence_bits<double>(x);
}
STREAMFENCE_FUNCTION long long __double_as_longlong(double x) {
  return streamfence_bits<long long>(x);
}

// Values of 32 or 64 bits between the lanes of a warp, of which those in the mask take part. The
// last operand of the instruction has the width of groups of lanes and the lane where one ends.
#define STREAMFENCE_SHUFFLE(name, operation, lane, last)                                         \
  template <typename T>                                                                          \
  STREAMFENCE_FUNCTION T name(unsigned mask, T value, lane, int width = 32) {                    \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a value of 32 or 64 bits");                 \
    int words[sizeof(T) / 4];                                                                    \
    __builtin_memcpy(words, &value, sizeof(T));                                                  \
    for (unsigned i = 0; i < sizeof(T) / 4; i++) {                                               \
      words[i] = operation(mask, words[i], from, ((32 - width) << 8) | last);                    \
    }                                                                                            \
    __builtin_memcpy(&value, words, sizeof(T));                                                  \
    return value;                                                                                \
  }
STREAMFENCE_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, int from, 0x1f)
STREAMFENCE_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, unsigned from, 0)
STREAMFENCE_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, unsigned from, 0x1f)
STREAMFENCE_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, int from, 0x1f)
STREAMFENCE_FUNCTION unsigned __ballot_sync(unsigned mask, int value) {
  return __nvvm_vote_ballot_sync(mask, value);
}
STREAMFENCE_FUNCTION int __any_sync(unsigned mask, int value) {
  return __nvvm_vote_any_sync(mask, value);
}
STREAMFENCE_FUNCTION int __all_sync(unsigned mask, int value) {
  return __nvvm_vote_all_sync(mask, value);
}
STREAMFENCE_FUNCTION unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}

// Each returns what was there before.
#define STREAMFENCE_ATOMIC(name, type, operation, as)                  \
  STREAMFENCE_FUNCTION type name(type* to, type value) {               \
    return (type)operation((as*)to, (as)value);                        \
  }
STREAMFENCE_ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i, int)
STREAMFENCE_ATOMIC(atomicAdd, unsigned, __nvvm_atom_add_gen_i, int)
STREAMFENCE_ATOMIC(atomicAdd, unsigned long long, __nvvm_atom_add_gen_ll, long long)
STREAMFENCE_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
STREAMFENCE_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)
STREAMFENCE_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i, int)
STREAMFENCE_ATOMIC(atomicMin, unsigned, __nvvm_atom_min_gen_ui, unsigned)
STREAMFENCE_ATOMIC(atomicMin, long long, __nvvm_atom_min_gen_ll, long long)
STREAMFENCE_ATOMIC(atomicMin, unsigned long long, __nvvm_atom_min_gen_ull, unsigned long long)
STREAMFENCE_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i, int)
STREAMFENCE_ATOMIC(atomicMax, unsigned, __nvvm_atom_max_gen_ui, unsigned)
STREAMFENCE_ATOMIC(atomicMax, long long, __nvvm_atom_max_gen_ll, long long)
STREAMFENCE_ATOMIC(atomicMax, unsigned long long, __nvvm_atom_max_gen_ull, unsigned long long)
STREAMFENCE_ATOMIC(atomicAnd, int, __nvvm_atom_and_gen_i, int)
STREAMFENCE_ATOMIC(atomicAnd, unsigned, __nvvm_atom_and_gen_i, int)
STREAMFENCE_ATOMIC(atomicAnd, unsigned long long, __nvvm_atom_and_gen_ll, long long)
STREAMFENCE_ATOMIC(atomicOr, int, __nvvm_atom_or_gen_i, int)
STREAMFENCE_ATOMIC(atomicOr, unsigned, __nvvm_atom_or_gen_i, int)
STREAMFENCE_ATOMIC(atomicOr, unsigned long long, __nvvm_atom_or_gen_ll, long long)
STREAMFENCE_ATOMIC(atomicXor, int, __nvvm_atom_xor_gen_i, int)
STREAMFENCE_ATOMIC(atomicXor, unsigned, __nvvm_atom_xor_gen_i, int)
STREAMFENCE_ATOMIC(atomicXor, unsigned long long, __nvvm_atom_xor_gen_ll, long long)
STREAMFENCE_ATOMIC(atomicExch, int, __nvvm_atom_xchg_gen_i, int)
STREAMFENCE_ATOMIC(atomicExch, unsigned, __nvvm_atom_xchg_gen_i, int)
STREAMFENCE_ATOMIC(atomicExch, unsigned long long, __nvvm_atom_xchg_gen_ll, long long)
STREAMFENCE_ATOMIC(atomicInc, unsigned, __nvvm_atom_inc_gen_ui, unsigned)
STREAMFENCE_ATOMIC(atomicDec, unsigned, __nvvm_atom_dec_gen_ui, unsigned)
STREAMFENCE_FUNCTION int atomicSub(int* to, int value) { return atomicAdd(to, -value); }
STREAMFENCE_FUNCTION unsigned atomicSub(unsigned* to, unsigned value) {
  return atomicAdd(to, -value);
}
STREAMFENCE_FUNCTION float atomicExch(float* to, float value) {
  return __int_as_float(atomicExch((int*)to, __float_as_int(value)));
}
#define STREAMFENCE_CAS(type, operation, as)                                      \
  STREAMFENCE_FUNCTION type atomicCAS(type* to, type expected, type value) {      \
    return (type)operation((as*)to, (as)expected, (as)value);                     \
  }
STREAMFENCE_CAS(int, __nvvm_atom_cas_gen_i, int)
STREAMFENCE_CAS(unsigned, __nvvm_atom_cas_gen_i, int)
STREAMFENCE_CAS(unsigned long long, __nvvm_atom_cas_gen_ll, long long)

template <typename T>
STREAMFENCE_FUNCTION T __ldg(const T* from) {
  return *from;
}

STREAMFENCE_FUNCTION int __popc(unsigned x) { return __builtin_popcount(x); }
STREAMFENCE_FUNCTION int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
STREAMFENCE_FUNCTION int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
STREAMFENCE_FUNCTION int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
STREAMFENCE_FUNCTION int __ffs(int x) { return __builtin_ffs(x); }
STREAMFENCE_FUNCTION int __ffsll(long long x) { return __builtin_ffsll(x); }
STREAMFENCE_FUNCTION unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
STREAMFENCE_FUNCTION int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
STREAMFENCE_FUNCTION unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)((unsigned long long)x * y >> 32);
}

#define INFINITY __builtin_huge_valf()
#define NAN __builtin_nanf("")
STREAMFENCE_FUNCTION bool isnan(double x) { return __builtin_isnan(x); }
STREAMFENCE_FUNCTION bool isinf(double x) { return __builtin_isinf(x); }
STREAMFENCE_FUNCTION int abs(int x) { return x < 0 ? -x : x; }
STREAMFENCE_FUNCTION long abs(long x) { return x < 0 ? -x : x; }
STREAMFENCE_FUNCTION long long abs(long long x) { return x < 0 ? -x : x; }
STREAMFENCE_FUNCTION float abs(float x) { return __builtin_fabsf(x); }
STREAMFENCE_FUNCTION double abs(double x) { return __builtin_fabs(x); }
STREAMFENCE_FUNCTION long long llabs(long long x) { return abs(x); }
STREAMFENCE_FUNCTION float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
STREAMFENCE_FUNCTION double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
STREAMFENCE_FUNCTION float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
STREAMFENCE_FUNCTION float fabsf(float x) { return __builtin_fabsf(x); }
STREAMFENCE_FUNCTION double fabs(double x) { return __builtin_fabs(x); }
STREAMFENCE_FUNCTION float floorf(float x) { return __builtin_floorf(x); }
STREAMFENCE_FUNCTION double floor(double x) { return __builtin_floor(x); }
STREAMFENCE_FUNCTION float ceilf(float x) { return __builtin_ceilf(x); }
STREAMFENCE_FUNCTION double ceil(double x) { return __builtin_ceil(x); }
STREAMFENCE_FUNCTION float truncf(float x) { return __builtin_truncf(x); }
STREAMFENCE_FUNCTION double trunc(double x) { return __builtin_trunc(x); }
STREAMFENCE_FUNCTION float fminf(float x, float y) { return __builtin_fminf(x, y); }
STREAMFENCE_FUNCTION float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
STREAMFENCE_FUNCTION double fmin(double x, double y) { return __builtin_fmin(x, y); }
STREAMFENCE_FUNCTION double fmax(double x, double y) { return __builtin_fmax(x, y); }
STREAMFENCE_FUNCTION float fmaf(float x, float y, float z) { return __nvvm_fma_rn_f(x, y, z); }
STREAMFENCE_FUNCTION double fma(double x, double y, double z) {
  return __nvvm_fma_rn_d(x, y, z);
}
// Approximations, as the CUDA C++ Programming Guide has them under "Intrinsic Functions".
STREAMFENCE_FUNCTION float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
STREAMFENCE_FUNCTION float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
STREAMFENCE_FUNCTION float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.693147181f; }
STREAMFENCE_FUNCTION float __sinf(float x) { return __nvvm_sin_approx_f(x); }
STREAMFENCE_FUNCTION float __cosf(float x) { return __nvvm_cos_approx_f(x); }
STREAMFENCE_FUNCTION float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }

// Of numbers of two types, as of their sum; of floating-point numbers, NaN is left out.
#define STREAMFENCE_EXTREME(name, compares, ofFloats, ofDoubles)                              \
  template <typename T, typename U>                                                           \
  STREAMFENCE_FUNCTION auto name(T x, U y)->decltype(x + y) {                                 \
    decltype(x + y) a = x, b = y;                                                             \
    return a compares b ? a : b;                                                              \
  }                                                                                           \
  STREAMFENCE_FUNCTION float name(float x, float y) { return ofFloats(x, y); }                \
  STREAMFENCE_FUNCTION double name(double x, double y) { return ofDoubles(x, y); }            \
  STREAMFENCE_FUNCTION double name(float x, double y) { return ofDoubles(x, y); }             \
  STREAMFENCE_FUNCTION double name(double x, float y) { return ofDoubles(x, y); }
STREAMFENCE_EXTREME(min, <, fminf, fmin)
STREAMFENCE_EXTREME(max, >, fmaxf, fmax)

#endif
