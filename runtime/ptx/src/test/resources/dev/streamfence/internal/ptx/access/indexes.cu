// Indexes that are loaded, and indexes that a loop carries from one iteration to the next.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 indexes.cu -o indexes.ptx && sed -i -e 's|"[^"]*/|"|' indexes.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 indexes.cu -o indexes-debug.ptx && sed -i -e 's|"[^"]*/|"|' indexes-debug.ptx

static __device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// truth name=gatherAt: at=reads from=reads to=writes n=value
extern "C" __global__ void gatherAt(const int* at, const float* from, float* to, int n) {
  int i = thread();
  if (i < n) to[i] = from[at[i]];
}

// truth name=gatherNext: at=reads from=reads to=writes n=value
extern "C" __global__ void gatherNext(const unsigned* at, const float* from, float* to, int n) {
  int i = thread();
  if (i < n) to[i] = from[at[i] + 1];
}

// truth name=lookup: keys=reads table=reads to=writes n=value
extern "C" __global__ void lookup(const unsigned char* keys, const float* table, float* to, int n) {
  int i = thread();
  if (i < n) to[i] = table[keys[i]];
}

// truth name=gatherFour: at=reads from=reads to=writes n=value
extern "C" __global__ void gatherFour(const int4* at, const float* from, float* to, int n) {
  int i = thread();
  if (i < n) {
    int4 all = at[i];
    to[i] = from[all.x] + from[all.y] + from[all.z] + from[all.w];
  }
}

// truth name=embedding: tokens=reads table=reads to=writes width=value rows=value
extern "C" __global__ void embedding(const int* tokens, const float* table, float* to, int width, int rows) {
  int row = blockIdx.x;
  for (int c = threadIdx.x; c < width; c += blockDim.x) to[row * width + c] = table[tokens[row] * width + c];
}

// truth name=countedBefore: count=reads x=readwrites
extern "C" __global__ void countedBefore(const int* count, float* x) {
  for (int i = thread(); i < *count; i += gridDim.x * blockDim.x) x[i] += 1;
}

// truth name=sparseRows: begins=reads values=reads to=writes n=value
extern "C" __global__ void sparseRows(const int* begins, const float* values, float* to, int n) {
  int row = thread();
  if (row >= n) return;
  float sum = 0;
  for (int k = begins[row]; k < begins[row + 1]; k++) sum += values[k];
  to[row] = sum;
}

// truth name=unsignedRows: begins=reads values=reads to=writes n=value
extern "C" __global__ void unsignedRows(const unsigned* begins, const float* values, float* to, unsigned n) {
  unsigned row = thread();
  if (row >= n) return;
  float sum = 0;
  for (unsigned k = begins[row]; k < begins[row + 1]; k++) sum += values[k];
  to[row] = sum;
}

// truth name=longRows: begins=reads values=reads to=writes n=value
extern "C" __global__ void longRows(const long long* begins, const float* values, float* to, int n) {
  int row = thread();
  if (row >= n) return;
  float sum = 0;
  for (long long k = begins[row]; k < begins[row + 1]; k++) sum += values[k];
  to[row] = sum;
}

// truth name=neighbours: begins=reads next=reads level=readwrites changed=writes n=value
extern "C" __global__ void neighbours(const int* begins, const int* next, int* level, int* changed, int n) {
  int at = thread();
  if (at >= n || level[at] != 1) return;
  for (int edge = begins[at]; edge < begins[at + 1]; ++edge) {
    int other = next[edge];
    if (level[other] < 0) {
      level[other] = 2;
      *changed = 1;
    }
  }
}

// truth name=follow: next=reads x=reads to=writes n=value
extern "C" __global__ void follow(const int* next, const float* x, float* to, int n) {
  int i = thread();
  if (i >= n) return;
  float sum = 0;
  int at = i;
  for (int k = 0; k < 10; k++) {
    sum += x[at];
    at = next[at];
  }
  to[i] = sum;
}

// truth name=lowerEnd: sorted=reads keys=reads to=writes n=value m=value
extern "C" __global__ void lowerEnd(const int* sorted, const int* keys, int* to, int n, int m) {
  int i = thread();
  if (i >= m) return;
  int low = 0, high = n, key = keys[i];
  while (low < high) {
    int middle = (low + high) / 2;
    if (sorted[middle] < key) low = middle + 1; else high = middle;
  }
  to[i] = low;
}

// truth name=find: sorted=reads keys=reads to=writes n=value m=value
extern "C" __global__ void find(const int* sorted, const int* keys, int* to, int n, int m) {
  int i = thread();
  if (i >= m) return;
  int low = 0, high = n - 1, key = keys[i], found = -1;
  while (low <= high) {
    int middle = low + ((high - low) >> 1);
    if (sorted[middle] == key) {
      found = middle;
      break;
    }
    if (sorted[middle] < key) low = middle + 1; else high = middle - 1;
  }
  to[i] = found;
}

// truth name=upperBound: sorted=reads keys=reads to=writes n=value m=value
extern "C" __global__ void upperBound(const long long* sorted, const long long* keys, long long* to, int n, int m) {
  int i = thread();
  if (i >= m) return;
  long long low = 0, high = n;
  while (low < high) {
    long long middle = low + (high - low) / 2;
    if (sorted[middle] <= keys[i]) low = middle + 1; else high = middle;
  }
  to[i] = low;
}

// truth name=findInRow: begins=reads columns=reads to=writes key=value n=value
extern "C" __global__ void findInRow(const int* begins, const int* columns, int* to, int key, int n) {
  int row = thread();
  if (row >= n) return;
  int low = begins[row], high = begins[row + 1] - 1, found = -1;
  while (low <= high) {
    int middle = (low + high) / 2;
    int column = columns[middle];
    if (column == key) {
      found = middle;
      break;
    }
    if (column < key) low = middle + 1; else high = middle - 1;
  }
  to[row] = found;
}

// truth name=halved: x=readwrites n=value
extern "C" __global__ void halved(float* x, int n) {
  for (int d = n / 2; d > 0; d >>= 1) x[d] += 1;
}

// truth name=doubled: x=readwrites n=value
extern "C" __global__ void doubled(float* x, int n) {
  for (int d = 1; d < n; d *= 2) x[d] += 1;
}

// truth name=climb: x=readwrites n=value
extern "C" __global__ void climb(float* x, int n) {
  int i = threadIdx.x;
  while (i < n) {
    x[i] += 1;
    i = 2 * i + 1;
  }
}

// truth name=tripled: x=readwrites n=value
extern "C" __global__ void tripled(float* x, int n) {
  for (int d = 1, k = 0; k < n; k++, d = 3 * d + 1) x[d] += 1;
}

// truth name=merge: a=reads b=reads to=writes n=value m=value
extern "C" __global__ void merge(const int* a, const int* b, int* to, int n, int m) {
  int i = 0, j = 0;
  while (i < n && j < m) {
    int first = a[i], second = b[j];
    *to = first + second;
    if (first <= second) i++; else j++;
  }
}

// truth name=warpRows: begins=reads columns=reads x=reads to=writes n=value
extern "C" __global__ void warpRows(const int* begins, const int* columns, const float* x, float* to, int n) {
  int row = thread() / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float sum = 0;
  for (int k = begins[row] + lane; k < begins[row + 1]; k += 32) sum += x[columns[k]];
  if (lane == 0) to[row] = sum;
}
