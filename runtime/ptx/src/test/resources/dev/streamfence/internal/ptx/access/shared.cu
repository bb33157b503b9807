// Work in shared, constant and local memory around a few accesses to global memory.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 shared.cu -o shared.ptx && sed -i -e 's|"[^"]*/|"|' shared.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 shared.cu -o shared-debug.ptx && sed -i -e 's|"[^"]*/|"|' shared-debug.ptx

__constant__ float taps[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

// truth name=reduce: in=reads out=writes n=value
extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float sums[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  sums[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

// truth name=scan: data=readwrites totals=writes
extern "C" __global__ void __launch_bounds__(256) scan(int* data, int* totals) {
  extern __shared__ int sums[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  sums[t] = data[i];
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    int more = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += more;
    __syncthreads();
  }
  data[i] = sums[t];
  if (t == blockDim.x - 1) totals[blockIdx.x] = sums[t];
}

// truth name=transpose: in=reads out=writes width=value height=value
extern "C" __global__ void transpose(
    const float* __restrict__ in, float* __restrict__ out, int width, int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// truth name=convolve: image=reads out=writes width=value height=value
extern "C" __global__ void convolve(const float* image, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  float sum = 0;
  for (int k = 0; k < 9; k++) {
    sum += taps[k] * image[(y + k / 3 - 1) * width + x + k % 3 - 1];
  }
  out[y * width + x] = sum / 16;
}

// truth name=bitonic: keys=readwrites
extern "C" __global__ void bitonic(unsigned* keys) {
  __shared__ unsigned own[512];
  int t = threadIdx.x;
  own[t] = keys[blockIdx.x * 512 + t];
  for (int size = 2; size <= 512; size *= 2) {
    for (int d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      int other = t ^ d;
      if (other > t && (own[t] > own[other]) == ((t & size) == 0)) {
        unsigned k = own[t];
        own[t] = own[other];
        own[other] = k;
      }
    }
  }
  __syncthreads();
  keys[blockIdx.x * 512 + t] = own[t];
}

// truth name=softmax: logits=reads out=writes width=value
extern "C" __global__ void softmax(const float* logits, float* out, int width) {
  const float* row = logits + (size_t)blockIdx.x * width;
  float high = -INFINITY;
  for (int k = threadIdx.x; k < width; k += 32) high = fmaxf(high, row[k]);
  for (int d = 16; d > 0; d /= 2) high = fmaxf(high, __shfl_xor_sync(~0u, high, d));
  float sum = 0;
  for (int k = threadIdx.x; k < width; k += 32) sum += __expf(row[k] - high);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int k = threadIdx.x; k < width; k += 32) {
    out[(size_t)blockIdx.x * width + k] = __expf(row[k] - high) / sum;
  }
}

// Three arrays in one piece of dynamic shared memory.
// truth name=carved: ints=reads floats=reads out=writes n=value
extern "C" __global__ void carved(const int* ints, const float* floats, float* out, int n) {
  extern __shared__ __align__(16) unsigned char room[];
  int* first = (int*)room;
  float* second = (float*)(first + n);
  float* third = second + n;
  int t = threadIdx.x;
  first[t] = ints[t];
  second[t] = floats[t];
  __syncthreads();
  third[n - 1 - t] = second[first[t] % n];
  __syncthreads();
  out[t] = third[t];
}

// A sort by insertion in local memory.
// truth name=median: in=reads out=writes n=value
extern "C" __global__ void median(const int* in, int* out, int n) {
  int own[128];
  const int* from = in + (blockIdx.x * blockDim.x + threadIdx.x) * n;
  int count = 0;
  for (int k = 0; k < n && k < 128; k++) {
    int at = count++;
    for (; at > 0 && own[at - 1] > from[k]; at--) own[at] = own[at - 1];
    own[at] = from[k];
  }
  if (count > 0) out[blockIdx.x * blockDim.x + threadIdx.x] = own[count / 2];
}

// One pass of a radix sort: counts of each digit, per block.
// truth name=radixCount: keys=reads counts=writes shift=value n=value
extern "C" __global__ void radixCount(const unsigned* keys, unsigned* counts, int shift, int n) {
  __shared__ unsigned own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

// truth name=radixScatter: keys=reads values=reads offsets=readwrites keysOut=writes valuesOut=writes shift=value n=value
extern "C" __global__ void radixScatter(
    const unsigned* keys, const int* values, unsigned* offsets, unsigned* keysOut, int* valuesOut,
    int shift, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i];
  unsigned at = atomicAdd(&offsets[(key >> shift & 15) * gridDim.x + blockIdx.x], 1u);
  keysOut[at] = key;
  valuesOut[at] = values[i];
}

// truth name=lifeBits: now=reads next=writes width=value
extern "C" __global__ void lifeBits(const unsigned* now, unsigned* next, int width) {
  __shared__ unsigned rows[34];
  int t = threadIdx.x;
  rows[t + 1] = now[t * width + blockIdx.x];
  if (t == 0) {
    rows[0] = 0;
    rows[33] = 0;
  }
  __syncthreads();
  unsigned up = rows[t];
  unsigned same = rows[t + 1];
  unsigned down = rows[t + 2];
  unsigned result = 0;
  for (int bit = 0; bit < 32; bit++) {
    unsigned around = bit == 0 ? 3u : 7u << (bit - 1);
    int count = __popc(up & around) + __popc(same & around) + __popc(down & around);
    if (count == 3 || (count == 4 && (same >> bit & 1))) result |= 1u << bit;
  }
  next[t * width + blockIdx.x] = result;
}
