// Rows of tables: which of them stay, and copies of them. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o rows.ptx rows.cu
//   sed -i 's/^\.version .*/.version 6.3/' rows.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// Writes 1 for each row whose condition is true, and 0 for false and null.
extern "C" __global__ void mark_true(const long long *condition, const unsigned char *known,
                                     int *marks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    marks[i] = (known == 0 || known[i] != 0) && condition[i] != 0;
  }
}

// Writes the numbers of the marked rows, in order. `places` are the prefix sums of the marks.
extern "C" __global__ void marked_rows(const int *places, int *rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && places[i + 1] > places[i]) {
    rows[places[i]] = i;
  }
}

// rows[i] = i.
extern "C" __global__ void all_rows(int *rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    rows[i] = i;
  }
}

// The values of some rows. A negative row stands for none: its value is 0, and it is null.

extern "C" __global__ void gather_bytes(const unsigned char *values, const int *rows,
                                        unsigned char *gathered, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    gathered[i] = rows[i] < 0 ? 0 : values[rows[i]];
  }
}

extern "C" __global__ void gather_shorts(const short *values, const int *rows, short *gathered,
                                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    gathered[i] = rows[i] < 0 ? 0 : values[rows[i]];
  }
}

extern "C" __global__ void gather_ints(const int *values, const int *rows, int *gathered, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    gathered[i] = rows[i] < 0 ? 0 : values[rows[i]];
  }
}

extern "C" __global__ void gather_longs(const long long *values, const int *rows,
                                        long long *gathered, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    gathered[i] = rows[i] < 0 ? 0 : values[rows[i]];
  }
}

// The bits of some rows, eight of them by a thread. Without bits, each of them is 1.
extern "C" __global__ void gather_bits(const unsigned char *bits, int offset, const int *rows,
                                       unsigned char *gathered, int n, int bytes) {
  int byte = blockIdx.x * blockDim.x + threadIdx.x;
  if (byte < bytes) {
    int result = 0;
    for (int k = 0; k < 8; k++) {
      int i = byte * 8 + k;
      if (i < n && rows[i] >= 0) {
        long long bit = (long long)rows[i] + offset;
        result |= (bits == 0 || (bits[bit / 8] >> (bit % 8) & 1)) << k;
      }
    }
    gathered[byte] = result;
  }
}

// The lengths of the texts of some rows, and their sum, which may be more than 32 bits hold.
extern "C" __global__ void text_lengths(const int *offsets, const int *rows, int *lengths,
                                        unsigned long long *total, int n) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) {
    sum = 0;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int length = rows[i] < 0 ? 0 : offsets[rows[i] + 1] - offsets[rows[i]];
    lengths[i] = length;
    atomicAdd(&sum, (unsigned long long)length);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(total, sum);
  }
}

// Copies the texts of some rows to the places that the prefix sums of their lengths give them.
extern "C" __global__ void gather_text(const int *offsets, const unsigned char *text,
                                       const int *rows, const int *places, unsigned char *gathered,
                                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && rows[i] >= 0) {
    int from = offsets[rows[i]];
    int to = places[i];
    int length = places[i + 1] - to;
    for (int b = 0; b < length; b++) {
      gathered[to + b] = text[from + b];
    }
  }
}
