// nvcc -ptx -arch=compute_75 -O3 compare.cu -o compare.ptx
// sed -i 's/^\.version .*/.version 6.3/' compare.ptx

// The kernels that every opponent of `run compare` launches.

// Four arrays and two numbers.
extern "C" __global__ void touch4(float* a, const float* b, const float* c, float* d, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    d[i] = a[i] + factor * b[i] + c[i];
    a[i] = factor;
  }
}

// Fifteen arrays that are read, and one that is written.
extern "C" __global__ void sum15(const int* a0, const int* a1, const int* a2, const int* a3, const int* a4, const int* a5,
                                 const int* a6, const int* a7, const int* a8, const int* a9, const int* a10,
                                 const int* a11, const int* a12, const int* a13, const int* a14, int* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sum[i] = a0[i] + a1[i] + a2[i] + a3[i] + a4[i] + a5[i] + a6[i] + a7[i] + a8[i] + a9[i] + a10[i] + a11[i] + a12[i] +
             a13[i] + a14[i];
  }
}

// As many arrays as a table has.
extern "C" __global__ void bumpAll(int* const* table, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int t = 0; t < count; t++) {
      table[t][i]++;
    }
  }
}

// Keeps the device busy with an array for a while.
extern "C" __global__ void dwell(float* a, long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
  a[0] = 1;
}
