// Calls whose target is found at run time; functions of this file are known, others are not.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 indirect.cu -o indirect.ptx && sed -i -e 's|"[^"]*/|"|' indirect.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 indirect.cu -o indirect-debug.ptx && sed -i -e 's|"[^"]*/|"|' indirect-debug.ptx

typedef float (*Reader)(const float*, int);
typedef void (*Changer)(float*, int);

__device__ __noinline__ float plain(const float* p, int i) { return p[i]; }

__device__ __noinline__ float mirrored(const float* p, int i) { return p[-i]; }

__device__ __noinline__ void doubled(float* p, int i) { p[i] *= 2; }

__device__ __noinline__ void cleared(float* p, int i) { p[i] = 0; }

__device__ __noinline__ void ignored(float* p, int i) {}

__device__ Reader readers[2] = {plain, mirrored};

__constant__ Changer changers[3] = {doubled, cleared, ignored};

// truth name=readByTable: in=reads which=reads out=writes
extern "C" __global__ void readByTable(const float* in, const int* which, float* out) {
  int i = threadIdx.x;
  out[i] = readers[which[i] & 1](in, i);
}

// truth name=changeByTable: data=readwrites which=value
extern "C" __global__ void changeByTable(float* data, int which) {
  changers[(which + threadIdx.x) % 3](data, threadIdx.x);
}

// truth name=chosenFunction: data=writes more=value
extern "C" __global__ void chosenFunction(float* data, int more) {
  Changer changer = more > (int)threadIdx.x ? cleared : ignored;
  changer(data, threadIdx.x);
}

// The function comes from the caller: what it does is not to be seen here.
// truth name=functionGiven: data=untouched!escapes changer=value
extern "C" __global__ void functionGiven(float* data, Changer changer) {
  changer(data + blockIdx.x, threadIdx.x);
}

// The function comes from memory, and so does nothing of what it is given.
// truth name=functionLoaded: table=reads data=writes!escapes n=value
extern "C" __global__ void functionLoaded(const Changer* table, float* data, int n) {
  data[threadIdx.x] = n;
  table[threadIdx.x % n](data, threadIdx.x);
}

struct Filter {
  const float* weights;
  __device__ Filter(const float* weights) : weights(weights) {}
  __device__ virtual float at(const float* p, int i) const { return p[i] * weights[0]; }
};

struct WideFilter : Filter {
  __device__ WideFilter(const float* weights) : Filter(weights) {}
  __device__ float at(const float* p, int i) const override {
    return p[i] * weights[1] + p[i + 1] * weights[2];
  }
};

__device__ __noinline__ float filtered(const Filter& filter, const float* p, int i) {
  return filter.at(p, i);
}

// truth name=virtualCall: in=reads weights=reads out=writes wide=value
extern "C" __global__ void virtualCall(
    const float* in, const float* weights, float* out, int wide) {
  Filter narrow(weights);
  WideFilter broad(weights);
  int i = threadIdx.x;
  out[i] = filtered(i < wide ? (const Filter&)broad : narrow, in, i);
}
