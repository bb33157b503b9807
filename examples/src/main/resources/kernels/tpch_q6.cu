// TPC-H Q6, "forecasting revenue change". These commands, run in this folder, generate
// the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o tpch_q6.ptx tpch_q6.cu
//   sed -i 's/^\.version .*/.version 6.3/' tpch_q6.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.
//
// The kernel is written for bandwidth: it reads each column once and whole, and does little with
// each row. A thread loads 16 bytes of a column at a time, a warp 512 that lie side by side, and
// each thread has 112 bytes on their way before it uses any. Few rows match, but a thread that
// loaded prices only for these would have to wait for the other columns first.

// Threads of a block.
#define BLOCK 256

// So many blocks on a multiprocessor leave each thread enough registers for all of its loads. Left
// to itself, the compiler saves registers, and puts half of the loads after uses of the others.
#define BLOCKS_PER_MULTIPROCESSOR 4

// Two rows are 16 bytes of a column of 64-bit integers.
#define PAIRS_PER_THREAD 2
#define PAIRS_PER_TILE (BLOCK * PAIRS_PER_THREAD)

// A tile is the rows that a block has on their way at the same time.
#define ROWS_PER_TILE (2 * PAIRS_PER_TILE)

struct LineItems {
  const int *shipDates;
  const long long *discounts;
  const long long *quantities;
  const long long *prices;
};

struct Condition {
  int fromDate;
  int toDate;
  long long leastDiscount;
  long long mostDiscount;
  long long quantityLimit;

  // The revenue of one row, 0 if it does not match. Without branches, which would put loads off.
  __device__ unsigned long long revenueOf(int date, long long discount, long long quantity,
                                          long long price) const {
    bool matches = (date >= fromDate) & (date < toDate) & (discount >= leastDiscount) &
                   (discount <= mostDiscount) & (quantity < quantityLimit);
    return matches ? price * discount : 0;
  }
};

// Sums up this thread's part of whole tiles, in pairs of rows.
static __device__ unsigned long long sumOfTiles(const LineItems &items, const Condition &condition,
                                                int tiles) {
  unsigned long long sum = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    int pair = tile * PAIRS_PER_TILE + threadIdx.x;
    int2 date[PAIRS_PER_THREAD];
    longlong2 discount[PAIRS_PER_THREAD];
    longlong2 quantity[PAIRS_PER_THREAD];
    longlong2 price[PAIRS_PER_THREAD];
#pragma unroll
    for (int i = 0; i < PAIRS_PER_THREAD; i++) {
      date[i] = ((const int2 *)items.shipDates)[pair + i * BLOCK];
      discount[i] = ((const longlong2 *)items.discounts)[pair + i * BLOCK];
      quantity[i] = ((const longlong2 *)items.quantities)[pair + i * BLOCK];
      price[i] = ((const longlong2 *)items.prices)[pair + i * BLOCK];
    }
#pragma unroll
    for (int i = 0; i < PAIRS_PER_THREAD; i++) {
      sum += condition.revenueOf(date[i].x, discount[i].x, quantity[i].x, price[i].x);
      sum += condition.revenueOf(date[i].y, discount[i].y, quantity[i].y, price[i].y);
    }
  }
  return sum;
}

// Sums up this thread's part of the rows from the given one on, one by one.
static __device__ unsigned long long sumOfRows(const LineItems &items, const Condition &condition,
                                               int from, int rows) {
  unsigned long long sum = 0;
#pragma unroll 1
  for (int row = from + blockIdx.x * BLOCK + threadIdx.x; row < rows; row += gridDim.x * BLOCK) {
    sum += condition.revenueOf(items.shipDates[row], items.discounts[row], items.quantities[row],
                               items.prices[row]);
  }
  return sum;
}

// Adds price * discount to revenue[0] for the rows that match the query. Prices, discounts and
// quantities are decimals in hundredths, so the sum is exact, in 1/10000 of the currency. Dates are
// days since 1970-01-01; the interval of dates excludes its end, the interval of discounts includes
// it. Any number of blocks sums up any number of rows.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS_PER_MULTIPROCESSOR)
    q6_revenue(const int *shipDates, const long long *discounts, const long long *quantities,
               const long long *prices, unsigned long long *revenue, int fromDate, int toDate,
               long long leastDiscount, long long mostDiscount, long long quantityLimit,
               int rows) {
  const LineItems items = {shipDates, discounts, quantities, prices};
  const Condition condition = {fromDate, toDate, leastDiscount, mostDiscount, quantityLimit};

  // Loads of pairs need aligned addresses, which a view may not have: it can begin at any row.
  bool aligned = (size_t)shipDates % sizeof(int2) == 0 &&
                 ((size_t)discounts | (size_t)quantities | (size_t)prices) % sizeof(longlong2) == 0;
  unsigned long long sum;
  if (aligned) {
    int tiles = rows / ROWS_PER_TILE;
    sum = sumOfTiles(items, condition, tiles);
    sum += sumOfRows(items, condition, tiles * ROWS_PER_TILE, rows);
  } else {
    sum = sumOfRows(items, condition, 0, rows);
  }

  // The sum of the block. Threads without a row stay: every lane of a warp takes part in the
  // shuffles, and every warp in the barriers.
  __shared__ unsigned long long sumOfBlock;
  if (threadIdx.x == 0) {
    sumOfBlock = 0;
  }
  __syncthreads();
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&sumOfBlock, sum);
  }
  __syncthreads();
  if (threadIdx.x == 0 && sumOfBlock != 0) {
    atomicAdd(revenue, sumOfBlock);
  }
}
