// The kernel of the example of any number of columns. These commands, run in this folder, generate
// the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o filter_columns.ptx filter_columns.cu
//   sed -i 's/^\.version .*/.version 6.3/' filter_columns.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// Copies the rows whose key is at least `least` to the start of each kept column, in any order, and
// adds their number to count[0].
extern "C" __global__ void keep_rows(const int *key, int least, const int *const *columns,
                                     int *const *kept, int column_count, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && key[i] >= least) {
    int row = atomicAdd(count, 1);
    for (int c = 0; c < column_count; c++) {
      kept[c][row] = columns[c][i];
    }
  }
}
