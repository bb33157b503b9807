// nvcc -ptx -arch=compute_75 -O3 gate.cu -o gate.ptx
// sed -i 's/^\.version .*/.version 6.3/' gate.ptx

// Holds its stream until the host opens the gate by writing the word, or until so many clock cycles are over.
extern "C" __global__ void gate(const volatile int* open, long long cycles) {
  long long start = clock64();
  while (*open == 0 && clock64() - start < cycles) {
  }
}

extern "C" __global__ void copyInts(const int* source, int* target, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    target[i] = source[i];
  }
}

// Writes past what it is given, for tests of what happens to the device.
extern "C" __global__ void stray(int* values, long long offset) {
  values[offset] = 1;
}

extern "C" __global__ void trap() {
  asm("trap;");
}
