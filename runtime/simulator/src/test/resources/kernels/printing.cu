// Kernels that print.
// nvcc -ptx -arch=compute_75 -O3 -lineinfo printing.cu -o printing.ptx && sed -i -e 's/^\.version .*/.version 6.3/' -e 's|"[^"]*/|"|' printing.ptx

#include <cstdio>

extern "C" __global__ void hello(float f) {
  printf("Hello thread %d of block %d, f=%f\n", threadIdx.x, blockIdx.x, f);
}

extern "C" __global__ void widths(const char* text, long long wide) {
  char small = 'c';
  short half = -2;
  printf("%c %hd %lld %s %5.2f|%-6d|%#x|%%\n", small, half, wide, text, 1.0, 7, 255u);
}

extern "C" __global__ void answers(int* out) {
  out[0] = printf("no argument\n");
  out[1] = printf("%d and %*d\n", 1, 3, 2);
  const char* none = nullptr;
  out[2] = printf(none, 1);
}

extern "C" __global__ void chatty(volatile int* values) {
  while (values[0] == 0) {
    printf("again\n");
  }
}
