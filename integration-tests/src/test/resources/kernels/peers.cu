// nvcc -ptx -arch=compute_75 -O3 peers.cu -o peers.ptx
// sed -i 's/^\.version .*/.version 6.3/' peers.ptx

// Multiplies by a number, after so many clock cycles.
extern "C" __global__ void scaleLate(const float* source, float* target, float factor, long long cycles, int n) {
  long long start = clock64();
  while (clock64() - start < cycles) {
  }
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    target[i] = factor * source[i];
  }
}
