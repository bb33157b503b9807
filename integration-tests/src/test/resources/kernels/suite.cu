// nvcc -ptx -arch=compute_75 -O3 suite.cu -o suite.ptx
// sed -i 's/^\.version .*/.version 6.3/' suite.ptx

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
  }
}

extern "C" __global__ void increment(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] += 1;
  }
}

// Increments after some work, so that a launch that does not wait for it sees the old value.
extern "C" __global__ void incrementSlowly(int* values, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned state = i + 1;
    for (int r = 0; r < rounds; r++) {
      state = state * 1664525u + 1013904223u;
    }
    values[i] += state == 0 ? 2 : 1;
  }
}

extern "C" __global__ void add(const int* a, const int* b, int* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sum[i] = a[i] + b[i];
  }
}

extern "C" __global__ void kinds(bool z, signed char b, unsigned short c, short s, int i, long long l, float f,
                                 double d, long long* out) {
  out[0] = z;
  out[1] = b;
  out[2] = c;
  out[3] = s;
  out[4] = i;
  out[5] = l;
  out[6] = __float_as_int(f);
  out[7] = __double_as_longlong(d);
}

// Reverses the values of each block through dynamic shared memory.
extern "C" __global__ void reverse(int* values) {
  extern __shared__ int shared[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  shared[threadIdx.x] = values[i];
  __syncthreads();
  values[i] = shared[blockDim.x - 1 - threadIdx.x];
}

// Numbers the threads of a grid in three dimensions.
extern "C" __global__ void number(int* values) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  values[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

struct Mixed {
  signed char small;
  int number;
  double wide;
  bool flag;
};

// Writes the fields of a structure that is passed by value.
extern "C" __global__ void spread(Mixed mixed, long long* out) {
  out[0] = mixed.small;
  out[1] = mixed.number;
  out[2] = __double_as_longlong(mixed.wide);
  out[3] = mixed.flag;
}

extern "C" __global__ void __launch_bounds__(64) atMost64(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] += 1;
  }
}

// Each thread writes how many threads its block has.
extern "C" __global__ void blockSizes(int* sizes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sizes[i] = blockDim.x;
  }
}

// Increments each column of a table.
extern "C" __global__ void bumpAll(int* const* columns, int columnCount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int c = 0; c < columnCount; c++) {
      columns[c][i] += 1;
    }
  }
}

struct Column {
  const int* values;
  const unsigned char* validity;
  long long rows;
};

// Writes the valid values of a column, and 0 in place of the others.
extern "C" __global__ void valid(Column column, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = i < column.rows && column.validity[i] ? column.values[i] : 0;
  }
}
