// The kernel of the example with cuBLAS. These commands, run in this folder, generate the PTX next
// to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o matrix.ptx matrix.cu
//   sed -i 's/^\.version .*/.version 6.3/' matrix.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// product = left * right, of square matrices with `size` rows, one after the other; one thread for
// each of the n elements of the product
extern "C" __global__ void multiply(const float *left, const float *right, float *product, int size,
                                    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int row = i / size * size;
    int column = i % size;
    float sum = 0;
    for (int k = 0; k < size; k++) {
      sum += left[row + k] * right[k * size + column];
    }
    product[i] = sum;
  }
}
