// What the example of kernels at run time makes of one condition. This command, run in this folder, generates the PTX
// next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o count_if.ptx count_if.cu
//   sed -i 's/^\.version .*/.version 6.3/' count_if.ptx
extern "C" __global__ void count_if(const int *values, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int x = values[i];
    if ((x >= (50)) && (!(x % (2) == 0))) {
      atomicAdd(count, 1);
    }
  }
}
