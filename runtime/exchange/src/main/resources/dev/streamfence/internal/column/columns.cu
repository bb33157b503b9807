// The kernels of columns and tables. These commands, run in this folder, generate the PTX next to
// this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o columns.ptx columns.cu
//   sed -i 's/^\.version .*/.version 6.3/' columns.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// Packs flags of a byte each into bits, the first flag into the lowest bit. One thread makes one
// byte of bits, so that none is written twice; the bits behind the last flag are 0.
extern "C" __global__ void pack_flags(const unsigned char *flags, long long rows, unsigned char *bits, long long bytes) {
  long long byte = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (byte < bytes) {
    unsigned packed = 0;
    for (int bit = 0; bit < 8; bit++) {
      long long row = byte * 8 + bit;
      if (row < rows && flags[row] != 0) {
        packed |= 1u << bit;
      }
    }
    bits[byte] = packed;
  }
}

// Unpacks bits, of which the flag of row 0 is number `first`, into flags of a byte each.
extern "C" __global__ void unpack_flags(const unsigned char *bits, int first, unsigned char *flags, long long rows) {
  long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (row < rows) {
    long long bit = first + row;
    flags[row] = (bits[bit / 8] >> (bit % 8)) & 1;
  }
}

// Counts the logical rows of a slice: those of `rows` from row `from` on, at most `room`. A number beyond the capacity
// stays what it is: it is refused where it is read.
extern "C" __global__ void count_slice(const unsigned *rows, long long capacity, long long from, long long room, unsigned *count, int n) {
  if (blockIdx.x * blockDim.x + threadIdx.x < n) {
    long long all = *rows;
    long long behind = all - from;
    *count = all > capacity ? all : behind < 0 ? 0 : behind < room ? behind : room;
  }
}
