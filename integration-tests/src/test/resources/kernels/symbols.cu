// nvcc -ptx -arch=compute_75 -O3 symbols.cu -o symbols.ptx
// sed -i 's/^\.version .*/.version 6.3/' symbols.ptx

__constant__ float weights[3] = {1, 2, 3};
__device__ int outside;
static __device__ int calls;

// Applies the weights after some work, so that a transfer that does not wait for it is seen.
extern "C" __global__ void weigh(const float* source, float* target, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned state = i + 1;
    for (int r = 0; r < rounds; r++) {
      state = state * 1664525u + 1013904223u;
    }
    target[i] = source[i] * weights[i % 3] + (state == 0 ? 1 : 0);
  }
}

// Counts the values that are above the last weight, after some work.
extern "C" __global__ void countOutside(const float* values, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned state = i + 1;
    for (int r = 0; r < rounds; r++) {
      state = state * 1664525u + 1013904223u;
    }
    if (values[i] > weights[2] || state == 0) {
      atomicAdd(&outside, 1);
    }
    if (i == 0) {
      calls++;
    }
  }
}
