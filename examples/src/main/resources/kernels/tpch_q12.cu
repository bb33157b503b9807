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

// Threads of a block of the probe.
#define BLOCK 256

// Four dates are 16 bytes.
#define ROWS_PER_THREAD 4

// A tile is the rows that a block of the probe has on their way at the same time.
#define ROWS_PER_TILE (BLOCK * ROWS_PER_THREAD)

struct LineItems {
  const long long *orderKeys;
  const signed char *shipModes;
  const int *shipDates;
  const int *commitDates;
  const int *receiptDates;
};

struct Probe {
  const unsigned long long *table;
  unsigned int *counts;
  int mask;
  int firstMode;
  int secondMode;
  int fromDate;
  int toDate;

  // Counts one line item if it matches. Few do, so only these load their order's key.
  __device__ void count(const long long *orderKey, int mode, int shipped, int committed,
                        int received) const {
    bool matches = ((mode == firstMode) | (mode == secondMode)) & (received >= fromDate) &
                   (received < toDate) & (committed < received) & (shipped < committed);
    if (!matches) {
      return;
    }
    unsigned long long key = *orderKey;
    unsigned int slot = slotOf(key, mask);
    unsigned long long entry = table[slot];
    while (entry != 0 && entry >> 1 != key) {
      slot = (slot + 1) & mask;
      entry = table[slot];
    }
    if (entry != 0) {
      bool high = entry & 1;
      atomicAdd(&counts[(mode == firstMode ? 0 : 2) + (high ? 0 : 1)], 1u);
    }
  }
};

// Counts this thread's part of whole tiles, four rows at a time.
static __device__ void countTiles(const LineItems &items, const Probe &probe, int tiles) {
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int four = tile * BLOCK + threadIdx.x;
    char4 mode = ((const char4 *)items.shipModes)[four];
    int4 shipped = ((const int4 *)items.shipDates)[four];
    int4 committed = ((const int4 *)items.commitDates)[four];
    int4 received = ((const int4 *)items.receiptDates)[four];
    // In 64 bits, in which the product cannot wrap around: this keeps the bounds provable.
    const long long *orderKey = items.orderKeys + (long long)ROWS_PER_THREAD * four;
    probe.count(orderKey, mode.x, shipped.x, committed.x, received.x);
    probe.count(orderKey + 1, mode.y, shipped.y, committed.y, received.y);
    probe.count(orderKey + 2, mode.z, shipped.z, committed.z, received.z);
    probe.count(orderKey + 3, mode.w, shipped.w, committed.w, received.w);
  }
}

// Counts this thread's part of the rows from the given one on, one by one.
static __device__ void countRows(const LineItems &items, const Probe &probe, int from, int rows) {
#pragma unroll 1
  for (int row = from + blockIdx.x * BLOCK + threadIdx.x; row < rows; row += gridDim.x * BLOCK) {
    probe.count(items.orderKeys + row, items.shipModes[row], items.shipDates[row],
                items.commitDates[row], items.receiptDates[row]);
  }
}

// Counts the line items that match the query: counts[0] and [1] are for the first mode with high
// and with lower priority, [2] and [3] for the second. Dates are days since 1970-01-01; the
// interval excludes its end. Any number of blocks probes any number of rows. It reads modes and
// dates once and whole.
extern "C" __global__ void __launch_bounds__(BLOCK)
    q12_probe(const long long *orderKeys, const signed char *shipModes, const int *shipDates,
              const int *commitDates, const int *receiptDates, const unsigned long long *table,
              unsigned long long *counts, int mask, int firstMode, int secondMode, int fromDate,
              int toDate, int rows) {
  __shared__ unsigned int countsOfBlock[4];
  if (threadIdx.x < 4) {
    countsOfBlock[threadIdx.x] = 0;
  }
  __syncthreads();

  const LineItems items = {orderKeys, shipModes, shipDates, commitDates, receiptDates};
  const Probe probe = {table, countsOfBlock, mask, firstMode, secondMode, fromDate, toDate};
  // Loads of four rows need aligned addresses, which a view may not have: it can begin at any row.
  bool aligned =
      (size_t)shipModes % sizeof(char4) == 0 &&
      ((size_t)shipDates | (size_t)commitDates | (size_t)receiptDates) % sizeof(int4) == 0;
  if (aligned) {
    int tiles = rows / ROWS_PER_TILE;
    countTiles(items, probe, tiles);
    countRows(items, probe, tiles * ROWS_PER_TILE, rows);
  } else {
    countRows(items, probe, 0, rows);
  }

  __syncthreads();
  if (threadIdx.x < 4 && countsOfBlock[threadIdx.x] != 0) {
    atomicAdd(&counts[threadIdx.x], (unsigned long long)countsOfBlock[threadIdx.x]);
  }
}
