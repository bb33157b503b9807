// The largest values, by a search for the least of them from its highest byte down. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o top_k.ptx top_k.cu
//   sed -i 's/^\.version .*/.version 6.3/' top_k.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// Integers in the order of their bits: the sign bit is flipped.
static __device__ unsigned int ordered(int value) { return (unsigned int)value ^ 0x80000000u; }

// Counts, by the byte at `shift`, the values whose higher bytes are those of `prefix`. On the
// highest byte, every value counts.
extern "C" __global__ void count_bytes(const int *values, unsigned int prefix, int shift,
                                       int *counts, int n) {
  __shared__ int countsOfBlock[256];
  countsOfBlock[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned int value = ordered(values[i]);
    if (shift == 24 || value >> (shift + 8) == prefix) {
      atomicAdd(&countsOfBlock[value >> shift & 255], 1);
    }
  }
  __syncthreads();
  if (countsOfBlock[threadIdx.x] != 0) {
    atomicAdd(&counts[threadIdx.x], countsOfBlock[threadIdx.x]);
  }
}

// Copies to the start of rows and largest, in any order, all rows above `least` and the first to
// come of those that equal it: `ties` of them. used[0] counts the rows above, used[1] those equal.
extern "C" __global__ void take_largest(const int *values, int least, int above, int ties,
                                        int *used, int *rows, int *largest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || values[i] < least) {
    return;
  }
  int place;
  if (values[i] > least) {
    place = atomicAdd(&used[0], 1);
  } else {
    int tie = atomicAdd(&used[1], 1);
    if (tie >= ties) {
      return;
    }
    place = above + tie;
  }
  rows[place] = i;
  largest[place] = values[i];
}
