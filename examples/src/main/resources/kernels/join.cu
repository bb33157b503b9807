// An inner join of two columns of keys, each of which may hold a key several times. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o join.ptx join.cu
//   sed -i 's/^\.version .*/.version 6.3/' join.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// The rows of the build side lie in chains: heads[slot] is the first row of a slot, and next[row]
// the one after it. Rows count from 1, so that 0 ends a chain and empty heads are all zero.

static __device__ unsigned int slotOf(int key, int mask) {
  return (unsigned int)(((unsigned int)key * 0xd6e8feb86659fd93ull) >> 32) & mask;
}

extern "C" __global__ void join_build(const int *keys, int *heads, int mask, int *next, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    next[i] = atomicExch(&heads[slotOf(keys[i], mask)], i + 1);
  }
}

// Counts the partners of each row of the probe side.
extern "C" __global__ void join_count(const int *probeKeys, const int *keys, const int *heads,
                                      int mask, const int *next, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int count = 0;
    for (int row = heads[slotOf(probeKeys[i], mask)]; row != 0; row = next[row - 1]) {
      count += keys[row - 1] == probeKeys[i];
    }
    counts[i] = count;
  }
}

// Writes the pairs of each row of the probe side from places[i] on.
extern "C" __global__ void join_write(const int *probeKeys, const int *keys, const int *heads,
                                      int mask, const int *next, const int *places, int *probeRows,
                                      int *buildRows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int place = places[i];
    for (int row = heads[slotOf(probeKeys[i], mask)]; row != 0; row = next[row - 1]) {
      if (keys[row - 1] == probeKeys[i]) {
        probeRows[place] = i;
        buildRows[place] = row - 1;
        place++;
      }
    }
  }
}
