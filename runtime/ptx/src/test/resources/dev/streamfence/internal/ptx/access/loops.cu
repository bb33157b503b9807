// Pointers that move: up, down, towards each other, and swapped from step to step.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 loops.cu -o loops.ptx && sed -i -e 's|"[^"]*/|"|' loops.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 loops.cu -o loops-debug.ptx && sed -i -e 's|"[^"]*/|"|' loops-debug.ptx

typedef unsigned char u8;

// truth name=copyUp: from=reads to=writes length=value
extern "C" __global__ void copyUp(const u8* from, u8* to, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  from += (size_t)i * length;
  to += (size_t)i * length;
  while (length-- > 0) *to++ = *from++;
}

// truth name=copyDown: from=reads to=writes n=value
extern "C" __global__ void copyDown(const float* from, float* to, int n) {
  const float* last = from + n;
  while (last != from) *to++ = *--last;
}

// Until the terminating zero, as strcpy.
// truth name=copyString: from=reads to=writes pitch=value
extern "C" __global__ void copyString(const char* from, char* to, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const char* s = from + i * pitch;
  char* d = to + i * pitch;
  do {
    *d++ = *s;
  } while (*s++ != 0);
}

// truth name=relax: now=readwrites next=readwrites steps=value n=value
extern "C" __global__ void relax(float* now, float* next, int steps, int n) {
  int i = threadIdx.x;
  for (int step = 0; step < steps; step++) {
    if (i > 0 && i < n - 1) next[i] = 0.5f * (now[i - 1] + now[i + 1]);
    __syncthreads();
    float* old = now;
    now = next;
    next = old;
  }
}

// The end is compared with, never reached.
// truth name=sumRange: begin=reads end=untouched out=writes
extern "C" __global__ void sumRange(const float* begin, const float* end, float* out) {
  float sum = 0;
  for (const float* p = begin + threadIdx.x; p < end; p += blockDim.x) sum += *p;
  out[threadIdx.x] = sum;
}

// truth name=lowerBound: sorted=reads keys=reads found=writes n=value m=value
extern "C" __global__ void lowerBound(
    const int* sorted, const int* keys, int* found, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const int* first = sorted;
  int count = n;
  while (count > 0) {
    int half = count / 2;
    const int* middle = first + half;
    if (*middle < keys[i]) {
      first = middle + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  found[i] = (int)(first - sorted);
}

// truth name=reverseInPlace: text=readwrites lengths=reads pitch=value
extern "C" __global__ void reverseInPlace(char* text, const int* lengths, long long pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  char* first = text + i * pitch;
  char* last = first + lengths[i] - 1;
  while (first < last) {
    char c = *first;
    *first++ = *last;
    *last-- = c;
  }
}

// truth name=sumColumns: matrix=reads pitch=value sums=writes rows=value
extern "C" __global__ void sumColumns(
    const double* matrix, long long pitch, double* sums, int rows) {
  const double* p = matrix + threadIdx.x;
  double sum = 0;
  for (int row = 0; row < rows; row++) {
    sum += *p;
    p = (const double*)((const char*)p + pitch);
  }
  sums[threadIdx.x] = sum;
}

// truth name=multiplyNaive: a=reads b=reads c=readwrites n=value alpha=value beta=value
extern "C" __global__ void multiplyNaive(
    const float* a, const float* b, float* c, int n, float alpha, float beta) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = alpha * sum + beta * c[y * n + x];
}

// truth name=mergeSorted: a=reads b=reads out=writes na=value nb=value
extern "C" __global__ void mergeSorted(const int* a, const int* b, int* out, int na, int nb) {
  const int* aEnd = a + na;
  const int* bEnd = b + nb;
  while (a != aEnd && b != bEnd) *out++ = *b < *a ? *b++ : *a++;
  while (a != aEnd) *out++ = *a++;
  while (b != bEnd) *out++ = *b++;
}

// Each element from the two before it; the first two are given.
// truth name=recurrence: rows=readwrites width=value
extern "C" __global__ void recurrence(unsigned* rows, int width) {
  unsigned* row = rows + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * width;
  for (int k = 2; k < width; k++) row[k] = row[k - 1] * 3u + row[k - 2];
}

// The data says where to go next.
// truth name=walk: board=reads visited=writes start=value steps=value
extern "C" __global__ void walk(const signed char* board, int* visited, int start, int steps) {
  const signed char* at = board + start;
  int* mark = visited + start;
  for (int k = 0; k < steps; k++) {
    int move = *at;
    *mark = k;
    at += move;
    mark += move;
  }
}

// Rotates three buffers: two are read, the third is written, and then they change places.
// truth name=leapfrog: old=readwrites now=readwrites next=readwrites c=value steps=value n=value
extern "C" __global__ void leapfrog(
    float* old, float* now, float* next, float c, int steps, int n) {
  int i = threadIdx.x;
  for (int step = 0; step < steps; step++) {
    if (i > 0 && i < n - 1) {
      next[i] = 2 * now[i] - old[i] + c * (now[i - 1] - 2 * now[i] + now[i + 1]);
    }
    __syncthreads();
    float* t = old;
    old = now;
    now = next;
    next = t;
  }
}
