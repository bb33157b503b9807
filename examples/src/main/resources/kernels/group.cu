// The sum of values by key. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o group.ptx group.cu
//   sed -i 's/^\.version .*/.version 6.3/' group.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// owners has more slots than there are rows, and is all zero at first. The row that claims a slot
// puts its number there, counted from 1: its key is the slot's. So a key may be any number.
extern "C" __global__ void group_sums(const int *keys, const int *values, int *owners,
                                      unsigned long long *sums, int mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  unsigned int slot = (unsigned int)(((unsigned int)keys[i] * 0xd6e8feb86659fd93ull) >> 32) & mask;
  for (;;) {
    int owner = atomicCAS(&owners[slot], 0, i + 1);
    if (owner == 0 || keys[owner - 1] == keys[i]) {
      break;
    }
    slot = (slot + 1) & mask;
  }
  atomicAdd(&sums[slot], (unsigned long long)values[i]);
}

// Copies the slots in use to the start of groupKeys and groupSums, in any order, and adds their
// number to count[0].
extern "C" __global__ void collect_groups(const int *keys, const int *owners,
                                          const long long *sums, int *groupKeys,
                                          long long *groupSums, int *count, int slots) {
  int slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (slot < slots && owners[slot] != 0) {
    int place = atomicAdd(count, 1);
    groupKeys[place] = keys[owners[slot] - 1];
    groupSums[place] = sums[slot];
  }
}
