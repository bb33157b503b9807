// The kernel of the example of partial results. These commands, run in this folder, generate the
// PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o filter.ptx filter.cu
//   sed -i 's/^\.version .*/.version 6.3/' filter.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// Copies the values that are at least `least` to the start of kept, in any order, and adds their
// number to count[0].
extern "C" __global__ void keep_at_least(const int *values, int least, int *kept, int *count,
                                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && values[i] >= least) {
    kept[atomicAdd(count, 1)] = values[i];
  }
}
