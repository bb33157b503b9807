// What a thread knows of its place in the launch: nineteen values per thread.
// nvcc -ptx -O3 -arch=compute_75 geometry.cu -o geometry.ptx && sed -i 's/^\.version .*/.version 7.0/' geometry.ptx

typedef unsigned int u32;

extern "C" __global__ void geometry(u32* out) {
  u32 block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  u32 thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  u32* mine = out + (block * blockDim.x * blockDim.y * blockDim.z + thread) * 19;
  u32 lane, size, total;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  mine[0] = threadIdx.x;
  mine[1] = threadIdx.y;
  mine[2] = threadIdx.z;
  mine[3] = blockDim.x;
  mine[4] = blockDim.y;
  mine[5] = blockDim.z;
  mine[6] = blockIdx.x;
  mine[7] = blockIdx.y;
  mine[8] = blockIdx.z;
  mine[9] = gridDim.x;
  mine[10] = gridDim.y;
  mine[11] = gridDim.z;
  mine[12] = lane;
  mine[13] = warpSize;
  mine[14] = size;
  mine[15] = total >= size;
  u32 sm, sms, warp;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  asm("mov.u32 %0, %%nsmid;" : "=r"(sms));
  asm("mov.u32 %0, %%warpid;" : "=r"(warp));
  mine[16] = sm < sms;
  mine[17] = warp < 64;
  unsigned long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  mine[18] = time + 1 > 0;
}

extern "C" __global__ void __launch_bounds__(64, 2) bounded(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
