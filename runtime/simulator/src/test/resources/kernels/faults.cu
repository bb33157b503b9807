// Kernels that do wrong, each in a line of its own.
// nvcc -ptx -arch=compute_75 -O3 -lineinfo faults.cu -o faults.ptx && sed -i -e 's/^\.version .*/.version 6.3/' -e 's|"[^"]*/|"|' faults.ptx

#include <cassert>

extern "C" __global__ void shift(const float* from, float* to, int by) {
  int i = threadIdx.x;
  float value = from[i + by];
  to[i] = value;
}

extern "C" __global__ void halves(const char* from, int* to) {
  to[threadIdx.x] = *(const int*)(from + 2);
}

extern "C" __global__ void trapped(int* values) {
  if (values[0] == 0) {
    asm volatile("trap;");
  }
}

extern "C" __global__ void asserted(const int* values) {
  assert(values[0] > 7);
}

extern "C" __global__ void endless(volatile int* values) {
  while (values[0] == 0) {
    values[1] = 1;
  }
}

extern "C" __global__ void tile(int* values) {
  __shared__ int tile[32];
  tile[threadIdx.x + values[1]] = 1;
  __syncthreads();
  values[0] = tile[threadIdx.x];
}
