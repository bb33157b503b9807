// nvcc -ptx -arch=compute_75 -O3 vector.cu -o vector.ptx
// sed -i 's/^\.version .*/.version 6.3/' vector.ptx

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

extern "C" __global__ void add(const int* a, const int* b, int* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sum[i] = a[i] + b[i];
  }
}

// Takes one value of each kind and writes it back as 64 bits.
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

// Writes one element behind the end.
extern "C" __global__ void overrun(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) {
    values[i] = i;
  }
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
