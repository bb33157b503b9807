// Rows with equal keys, by hash tables: group by, distinct and joins. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o groups.ptx groups.cu
//   sed -i 's/^\.version .*/.version 6.3/' groups.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// A hash table is an array `owners` of a power of two slots, at least twice as many as there are
// rows, all 0 at first. The first row to claim a slot puts its number there, counted from 1. Its
// key is the slot's, and it stands for all rows with that key.

// What null has instead of a number in a hash: the golden ratio's bits.
#define OF_NULL 0x9e3779b97f4a7c15ull

// The key of a row: a 64-bit number per column, and a byte per column that is 0 for null.
struct Keys {
  const long long *const *numbers;
  const unsigned char *const *known;
  int columns;

  __device__ bool isKnown(int column, int row) const {
    return known[column] == 0 || known[column][row] != 0;
  }

  // The finisher of MurmurHash3 (fmix64, Austin Appleby, public domain) over each column.
  __device__ unsigned int hashOf(int row) const {
    unsigned long long hash = 0;
    for (int c = 0; c < columns; c++) {
      hash = hash * 31 + (isKnown(c, row) ? (unsigned long long)numbers[c][row] : OF_NULL);
      hash ^= hash >> 33;
      hash *= 0xff51afd7ed558ccdull;
      hash ^= hash >> 33;
      hash *= 0xc4ceb9fe1a85ec53ull;
      hash ^= hash >> 33;
    }
    return (unsigned int)hash;
  }

  __device__ bool hasNull(int row) const {
    for (int c = 0; c < columns; c++) {
      if (!isKnown(c, row)) {
        return true;
      }
    }
    return false;
  }
};

// Whether two rows have equal keys; null equals null.
static __device__ bool areEqual(const Keys &a, int rowOfA, const Keys &b, int rowOfB) {
  for (int c = 0; c < a.columns; c++) {
    bool knows = a.isKnown(c, rowOfA);
    if (knows != b.isKnown(c, rowOfB) || (knows && a.numbers[c][rowOfA] != b.numbers[c][rowOfB])) {
      return false;
    }
  }
  return true;
}

// Texts as keys.
struct Texts {
  const int *offsets;
  const unsigned char *bytes;

  // FNV-1a (Fowler, Noll, Vo, public domain), 64 bits.
  __device__ unsigned int hashOf(int row) const {
    unsigned long long hash = 0xcbf29ce484222325ull;
    for (int b = offsets[row]; b < offsets[row + 1]; b++) {
      hash = (hash ^ bytes[b]) * 0x100000001b3ull;
    }
    return (unsigned int)(hash ^ hash >> 32);
  }
};

static __device__ bool areEqual(const Texts &a, int rowOfA, const Texts &b, int rowOfB) {
  int from = a.offsets[rowOfA];
  int other = b.offsets[rowOfB];
  int length = a.offsets[rowOfA + 1] - from;
  if (b.offsets[rowOfB + 1] - other != length) {
    return false;
  }
  for (int k = 0; k < length; k++) {
    if (a.bytes[from + k] != b.bytes[other + k]) {
      return false;
    }
  }
  return true;
}

// Puts a row into a slot if that is free, and returns what was there before. It looks first, since
// of many rows with one key most come too late.
static __device__ int claim(int *slot, int row) {
  int owner = *(volatile int *)slot;
  return owner == 0 ? atomicCAS(slot, 0, row) : owner;
}

// Returns the row that stands for the key of row i, which is i if it comes first.
template <typename Rows>
static __device__ int claimed(const Rows &rows, int *owners, int mask, int i) {
  unsigned int slot = rows.hashOf(i) & mask;
  for (;;) {
    int owner = claim(&owners[slot], i + 1);
    if (owner == 0) {
      return i;
    }
    if (areEqual(rows, owner - 1, rows, i)) {
      return owner - 1;
    }
    slot = (slot + 1) & mask;
  }
}

// Returns the row of the build side that stands for the key of row i of the probe side, or -1.
template <typename Rows>
static __device__ int found(const Rows &probe, const Rows &build, const int *owners, int mask,
                            int i) {
  unsigned int slot = probe.hashOf(i) & mask;
  for (int owner = owners[slot]; owner != 0; owner = owners[slot]) {
    if (areEqual(build, owner - 1, probe, i)) {
      return owner - 1;
    }
    slot = (slot + 1) & mask;
  }
  return -1;
}

// Writes for each row the row that stands for its key. With `skipsNulls`, a row with a null in its
// key belongs to no group, and gets -1.
extern "C" __global__ void claim_groups(Keys keys, int *owners, int mask, int skipsNulls,
                                        int *representatives, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    representatives[i] = skipsNulls && keys.hasNull(i) ? -1 : claimed(keys, owners, mask, i);
  }
}

// Writes for each row of the probe side the row of the build side that stands for its key, and -1
// if there is none.
extern "C" __global__ void find_groups(Keys probe, Keys build, const int *owners, int mask,
                                       int *representatives, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    representatives[i] = probe.hasNull(i) ? -1 : found(probe, build, owners, mask, i);
  }
}

// The same of texts, for which the row that stands for them is a number. A null gets -1.
extern "C" __global__ void claim_texts(Texts texts, const unsigned char *known, int *owners,
                                       int mask, long long *representatives, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    representatives[i] = known != 0 && known[i] == 0 ? -1 : claimed(texts, owners, mask, i);
  }
}

extern "C" __global__ void find_texts(Texts probe, const unsigned char *known, Texts build,
                                      const int *owners, int mask, long long *representatives,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    representatives[i] =
        known != 0 && known[i] == 0 ? -1 : found(probe, build, owners, mask, i);
  }
}

// Writes 1 for each row that stands for a group.
extern "C" __global__ void mark_representatives(const int *representatives, int *marks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    marks[i] = representatives[i] == i;
  }
}

// Numbers the groups: `places` are the prefix sums of those marks. A row without a group gets -1.
extern "C" __global__ void number_groups(const int *representatives, const int *places,
                                         int *groups, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    groups[i] = representatives[i] < 0 ? -1 : places[representatives[i]];
  }
}

// The groups of rows that those of the build side stand for; -1 stays -1.
extern "C" __global__ void look_up_groups(const int *representatives, const int *groupsOfBuild,
                                          int *groups, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    groups[i] = representatives[i] < 0 ? -1 : groupsOfBuild[representatives[i]];
  }
}

// Writes 1 for each row that has a partner, or for each that has none.
extern "C" __global__ void mark_found(const int *representatives, int withPartner, int *marks,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    marks[i] = (representatives[i] >= 0) == (withPartner != 0);
  }
}

extern "C" __global__ void count_rows(const int *groups, int *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && groups[i] >= 0) {
    atomicAdd(&counts[groups[i]], 1);
  }
}

// Puts the rows of each group side by side, from starts[group] on, in any order. `used` is all 0.
extern "C" __global__ void collect_rows(const int *groups, const int *starts, int *used, int *rows,
                                        int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && groups[i] >= 0) {
    rows[starts[groups[i]] + atomicAdd(&used[groups[i]], 1)] = i;
  }
}

// Counts the pairs of each row of the probe side, and adds them up in `total`, which may be more
// than 32 bits hold. An outer join has one pair for a row without a partner.
extern "C" __global__ void count_pairs(const int *groups, const int *starts, int isOuter,
                                       int *counts, unsigned long long *total, int n) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) {
    sum = 0;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int count = groups[i] < 0 ? isOuter : starts[groups[i] + 1] - starts[groups[i]];
    counts[i] = count;
    atomicAdd(&sum, (unsigned long long)count);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(total, sum);
  }
}

// Writes the pairs, one by a thread, whatever number of them a row has: `places` are the prefix
// sums of the counts, and the row of the probe side is the last one whose place is not beyond the
// pair. A row of an outer join without a partner gets -1.
extern "C" __global__ void write_pairs(const int *groups, const int *places, int rows,
                                       const int *starts, const int *rowsByGroup, int *probeRows,
                                       int *buildRows, int pairs) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= pairs) {
    return;
  }
  int low = 0;
  int high = rows;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (places[middle] <= pair) {
      low = middle;
    } else {
      high = middle;
    }
  }
  int group = groups[low];
  probeRows[pair] = low;
  buildRows[pair] = group < 0 ? -1 : rowsByGroup[starts[group] + pair - places[low]];
}
