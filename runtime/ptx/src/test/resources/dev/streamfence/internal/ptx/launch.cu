// What kernels need of their launches: cooperation, dynamic shared memory, and blocks that fit tiles.
// nvcc -ptx -O3 -arch=compute_75 launch.cu -o launch.ptx && sed -i 's/^\.version .*/.version 7.0/' launch.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_75 launch.cu -o launch-debug.ptx && sed -i -e 's/^\.version .*/.version 7.0/' -e 's|"[^"]*/|"|' launch-debug.ptx

#include <cooperative_groups.h>

extern __shared__ float room[];

__device__ __noinline__ float of_room(int i) {
  return room[i];
}

// Meets only where all blocks run at the same time.
extern "C" __global__ void meets_if_valid(float* x) {
  auto grid = cooperative_groups::this_grid();
  if (grid.is_valid()) {
    grid.sync();
  }
  x[blockIdx.x] = 1;
}

extern "C" __global__ void stores_to_room(float* x) {
  room[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = room[threadIdx.x ^ 1];
}

extern "C" __global__ void calls_into_room(float* x) {
  x[threadIdx.x] = of_room(threadIdx.x);
}

// Right for 128 threads.
extern "C" __global__ void turns(float* x) {
  __shared__ float tile[128];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[127 - threadIdx.x];
}

// Right for 128 threads, in a number of elements that the kernel receives.
extern "C" __global__ void turns_some(float* x, int n) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (i < n) x[i] = tile[127 - threadIdx.x];
}

// Right for every block.
extern "C" __global__ void turns_guarded(float* x) {
  __shared__ float tile[128];
  if (threadIdx.x < 128) tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x & 127] + tile[threadIdx.x % 128];
}

// Nothing is certain: a block of which no thread reaches n does not touch the tile.
extern "C" __global__ void turns_inside(float* x, int n) {
  __shared__ float tile[128];
  if (threadIdx.x + blockIdx.x >= n) return;
  tile[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = tile[127 - threadIdx.x];
}

// Right for 16 x 16 threads.
extern "C" __global__ void transposes(float* x) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Right for 4 warps.
extern "C" __global__ void sums_warps(float* x) {
  __shared__ float sums[4];
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

// Refuses larger blocks itself.
extern "C" __global__ void turns_or_traps(float* x) {
  __shared__ float tile[128];
  if (blockDim.x > 128) __trap();
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[127 - threadIdx.x];
}

// Reads an array on both sides of a barrier of the grid, whose memory is nobody's parameter.
extern "C" __global__ void meets_and_reads(const float* in, float* out) {
  out[blockIdx.x] = in[blockIdx.x];
  cooperative_groups::this_grid().sync();
  out[blockIdx.x] += in[gridDim.x - 1 - blockIdx.x];
}
