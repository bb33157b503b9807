// A radix sort, a byte at a time, from the lowest byte on (Knuth, The Art of Computer Programming,
// volume 3, 5.2.5). These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o sort.ptx sort.cu
//   sed -i 's/^\.version .*/.version 6.3/' sort.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

#define BLOCK 256
#define WARP 32
#define WARPS (BLOCK / WARP)
#define DIGITS 256

// The keys of the rows, in the order of unsigned numbers: the sign bit of a signed number is
// flipped, and all bits for a descending order. The number of a null row may be anything; the keys
// of all of them are equal.
extern "C" __global__ void sort_keys(const long long *numbers, const unsigned char *known,
                                     const int *rows, long long flip, long long *keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int row = rows[i];
    keys[i] = known == 0 || known[row] != 0 ? numbers[row] ^ flip : 0;
  }
}

// The keys of nulls: 0 for those that come first, `flip` is 1 to put them last.
extern "C" __global__ void null_keys(const unsigned char *known, const int *rows, int flip,
                                     long long *keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    keys[i] = (known[rows[i]] != 0) ^ flip;
  }
}

// The keys of texts: seven bytes from `from` on, the first one highest, 0 beyond the end. The lowest
// byte says how many of them there are, and whether more follow, so that a text comes before one
// that has zeros behind it. `flip` has all bits for a descending order. The keys of null rows
// are equal.
extern "C" __global__ void text_keys(const int *offsets, const unsigned char *text,
                                     const unsigned char *known, const int *rows, int from,
                                     long long flip, long long *keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  if (known != 0 && known[rows[i]] == 0) {
    keys[i] = 0;
    return;
  }
  int start = offsets[rows[i]];
  int length = offsets[rows[i] + 1] - start;
  unsigned long long key = 0;
  for (int b = from; b < from + 7; b++) {
    key = key << 8 | (b < length ? text[start + b] : 0);
  }
  int left = length - from;
  keys[i] = (long long)(key << 8 | (left < 0 ? 0 : (left > 8 ? 8 : left))) ^ flip;
}

// Numbers texts in their order, equal ones alike. `rows` are the texts in order.
extern "C" __global__ void rank_texts(const int *offsets, const unsigned char *text,
                                      const int *rows, long long *ranks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  int start = offsets[rows[i]];
  int length = offsets[rows[i] + 1] - start;
  int rank = i;
  for (bool equal = true; rank > 0 && equal;) {
    int other = offsets[rows[rank - 1]];
    equal = offsets[rows[rank - 1] + 1] - other == length;
    for (int b = 0; equal && b < length; b++) {
      equal = text[other + b] == text[start + b];
    }
    rank -= equal;
  }
  ranks[rows[i]] = rank;
}

// The length of the longest text.
extern "C" __global__ void longest_text(const int *offsets, int *longest, int n) {
  __shared__ int most;
  if (threadIdx.x == 0) {
    most = 0;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicMax(&most, offsets[i + 1] - offsets[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicMax(longest, most);
  }
}

// Finds the bits that are not the same in all keys: set in bits[0], which has those of any key, and
// not in bits[1], which has those of all.
extern "C" __global__ void differing_bits(const long long *keys, unsigned long long *bits, int n) {
  __shared__ unsigned long long anyOfBlock;
  __shared__ unsigned long long allOfBlock;
  if (threadIdx.x == 0) {
    anyOfBlock = 0;
    allOfBlock = ~0ull;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicOr(&anyOfBlock, (unsigned long long)keys[i]);
    atomicAnd(&allOfBlock, (unsigned long long)keys[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicOr(&bits[0], anyOfBlock);
    atomicAnd(&bits[1], allOfBlock);
  }
}

// Counts the digits of each block: counts[digit * blocks + block].
extern "C" __global__ void count_digits(const long long *keys, int shift, int *counts, int blocks,
                                        int n) {
  __shared__ int countsOfBlock[DIGITS];
  countsOfBlock[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    atomicAdd(&countsOfBlock[(unsigned long long)keys[i] >> shift & (DIGITS - 1)], 1);
  }
  __syncthreads();
  counts[threadIdx.x * blocks + blockIdx.x] = countsOfBlock[threadIdx.x];
}

// Moves keys and rows to their places by one digit. `places` are the prefix sums of the counts. Of
// equal digits, those of lower threads come first, which keeps the order of the passes before.
extern "C" __global__ void move_by_digit(const long long *keys, const int *rows, int shift,
                                         const int *places, int blocks, long long *movedKeys,
                                         int *movedRows, int n) {
  __shared__ int digits[BLOCK];
  __shared__ int ofWarp[WARPS][DIGITS];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  int warp = threadIdx.x / WARP;
  long long key = i < n ? keys[i] : 0;
  int digit = i < n ? (int)((unsigned long long)key >> shift & (DIGITS - 1)) : -1;
  digits[threadIdx.x] = digit;
  for (int w = 0; w < WARPS; w++) {
    ofWarp[w][threadIdx.x] = 0;
  }
  __syncthreads();
  int before = 0;
  for (int t = warp * WARP; t < threadIdx.x; t++) {
    before += digits[t] == digit;
  }
  if (digit >= 0) {
    atomicAdd(&ofWarp[warp][digit], 1);
  }
  __syncthreads();
  int sum = 0;
  for (int w = 0; w < WARPS; w++) {
    int count = ofWarp[w][threadIdx.x];
    ofWarp[w][threadIdx.x] = sum;
    sum += count;
  }
  __syncthreads();
  if (i < n) {
    int place = places[digit * blocks + blockIdx.x] + ofWarp[warp][digit] + before;
    movedKeys[place] = key;
    movedRows[place] = rows[i];
  }
}

// Sorts few rows at once: the place of a row is the number of those before it.
extern "C" __global__ void move_by_rank(const long long *keys, const int *rows, int *movedRows,
                                        int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  unsigned long long key = (unsigned long long)keys[i];
  int place = 0;
  for (int other = 0; other < n; other++) {
    unsigned long long otherKey = (unsigned long long)keys[other];
    place += otherKey < key || (otherKey == key && other < i);
  }
  movedRows[place] = rows[i];
}

// Writes 1 for each row whose key is at most `most`, which has the order of unsigned numbers.
extern "C" __global__ void mark_at_most(const long long *keys, long long most, int *marks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    marks[i] = (unsigned long long)keys[i] <= (unsigned long long)most;
  }
}

// Counts the keys by their byte at `shift`, of those whose higher bytes are those of `prefix`.
extern "C" __global__ void count_candidates(const long long *keys, long long prefix, int shift,
                                            int *counts, int n) {
  __shared__ int countsOfBlock[DIGITS];
  countsOfBlock[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    unsigned long long key = (unsigned long long)keys[i];
    if (shift == 56 || key >> (shift + 8) == (unsigned long long)prefix) {
      atomicAdd(&countsOfBlock[key >> shift & (DIGITS - 1)], 1);
    }
  }
  __syncthreads();
  if (countsOfBlock[threadIdx.x] != 0) {
    atomicAdd(&counts[threadIdx.x], countsOfBlock[threadIdx.x]);
  }
}
