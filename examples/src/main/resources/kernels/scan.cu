// Prefix sums, and a filter that keeps the order of its values. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o scan.ptx scan.cu
//   sed -i 's/^\.version .*/.version 6.3/' scan.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// Each block of 256 threads writes to sums the sums of the values before each of its own, of this
// block only, and to totals the sum of all its values. sums has one element more than values: the
// value behind the last one counts as 0.
extern "C" __global__ void scan_blocks(const int *values, int n, int *sums, int *totals, int m) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? values[i] : 0;
  tile[threadIdx.x] = value;
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    int before = threadIdx.x >= distance ? tile[threadIdx.x - distance] : 0;
    __syncthreads();
    tile[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < m) {
    sums[i] = tile[threadIdx.x] - value;
  }
  if (threadIdx.x == 255) {
    totals[blockIdx.x] = tile[255];
  }
}

// Adds to the sums of each block what all blocks before it have summed up.
extern "C" __global__ void add_totals(int *sums, const int *totals, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    sums[i] += totals[blockIdx.x];
  }
}

// Writes 1 for each value that is at least `least`, and 0 for the others.
extern "C" __global__ void mark_at_least(const int *values, int least, int *marks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    marks[i] = values[i] >= least;
  }
}

// Copies the marked values to the places that the prefix sums of the marks give them.
extern "C" __global__ void keep_marked(const int *values, const int *places, int *kept, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && places[i + 1] > places[i]) {
    kept[places[i]] = values[i];
  }
}
