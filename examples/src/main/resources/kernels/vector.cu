// Kernels of the numbered examples. These commands, run in this folder, generate the PTX
// next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o vector.ptx vector.cu
//   sed -i 's/^\.version .*/.version 6.3/' vector.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// y = a * x + y
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

// target[i] = first + i
extern "C" __global__ void iota(int *target, int first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    target[i] = first + i;
  }
}

// target[i] = source[i] * source[i]
extern "C" __global__ void square(const int *source, long long *target, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long value = source[i];
    target[i] = value * value;
  }
}

// values[i] = values[i], but at least low and at most high
extern "C" __global__ void clamp(int *values, int low, int high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] = min(max(values[i], low), high);
  }
}
