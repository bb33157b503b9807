// Templates, overloads and namespaces: entries with mangled names, a truth for each instance.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 templates.cu -o templates.ptx && sed -i -e 's|"[^"]*/|"|' templates.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 templates.cu -o templates-debug.ptx && sed -i -e 's|"[^"]*/|"|' templates-debug.ptx

template <typename T>
__global__ void scale(T* out, const T* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * (T)3;
}

// truth name=_Z5scaleIfEvPT_PKS0_i: out=writes in=reads n=value
template __global__ void scale<float>(float*, const float*, int);

// truth name=_Z5scaleIsEvPT_PKS0_i: out=writes in=reads n=value
template __global__ void scale<short>(short*, const short*, int);

template <int WIDTH>
__global__ void sumRows(const float* rows, float* sums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < WIDTH; k++) sum += rows[row * WIDTH + k];
  sums[row] = sum;
}

// truth name=_Z7sumRowsILi5EEvPKfPf: rows=reads sums=writes
template __global__ void sumRows<5>(const float*, float*);

struct Halve {
  __device__ float operator()(float v) const { return v / 2; }
};

struct AddFrom {
  const float* more;
  __device__ float operator()(float v) const { return v + more[(int)v & 15]; }
};

template <typename Change>
__global__ void transform(float* data, Change change) {
  data[threadIdx.x] = change(data[threadIdx.x]);
}

// truth name=_Z9transformI5HalveEvPfT_: data=readwrites change=struct
template __global__ void transform<Halve>(float*, Halve);

// truth name=_Z9transformI7AddFromEvPfT_: data=readwrites change=struct change.more=reads
template __global__ void transform<AddFrom>(float*, AddFrom);

// truth name=_Z3putPii: out=writes with=value
__global__ void put(int* out, int with) { out[threadIdx.x] = with; }

// truth name=_Z3putPfPKf: out=writes from=reads
__global__ void put(float* out, const float* from) { out[threadIdx.x] = from[blockIdx.x]; }

namespace grid {

// truth name=_ZN4grid5shiftEPdS0_l: a=writes b=reads by=value
__global__ void shift(double* a, double* b, long by) { a[threadIdx.x] = b[threadIdx.x + by]; }

}  // namespace grid

// The argument of the template decides what happens to `extra`.
template <bool ALSO>
__global__ void maybe(const int* in, int* extra, int* out) {
  int value = in[threadIdx.x];
  if (ALSO) value += atomicAdd(extra, value);
  out[threadIdx.x] = value;
}

// truth name=_Z5maybeILb0EEvPKiPiS2_: in=reads extra=untouched out=writes
template __global__ void maybe<false>(const int*, int*, int*);

// truth name=_Z5maybeILb1EEvPKiPiS2_: in=reads extra=readwrites out=writes
template __global__ void maybe<true>(const int*, int*, int*);

template <typename... Ts>
__device__ long long total(int i, const Ts*... from) {
  long long sum = 0;
  const long long values[] = {(long long)from[i]...};
  for (long long value : values) sum += value;
  return sum;
}

template <typename... Ts>
__global__ void sumAll(long long* out, const Ts*... from) {
  out[threadIdx.x] = total(threadIdx.x, from...);
}

// truth name=_Z6sumAllIJahiEEvPxDpPKT_: out=writes from0=reads from1=reads from2=reads
template __global__ void sumAll<signed char, unsigned char, int>(
    long long*, const signed char*, const unsigned char*, const int*);

template <typename T, T (*OPERATION)(T, T)>
__global__ void fold(const T* __restrict__ in, T* __restrict__ out, int n) {
  T value = in[threadIdx.x];
  for (int k = 1; k < n; k++) value = OPERATION(value, in[threadIdx.x + k * blockDim.x]);
  out[threadIdx.x] = value;
}

__device__ int larger(int a, int b) { return a > b ? a : b; }

// truth name=_Z4foldIiXadL_Z6largeriiEEEvPKT_PS0_i: in=reads out=writes n=value
template __global__ void fold<int, larger>(const int* __restrict__, int* __restrict__, int);
