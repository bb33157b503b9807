// Atomic operations whose outcome does not depend on the order of the threads.
// nvcc -ptx -O3 -arch=compute_75 atomics.cu -o atomics.ptx && sed -i 's/^\.version .*/.version 7.0/' atomics.ptx

typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void atomics32(const int* in, int* cells, int* seen, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i];
  atomicAdd(&cells[0], v);
  atomicSub(&cells[1], v);
  atomicMin(&cells[2], v);
  atomicMax(&cells[3], v);
  atomicMin((u32*)&cells[4], (u32)v);
  atomicMax((u32*)&cells[5], (u32)v);
  atomicAnd(&cells[6], v | 0x0F0F);
  atomicOr(&cells[7], v & 0xF0F0);
  atomicXor(&cells[8], v);
  atomicInc((u32*)&cells[9], 6);
  atomicDec((u32*)&cells[10], 4);
  atomicExch(&cells[11], 77);
  int expected = cells[12], found;
  while ((found = atomicCAS(&cells[12], expected, expected * 3 + 1)) != expected) expected = found;
  seen[atomicAdd(&cells[13], 1)] = 1;
  atomicAdd((float*)&cells[14], (float)(v & 15));
  atomicAdd_block(&cells[15], 2);
  atomicAdd_system(&cells[16], 3);
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" : : "l"(&cells[17]), "r"(0x3C003800));
  asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" : : "l"(&cells[18]), "r"(v));
}

extern "C" __global__ void atomics64(const int* in, u64* cells, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long v = (long long)in[i] << 20;
  atomicAdd(&cells[0], (u64)v);
  atomicMin((long long*)&cells[1], v);
  atomicMax((long long*)&cells[2], v);
  atomicMin(&cells[3], (u64)v);
  atomicMax(&cells[4], (u64)v);
  atomicAnd(&cells[5], (u64)v | 0xFF);
  atomicOr(&cells[6], (u64)v);
  atomicXor(&cells[7], (u64)v);
  atomicExch(&cells[8], 99ull);
  u64 expected = cells[9], found;
  while ((found = atomicCAS(&cells[9], expected, expected + 5)) != expected) expected = found;
  atomicAdd((double*)&cells[10], (double)(in[i] & 255));
}

extern "C" __global__ void atomics_shared(const int* in, int* out, int n) {
  __shared__ int sum, most, bins[8];
  __shared__ float total;
  __shared__ u64 wide;
  int t = threadIdx.x;
  if (t == 0) {
    sum = 0;
    most = -2147483647 - 1;
    total = 0;
    wide = 0;
  }
  if (t < 8) bins[t] = 0;
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    atomicAdd(&sum, in[i]);
    atomicMax(&most, in[i]);
    atomicAdd(&total, (float)(in[i] & 3));
    atomicAdd(&wide, (u64)(u32)in[i]);
    atomicAdd(&bins[in[i] & 7], 1);
  }
  __syncthreads();
  if (t == 0) {
    out[0] = sum;
    out[1] = most;
    out[2] = (int)total;
    out[3] = (int)wide;
    out[4] = (int)(wide >> 32);
  }
  if (t < 8) out[5 + t] = bins[t];
}

// A lock that threads of one block spin on: needs threads to be scheduled independently.
extern "C" __global__ void spin_lock(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *(volatile int*)count = *(volatile int*)count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
