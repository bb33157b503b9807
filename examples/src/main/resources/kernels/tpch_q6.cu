// TPC-H Q6, "forecasting revenue change". These commands, run in this folder, generate
// the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o tpch_q6.ptx tpch_q6.cu
//   sed -i 's/^\.version .*/.version 6.3/' tpch_q6.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// Adds price * discount to revenue[0] for the rows that match the query. Prices, discounts and
// quantities are decimals in hundredths, so the sum is exact, in 1/10000 of the currency. Dates are
// days since 1970-01-01; the interval of dates excludes its end, the interval of discounts includes
// it. The number of threads of a block must be a multiple of 32.
extern "C" __global__ void q6_revenue(const int *shipDates, const long long *discounts,
                                      const long long *quantities, const long long *prices,
                                      unsigned long long *revenue, int fromDate, int toDate,
                                      long long leastDiscount, long long mostDiscount,
                                      long long quantityLimit, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long sum = 0;
  if (row < rows) {
    int date = shipDates[row];
    long long discount = discounts[row];
    if (date >= fromDate && date < toDate && discount >= leastDiscount &&
        discount <= mostDiscount && quantities[row] < quantityLimit) {
      sum = prices[row] * discount;
    }
  }

  // Threads beyond the last row stay: every lane of a warp takes part in the shuffles, and every
  // warp in the barrier.
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  __shared__ unsigned long long sumOfWarp[32];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  if (lane == 0) {
    sumOfWarp[warp] = sum;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int other = 1; other < blockDim.x / 32; other++) {
      sum += sumOfWarp[other];
    }
    if (sum != 0) {
      atomicAdd(revenue, sum);
    }
  }
}
