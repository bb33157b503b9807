// TPC-H Q12, "shipping modes and order priority": a hash join of orders and line items. These
// commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o tpch_q12.ptx tpch_q12.cu
//   sed -i 's/^\.version .*/.version 6.3/' tpch_q12.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.
//
// The table uses open addressing with linear probing over a power of two of 64-bit slots. A slot
// holds 2 * key + (1 for a high priority), or 0 while empty: keys are positive and below 2^62. With
// one word per order, a single compare-and-swap both claims a slot and fills it.

// Multiplies by an odd constant without a pattern in its bits, and keeps the upper half, which
// depends on all bits of the key: TPC-H uses only 8 of every 32 keys.
static __device__ unsigned int slotOf(unsigned long long key, unsigned int mask) {
  return (unsigned int)((key * 0xd6e8feb86659fd93ull) >> 32) & mask;
}

// Puts every order into the table, which is all zero at first and has more slots than orders.
// Priorities before firstLowPriority are high.
extern "C" __global__ void q12_build(const long long *orderKeys, const signed char *priorities,
                                     unsigned long long *table, int mask, int firstLowPriority,
                                     int orders) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= orders) {
    return;
  }
  unsigned long long key = orderKeys[i];
  unsigned long long entry = 2 * key + (priorities[i] < firstLowPriority ? 1 : 0);
  unsigned int slot = slotOf(key, mask);
  while (atomicCAS(&table[slot], 0ull, entry) != 0) {
    slot = (slot + 1) & mask;
  }
}

// Counts the line items that match the query: counts[0] and [1] are for the first mode with high
// and with lower priority, [2] and [3] for the second. Dates are days since 1970-01-01; the
// interval excludes its end.
extern "C" __global__ void q12_probe(const long long *orderKeys, const signed char *shipModes,
                                     const int *shipDates, const int *commitDates,
                                     const int *receiptDates, const unsigned long long *table,
                                     unsigned long long *counts, int mask, int firstMode,
                                     int secondMode, int fromDate, int toDate, int rows) {
  __shared__ unsigned int countsOfBlock[4];
  if (threadIdx.x < 4) {
    countsOfBlock[threadIdx.x] = 0;
  }
  __syncthreads();

  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    int mode = shipModes[i];
    int committed = commitDates[i];
    int received = receiptDates[i];
    if ((mode == firstMode || mode == secondMode) && received >= fromDate && received < toDate &&
        committed < received && shipDates[i] < committed) {
      unsigned long long key = orderKeys[i];
      unsigned int slot = slotOf(key, mask);
      unsigned long long entry = table[slot];
      while (entry != 0 && entry >> 1 != key) {
        slot = (slot + 1) & mask;
        entry = table[slot];
      }
      if (entry != 0) {
        int high = entry & 1;
        atomicAdd(&countsOfBlock[(mode == firstMode ? 0 : 2) + (high ? 0 : 1)], 1u);
      }
    }
  }

  __syncthreads();
  if (threadIdx.x < 4 && countsOfBlock[threadIdx.x] != 0) {
    atomicAdd(&counts[threadIdx.x], (unsigned long long)countsOfBlock[threadIdx.x]);
  }
}
