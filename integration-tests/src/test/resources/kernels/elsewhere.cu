// nvcc -cubin -arch=sm_75 elsewhere.cu -o elsewhere.cubin

// A binary for one architecture alone, to be refused by every other.
extern "C" __global__ void nothing() {}
