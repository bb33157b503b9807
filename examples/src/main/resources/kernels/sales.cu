// The kernels of the example of Arrow tables. These commands, run in this folder, generate the PTX
// next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o sales.ptx sales.cu
//   sed -i 's/^\.version .*/.version 6.3/' sales.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// Writes the numbers of the rows whose quantity is known and at least `least` to the start of `rows`,
// in any order, and adds how many they are to rowCount[0]. A null pointer says that all are known.
extern "C" __global__ void select_rows(const int *quantity, const unsigned char *validity, int least,
                                       int *rows, unsigned int *rowCount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (validity == 0 || (validity[i / 8] >> (i % 8) & 1)) && quantity[i] >= least) {
    rows[atomicAdd(rowCount, 1)] = i;
  }
}

// Gathers the items of the selected rows, and multiplies their quantities by their prices.
extern "C" __global__ void gather_amounts(const int *item, const int *quantity,
                                          const long long *price, const int *rows,
                                          const unsigned int *rowCount, int *soldItem,
                                          long long *amount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i < *rowCount) {
    int row = rows[i];
    soldItem[i] = item[row];
    amount[i] = quantity[row] * price[row];
  }
}
