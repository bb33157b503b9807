// The kernel of the example with Spark. These commands, run in this folder, generate the PTX next to
// this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o price_groups.ptx price_groups.cu
//   sed -i 's/^\.version .*/.version 6.3/' price_groups.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// A column of numbers: the values, and a bit for each row, which is 0 for null. A null pointer says
// that no row is null.
__device__ bool known(const unsigned char *validity, int row) {
  return validity == 0 || (validity[row / 8] >> (row % 8) & 1);
}

// The letter of a row of text: 1 for null, 0 if the text is not one byte.
__device__ int letter(const int *offsets, const unsigned char *text, const unsigned char *validity,
                      int row) {
  if (!known(validity, row)) {
    return 1;
  }
  int from = offsets[row];
  return offsets[row + 1] == from + 1 ? text[from] : 0;
}

__device__ void add(unsigned long long *cell, long long value, bool isKnown) {
  if (isKnown) {
    atomicAdd(cell, (unsigned long long)value);
    atomicAdd(cell + 1, 1ULL);
  }
}

// Groups the rows that were shipped until `until` by two letters, and adds to the 11 numbers of each
// group: sum and count of quantity, price, discounted price, charge and discount, and the count of
// rows. keys[group] is the letters, 0 for a group that is not used. keys[groups] becomes 1 if there
// are more groups, or a text is not one letter.
extern "C" __global__ void price_groups(const int *shipped, const unsigned char *shippedKnown,
                                        int until, const int *flagOffsets,
                                        const unsigned char *flag, const unsigned char *flagKnown,
                                        const int *statusOffsets, const unsigned char *status,
                                        const unsigned char *statusKnown, const long long *quantity,
                                        const unsigned char *quantityKnown, const long long *price,
                                        const unsigned char *priceKnown, const long long *discount,
                                        const unsigned char *discountKnown, const long long *tax,
                                        const unsigned char *taxKnown, int *keys,
                                        unsigned long long *cells, int groups, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || !known(shippedKnown, row) || shipped[row] > until) {
    return;
  }
  int first = letter(flagOffsets, flag, flagKnown, row);
  int second = letter(statusOffsets, status, statusKnown, row);
  if (first == 0 || second == 0) {
    atomicExch(&keys[groups], 1);
    return;
  }
  int key = first << 8 | second;
  int group = 0;
  while (group < groups) {
    int owner = atomicCAS(&keys[group], 0, key);
    if (owner == 0 || owner == key) {
      break;
    }
    group++;
  }
  if (group == groups) {
    atomicExch(&keys[groups], 1);
    return;
  }
  unsigned long long *cell = cells + group * 11;
  bool hasQuantity = known(quantityKnown, row);
  bool hasPrice = known(priceKnown, row);
  bool hasDiscount = known(discountKnown, row);
  bool hasTax = known(taxKnown, row);
  long long discounted = price[row] * (100 - discount[row]);
  add(cell, quantity[row], hasQuantity);
  add(cell + 2, price[row], hasPrice);
  add(cell + 4, discounted, hasPrice && hasDiscount);
  add(cell + 6, discounted * (100 + tax[row]), hasPrice && hasDiscount && hasTax);
  add(cell + 8, discount[row], hasDiscount);
  atomicAdd(cell + 10, 1ULL);
}
