// Pointers given to functions that are not inlined, and taken back from them.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 calls.cu -o calls.ptx && sed -i -e 's|"[^"]*/|"|' calls.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 calls.cu -o calls-debug.ptx && sed -i -e 's|"[^"]*/|"|' calls-debug.ptx

struct Span {
  float* begin;
  float* end;
};

__device__ __noinline__ float load(const float* p, int i) { return p[i]; }

__device__ __noinline__ void store(float* p, int i, float v) { p[i] = v; }

__device__ __noinline__ float* at(float* p, int i) { return p + i; }

__device__ __noinline__ void copyOne(float* to, const float* from, int i) { to[i] = from[i]; }

__device__ __noinline__ float outer(const float* p, int i, float scale) { return p[i] * scale; }

__device__ __noinline__ float middle(const float* p, int i) { return outer(p + 1, i, 2) + load(p, i); }

__device__ __noinline__ void inner(float* to, const float* p, int i) { store(to, i, middle(p, i)); }

// truth name=oneLevel: in=reads out=writes
extern "C" __global__ void oneLevel(const float* in, float* out) {
  int i = threadIdx.x;
  store(out, i, load(in, i) + 1);
}

// truth name=threeLevels: in=reads out=writes
extern "C" __global__ void threeLevels(const float* in, float* out) {
  inner(out + blockIdx.x, in, threadIdx.x);
}

// The same function with other roles: b is copied to and from.
// truth name=chainOfCopies: a=reads b=readwrites c=writes
extern "C" __global__ void chainOfCopies(const float* a, float* b, float* c) {
  copyOne(b, a, threadIdx.x);
  __syncthreads();
  copyOne(c, b + 1, threadIdx.x);
}

// Both go through the same function; what it returns keeps its origin.
// truth name=returned: in=reads out=writes k=value
extern "C" __global__ void returned(float* in, float* out, int k) {
  float* from = at(in, threadIdx.x * k);
  float* to = at(out, threadIdx.x);
  *to = *from;
}

__device__ __noinline__ float* choose(float* a, float* b, int k) { return k % 3 == 0 ? a : b; }

// truth name=returnedEither: a=writes b=writes in=reads
extern "C" __global__ void returnedEither(float* a, float* b, const int* in) {
  choose(a, b, in[threadIdx.x])[threadIdx.x] = 4;
}

__device__ __noinline__ long long sumTree(const int* tree, int at, int n) {
  if (at >= n) return 0;
  return tree[at] + sumTree(tree, 2 * at + 1, n) * 3 + sumTree(tree, 2 * at + 2, n);
}

// truth name=recursive: tree=reads out=writes n=value
extern "C" __global__ void recursive(const int* tree, long long* out, int n) {
  out[threadIdx.x] = sumTree(tree, threadIdx.x, n);
}

__device__ __noinline__ void odd(float* a, float* b, int n);

__device__ __noinline__ void even(float* a, float* b, int n) {
  if (n <= 0) return;
  a[n] = n;
  odd(b, a, n - 1);
  a[n + 1] = 1;
}

__device__ __noinline__ void odd(float* a, float* b, int n) {
  if (n <= 0) return;
  a[n] = -n;
  even(a, b, n - 2);
  a[n + 1] = 2;
}

// The two functions change the roles of their arguments.
// truth name=mutuallyRecursive: a=writes b=writes n=value
extern "C" __global__ void mutuallyRecursive(float* a, float* b, int n) { even(a, b, n); }

__device__ __noinline__ float next(const float** p) {
  float value = **p;
  *p += 2;
  return value;
}

// truth name=pointerToPointer: in=reads out=writes n=value
extern "C" __global__ void pointerToPointer(const float* in, float* out, int n) {
  const float* p = in + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k++) sum = sum * 0.5f + next(&p);
  out[threadIdx.x] = sum;
}

__device__ __noinline__ void exchangePointers(float** a, float** b) {
  float* t = *a;
  *a = *b;
  *b = t;
}

// truth name=pointersExchanged: a=readwrites b=readwrites n=value
extern "C" __global__ void pointersExchanged(float* a, float* b, int n) {
  for (int k = 0; k < n; k++) {
    a[threadIdx.x] = b[threadIdx.x] + k;
    exchangePointers(&a, &b);
  }
}

// Each thread knows which is which, although the pointers went through a function.
// truth name=exchangedOnce: a=reads b=writes
extern "C" __global__ void exchangedOnce(float* a, float* b) {
  exchangePointers(&a, &b);
  a[threadIdx.x] = b[threadIdx.x] + 1;
}

__device__ __noinline__ Span part(float* p, int which, int width) {
  Span span;
  span.begin = p + which * width;
  span.end = span.begin + width;
  return span;
}

// truth name=structReturned: in=reads sums=writes width=value
extern "C" __global__ void structReturned(float* in, float* sums, int width) {
  Span span = part(in, threadIdx.x, width);
  float sum = 0;
  for (float* p = span.begin; p != span.end; p++) sum += *p;
  sums[threadIdx.x] = sum;
}

__device__ __noinline__ int partly(const int* used, const int* unused, int k) {
  if (k < 0 && unused == nullptr) return -1;
  return used[k & 255];
}

// truth name=argumentUnused: used=reads unused=untouched out=writes k=value
extern "C" __global__ void argumentUnused(const int* used, const int* unused, int* out, int k) {
  out[threadIdx.x] = partly(used, unused, k + threadIdx.x);
}

template <typename Body>
__device__ __noinline__ void forEach(int n, Body body) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) body(i);
}

// truth name=lambdaByValue: in=reads out=writes n=value
extern "C" __global__ void lambdaByValue(const float* in, float* out, int n) {
  forEach(n, [=](int i) { out[i] = in[n - 1 - i]; });
}

// truth name=lambdaByReference: in=reads out=writes n=value
extern "C" __global__ void lambdaByReference(const float* in, float* out, int n) {
  int turns = 0;
  forEach(n, [&](int i) {
    *out++ = in[i];
    turns++;
  });
  *out = turns;
}
