// Asynchronous copies, prefetches, hints for the caches, and memory orders.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 async.cu -o async.ptx && sed -i -e 's|"[^"]*/|"|' async.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 async.cu -o async-debug.ptx && sed -i -e 's|"[^"]*/|"|' async-debug.ptx

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 shared(const void* p) { return (u32)__cvta_generic_to_shared(p); }

// truth name=pipelined: in=reads out=writes n=value
extern "C" __global__ void pipelined(const float4* in, float4* out, int n) {
  __shared__ float4 tiles[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tiles[0][t], in + t, 16);
  __pipeline_commit();
  for (int k = 0; k < n; k++) {
    if (k + 1 < n) __pipeline_memcpy_async(&tiles[(k + 1) & 1][t], in + (k + 1) * 64 + t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[k * 64 + t] = tiles[k & 1][63 - t];
    __syncthreads();
  }
}

// truth name=copiedBySmallSteps: in=reads out=writes
extern "C" __global__ void copiedBySmallSteps(const int* in, int* out) {
  __shared__ int tile[128];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
               : : "r"(shared(&tile[threadIdx.x])), "l"(in + threadIdx.x) : "memory");
  asm volatile("cp.async.wait_all;" : : : "memory");
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

// What lies beyond the end becomes zero.
// truth name=copiedWithZeros: in=reads out=writes n=value
extern "C" __global__ void copiedWithZeros(const int4* in, int4* out, int n) {
  __shared__ int4 tile[128];
  int t = threadIdx.x;
  int size = t < n ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
               : : "r"(shared(&tile[t])), "l"(in + t), "r"(size) : "memory");
  asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" : : : "memory");
  __syncthreads();
  out[t] = tile[t ^ 1];
}

// truth name=copiedFromEither: a=reads b=reads out=writes k=value
extern "C" __global__ void copiedFromEither(const float2* a, const float2* b, float2* out, int k) {
  __shared__ float2 tile[64];
  const float2* from = threadIdx.x < k ? a : b;
  __pipeline_memcpy_async(&tile[threadIdx.x], from + threadIdx.x, 8);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// truth name=copiedByGroup: in=reads out=writes
extern "C" __global__ void copiedByGroup(const int* in, int* out) {
  __shared__ __align__(16) int tile[256];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, in + blockIdx.x * 256, sizeof(int) * 256);
  cooperative_groups::wait(block);
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}

// truth name=copiedWithBarrier: in=reads out=writes
extern "C" __global__ void copiedWithBarrier(const int* in, int* out) {
  __shared__ int tile[64];
  __shared__ u64 barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 : : "r"(shared(&barrier)), "r"(blockDim.x) : "memory");
  }
  __syncthreads();
  __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, 4);
  u64 state;
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"
               : : "r"(shared(&barrier)) : "memory");
  asm volatile("cp.async.wait_all;\n\tmbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(state) : "r"(shared(&barrier)) : "memory");
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x] + (state == 0 ? 1 : 0);
}

// truth name=prefetched: in=reads out=writes n=value
extern "C" __global__ void prefetched(const double* in, double* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    asm volatile("prefetch.global.L2 [%0];" : : "l"(in + i + 1024));
    out[i] = in[i] * in[i];
  }
}

// Only warms the cache, for another kernel.
// truth name=prefetchedOnly: in=untouched also=untouched n=value
extern "C" __global__ void prefetchedOnly(const char* in, const char* also, int n) {
  for (int i = threadIdx.x * 128; i < n; i += blockDim.x * 128) {
    asm volatile("prefetch.L1 [%0];" : : "l"(in + i));
    asm volatile("prefetch.global.L2::evict_last [%0];" : : "l"(also + i));
  }
}

// truth name=loadHints: a=reads b=reads c=reads d=reads e=reads f=reads out=writes
extern "C" __global__ void loadHints(
    const int* a, const int* b, const int* c, const int2* d, const int* e, const float4* f,
    float* out) {
  int i = threadIdx.x;
  int sum = __ldg(a + i) + __ldcg(b + i) * 3 + __ldcs(c + i) * 5 + __ldca(d + i).y;
  float x, y, z, w;
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(f + i));
  out[i] = sum + __ldcv(e + i) + x * y + z * w;
}

// truth name=storeHints: a=writes b=writes c=writes d=writes n=value
extern "C" __global__ void storeHints(float* a, float4* b, int* c, short* d, int n) {
  int i = threadIdx.x;
  __stcs(a + i, 1.5f * n);
  __stcg(b + i, make_float4(n, i, 0, 1));
  __stwt(c + i, n - i);
  __stwb(d + i, (short)n);
}

// truth name=policies: in=reads out=writes
extern "C" __global__ void policies(const float* in, float* out) {
  u64 first, last;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(last));
  float v;
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
               : "=f"(v) : "l"(in + threadIdx.x), "l"(last));
  asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;"
               : : "l"(out + threadIdx.x), "f"(v + 1), "l"(first) : "memory");
}

// truth name=orders: flag=reads ready=writes count=readwrites data=reads out=writes
extern "C" __global__ void orders(
    const int* flag, int* ready, u32* count, const int* data, int* out) {
  int seen;
  do {
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (seen == 0);
  out[threadIdx.x] = data[threadIdx.x] + seen;
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" : : "l"(count), "r"(1) : "memory");
  asm volatile("st.release.sys.global.s32 [%0], %1;" : : "l"(ready), "r"(seen) : "memory");
}

// truth name=uniformLoad: in=reads out=writes
extern "C" __global__ void uniformLoad(const int* in, int* out) {
  int v;
  asm volatile("ldu.global.s32 %0, [%1];" : "=r"(v) : "l"(in + blockIdx.x));
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
