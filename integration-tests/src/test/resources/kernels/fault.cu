// nvcc -ptx -arch=compute_75 -O3 fault.cu -o fault.ptx
// sed -i 's/^\.version .*/.version 6.3/' fault.ptx

#include <cassert>

// Each kernel ends the device in a way of its own.

extern "C" __global__ void storeNowhere() { *reinterpret_cast<volatile int*>(16) = 1; }

extern "C" __global__ void trap() { asm volatile("trap;"); }

extern "C" __global__ void assertion(int n) { assert(n < 0); }

extern "C" __global__ void misaligned(int* values) {
  int* between = reinterpret_cast<int*>(reinterpret_cast<char*>(values) + 1);
  *between = 1;
}
