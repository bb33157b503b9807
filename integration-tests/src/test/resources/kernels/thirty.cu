// nvcc -ptx -arch=compute_75 -O3 thirty.cu -o thirty.ptx
// sed -i 's/^\.version .*/.version 6.3/' thirty.ptx

// As many kernels as a library of operators has, each with a guard, a loop over the grid, and a window.
#define KERNEL(name, width)                                                                     \
  extern "C" __global__ void name(const float* x, float* y, int n) {                            \
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {   \
      float sum = 0;                                                                            \
      for (int k = 0; k < (width) && i + k < n; k++) {                                            \
        sum += x[i + k];                                                                        \
      }                                                                                         \
      y[i] = sum / (width);                                                                     \
    }                                                                                           \
  }

#define TEN(name, width)                                                                        \
  KERNEL(name##0, width) KERNEL(name##1, width + 1) KERNEL(name##2, width + 2)                  \
  KERNEL(name##3, width + 3) KERNEL(name##4, width + 4) KERNEL(name##5, width + 5)              \
  KERNEL(name##6, width + 6) KERNEL(name##7, width + 7) KERNEL(name##8, width + 8)              \
  KERNEL(name##9, width + 9)

TEN(narrow, 3)
TEN(middle, 13)
TEN(wide, 23)
