// Joins, bitmaps, strings and graphs, as a data base has them.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 tables.cu -o tables.ptx && sed -i -e 's|"[^"]*/|"|' tables.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 tables.cu -o tables-debug.ptx && sed -i -e 's|"[^"]*/|"|' tables-debug.ptx

typedef unsigned char u8;
typedef unsigned long long u64;

__device__ __forceinline__ unsigned hash(unsigned key) {
  key ^= key >> 16;
  key *= 0x85EBCA6Bu;
  return key ^ key >> 13;
}

// truth name=joinBuild: keys=reads slots=readwrites payloads=writes mask=value n=value
extern "C" __global__ void joinBuild(
    const int* keys, int* slots, int* payloads, unsigned mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = hash(keys[i]) & mask;
  while (atomicCAS(&slots[at], -1, keys[i]) != -1) at = (at + 1) & mask;
  payloads[at] = i;
}

// truth name=joinProbe: keys=reads slots=reads payloads=reads pairs=writes count=readwrites mask=value n=value
extern "C" __global__ void joinProbe(
    const int* __restrict__ keys, const int* __restrict__ slots, const int* __restrict__ payloads,
    int2* __restrict__ pairs, int* __restrict__ count, unsigned mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int key = keys[i];
  for (unsigned at = hash(key) & mask; slots[at] != -1; at = (at + 1) & mask) {
    if (slots[at] == key) pairs[atomicAdd(count, 1)] = make_int2(i, payloads[at]);
  }
}

// truth name=bitmapAnd: left=reads right=reads out=writes count=readwrites words=value
extern "C" __global__ void bitmapAnd(
    const u64* left, const u64* right, u64* out, u64* count, int words) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  u64 both = left[i] & right[i];
  out[i] = both;
  atomicAdd(count, (u64)__popcll(both));
}

// truth name=bitmapOfNulls: offsets=reads valid=writes n=value
extern "C" __global__ void bitmapOfNulls(const int* offsets, unsigned* valid, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool has = i < n && offsets[i + 1] > offsets[i];
  unsigned bits = __ballot_sync(~0u, has);
  if ((threadIdx.x & 31) == 0) valid[i / 32] = bits;
}

// truth name=decodeDictionary: codes=reads starts=reads words=reads ends=reads out=writes n=value
extern "C" __global__ void decodeDictionary(
    const u8* codes, const int* starts, const char* words, const int* ends, char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* from = words + starts[codes[i]];
  const char* end = words + starts[codes[i] + 1];
  char* to = out + ends[i];
  while (end > from) *--to = *--end;
}

// truth name=findWord: text=reads word=reads at=readwrites length=value n=value
extern "C" __global__ void findWord(
    const char* text, const char* word, int* at, int length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + length > n) return;
  for (int k = 0; k < length; k++) {
    if (text[i + k] != word[k]) return;
  }
  atomicMin(at, i);
}

// truth name=parseNumbers: text=reads starts=reads out=writes bad=writes n=value
extern "C" __global__ void parseNumbers(
    const char* text, const int* starts, long long* out, u8* bad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char* p = text + starts[i];
  bool negative = *p == '-';
  if (negative) p++;
  long long value = 0;
  for (; *p >= '0' && *p <= '9'; p++) value = value * 10 + (*p - '0');
  out[i] = negative ? -value : value;
  if (*p != ',' && *p != '\n') bad[i] = 1;
}

// Two rows of the table take turns.
// truth name=editDistance: a=reads b=reads rows=readwrites out=writes n=value m=value
extern "C" __global__ void editDistance(
    const char* a, const char* b, int* rows, int* out, int n, int m) {
  int* above = rows + (size_t)threadIdx.x * 2 * (m + 1);
  int* here = above + m + 1;
  for (int k = 0; k <= m; k++) above[k] = k;
  for (int i = 0; i < n; i++) {
    here[0] = i + 1;
    for (int k = 0; k < m; k++) {
      int change = above[k] + (a[i] != b[threadIdx.x * m + k]);
      here[k + 1] = min(change, 1 + min(here[k], above[k + 1]));
    }
    int* t = above;
    above = here;
    here = t;
  }
  out[threadIdx.x] = above[m];
}

// truth name=breadthFirst: starts=reads edges=reads level=readwrites frontier=reads next=writes size=readwrites now=value n=value
extern "C" __global__ void breadthFirst(
    const int* starts, const int* edges, int* level, const int* frontier, int* next, int* size,
    int now, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int from = frontier[i];
  for (int k = starts[from]; k < starts[from + 1]; k++) {
    int to = edges[k];
    if (level[to] < 0 && atomicCAS(&level[to], -1, now) == -1) next[atomicAdd(size, 1)] = to;
  }
}

// truth name=pageRank: starts=reads edges=reads degrees=reads old=reads rank=writes damping=value n=value
extern "C" __global__ void pageRank(
    const int* starts, const int* edges, const int* degrees, const float* old, float* rank,
    float damping, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = starts[i]; k < starts[i + 1]; k++) sum += old[edges[k]] / degrees[edges[k]];
  rank[i] = (1 - damping) / n + damping * sum;
}

// truth name=unite: parents=readwrites edges=reads n=value
extern "C" __global__ void unite(int* parents, const int2* edges, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = edges[i].x;
  int b = edges[i].y;
  while (true) {
    while (parents[a] != a) a = parents[a];
    while (parents[b] != b) b = parents[b];
    if (a == b) return;
    int low = min(a, b);
    int high = max(a, b);
    if (atomicCAS(&parents[high], high, low) == high) return;
  }
}
