// What the lanes of a warp do together: row k of the result holds operation k of each thread.
// nvcc -ptx -O3 -arch=compute_75 warp.cu -o warp.ptx && sed -i 's/^\.version .*/.version 7.0/' warp.ptx

#define ROW(e) out[(k++) * n + i] = (e)
typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void shuffles(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 v = in[i];
  int k = 0;
  ROW(__shfl_sync(~0u, v, 5));
  ROW(__shfl_sync(~0u, v, i * 7));
  ROW(__shfl_sync(~0u, v, i + 3, 8));
  ROW(__shfl_up_sync(~0u, v, 1));
  ROW(__shfl_up_sync(~0u, v, 3, 16));
  ROW(__shfl_down_sync(~0u, v, 2));
  ROW(__shfl_down_sync(~0u, v, 5, 8));
  ROW(__shfl_xor_sync(~0u, v, 1));
  ROW(__shfl_xor_sync(~0u, v, 9, 16));
  u32 d, p;
  asm volatile("{.reg .pred q; shfl.sync.down.b32 %0|q, %2, 4, 31, -1; selp.u32 %1, 1, 0, q;}"
      : "=r"(d), "=r"(p) : "r"(v));
  ROW(d);
  ROW(p);
  asm volatile("{.reg .pred q; shfl.sync.up.b32 %0|q, %2, 4, 0, -1; selp.u32 %1, 1, 0, q;}"
      : "=r"(d), "=r"(p) : "r"(v));
  ROW(d);
  ROW(p);
  u64 wide = __shfl_sync(~0u, (u64)v << 32 | i, 31 - (i & 31));
  ROW((u32)(wide >> 32));
  ROW((u32)wide);
  float sum = (float)(v & 255);
  for (int step = 16; step > 0; step >>= 1) sum += __shfl_xor_sync(~0u, sum, step);
  ROW((u32)sum);
}

extern "C" __global__ void votes(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  u32 v = in[i];
  int k = 0;
  ROW(__all_sync(~0u, v & 1));
  ROW(__any_sync(~0u, v & 1));
  ROW(__ballot_sync(~0u, v & 1));
  ROW(__uni_sync(~0u, v & 1));
  ROW(__all_sync(~0u, (v & 0xFF) < 256));
  ROW(__match_any_sync(~0u, v & 3));
  int same;
  ROW(__match_all_sync(~0u, v & 3, &same));
  ROW(same);
  ROW(__match_all_sync(~0u, n, &same));
  ROW(same);
  ROW(__match_any_sync(~0u, (u64)(v & 7) << 40));
  // The two halves of the warp take different ways and meet their own.
  u32 half = lane < 16 ? 0xFFFFu : 0xFFFF0000u;
  u32 result;
  if (lane < 16) {
    result = __ballot_sync(half, v & 2) + __shfl_sync(half, v, 3);
  } else {
    result = __ballot_sync(half, v & 4) ^ __shfl_xor_sync(half, v, 2);
  }
  ROW(result);
  __syncwarp();
  ROW(__popc(__activemask() & (1u << lane)));
  u32 mask;
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(mask));
  ROW(mask);
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  ROW(mask);
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(mask));
  ROW(mask);
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(mask));
  ROW(mask);
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask));
  ROW(mask);
}

extern "C" __global__ void block_barriers(const u32* in, u32* out, int n) {
  __shared__ u32 tile[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  int k = 0;
  tile[t] = in[i];
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (t < step) tile[t] += tile[t + step];
    __syncthreads();
  }
  ROW(tile[0]);
  ROW(__syncthreads_count(in[i] & 1));
  ROW(__syncthreads_and(in[i] & 1) != 0);
  ROW(__syncthreads_or(in[i] & 1) != 0);
  __syncthreads();
  tile[t] = t * 2;
  // The first two warps meet at a barrier of their own, and the next two at another.
  if (t < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    ROW(tile[63 - t]);
  } else if (t < 128) {
    asm volatile("barrier.sync 2, 64;" ::: "memory");
    ROW(tile[191 - t]);
  } else {
    ROW(0);
  }
  // One warp waits for what the others announce without waiting.
  __syncthreads();
  if (t < 32) {
    asm volatile("bar.sync 3, 128;" ::: "memory");
    ROW(tile[64 + t] + tile[96 + t]);
  } else {
    if (t < 128) {
      tile[t] = t + 1000;
      __threadfence_block();
      asm volatile("bar.arrive 3, 128;" ::: "memory");
    }
    ROW(1);
  }
}
