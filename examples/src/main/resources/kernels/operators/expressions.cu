// The steps of expressions over columns: each kernel computes one number per row. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o expressions.ptx expressions.cu
//   sed -i 's/^\.version .*/.version 6.3/' expressions.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// A vector is a 64-bit number per row: an integer, a decimal without its point, days since 1970, 0
// or 1 for a condition, or the bits of a double. Beside it lies a byte per row, which is 0 for null;
// a null pointer says that no row is null.

struct Vector {
  const long long *numbers;
  const unsigned char *known;

  __device__ bool isKnown(int i) const { return known == 0 || known[i] != 0; }
};

// The operations, by the numbers that Operation.java gives them.
enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, LESS, AT_MOST, MORE, AT_LEAST, EQUAL, AND, OR };

static __device__ long long bitsOf(double value) { return __double_as_longlong(value); }

static __device__ double doubleOf(long long bits) { return __longlong_as_double(bits); }

// Integers wrap around at 2^63.
static __device__ long long ofIntegers(int operation, long long a, long long b) {
  switch (operation) {
    case ADD:
      return (long long)((unsigned long long)a + (unsigned long long)b);
    case SUBTRACT:
      return (long long)((unsigned long long)a - (unsigned long long)b);
    case MULTIPLY:
      return (long long)((unsigned long long)a * (unsigned long long)b);
    case LESS:
      return a < b;
    case AT_MOST:
      return a <= b;
    case MORE:
      return a > b;
    case AT_LEAST:
      return a >= b;
    case EQUAL:
      return a == b;
    case AND:
      return a != 0 && b != 0;
    default:
      return a != 0 || b != 0;
  }
}

static __device__ long long ofDoubles(int operation, double a, double b) {
  switch (operation) {
    case ADD:
      return bitsOf(a + b);
    case SUBTRACT:
      return bitsOf(a - b);
    case MULTIPLY:
      return bitsOf(a * b);
    case DIVIDE:
      return bitsOf(a / b);
    case LESS:
      return a < b;
    case AT_MOST:
      return a <= b;
    case MORE:
      return a > b;
    case AT_LEAST:
      return a >= b;
    default:
      return a == b;
  }
}

// Applies an operation to two vectors, or to one and a constant where the other has no numbers. The
// result is null where an operand is, except that "false and null" is false and "true or null" true.
extern "C" __global__ void combine(int operation, int ofFloating, Vector a, Vector b,
                                   long long constant, long long *numbers, unsigned char *known,
                                   int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  long long x = a.numbers == 0 ? constant : a.numbers[i];
  long long y = b.numbers == 0 ? constant : b.numbers[i];
  numbers[i] =
      ofFloating ? ofDoubles(operation, doubleOf(x), doubleOf(y)) : ofIntegers(operation, x, y);
  if (known != 0) {
    bool knowsX = a.isKnown(i);
    bool knowsY = b.isKnown(i);
    bool decides = (operation == AND && ((knowsX && x == 0) || (knowsY && y == 0))) ||
                   (operation == OR && ((knowsX && x != 0) || (knowsY && y != 0)));
    known[i] = (knowsX && knowsY) || decides;
    if (decides) {
      numbers[i] = operation == OR;
    }
  }
}

// The functions of one operand, by the numbers that Evaluation.java gives them.
enum { NOT, YEAR, TO_DOUBLE, TOGGLE, UNIFY };

// The year of a day since 1970-01-01 in the Gregorian calendar, whose cycles have 146,097 days; a
// year counts from March here, so that a leap day ends it.
static __device__ long long yearOf(long long day) {
  long long shifted = day + 719468;
  long long cycle = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  long long dayOfCycle = shifted - cycle * 146097;
  long long yearOfCycle =
      (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36524 - dayOfCycle / 146096) / 365;
  long long dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100);
  return yearOfCycle + cycle * 400 + (dayOfYear >= 306);
}

// Doubles that are equal as keys get the same bits: all NaN, which differ in their sign and payload,
// and -0 and 0.
static __device__ long long unified(double value) {
  return value != value ? 0x7ff8000000000000ll : bitsOf(value + 0.0);
}

// Maps the bits of doubles to integers in the same order, and back: a negative number's lower bits
// are inverted. All NaN become the same one, which comes last.
static __device__ long long toggled(long long bits) {
  double value = doubleOf(bits);
  return value != value ? unified(value) : (bits < 0 ? bits ^ 0x7fffffffffffffffll : bits);
}

// Applies a function to a vector; nulls stay null. `factor` scales a number that becomes a double.
extern "C" __global__ void map(int function, const long long *a, double factor, long long *numbers,
                               int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  long long x = a[i];
  switch (function) {
    case NOT:
      numbers[i] = x == 0;
      break;
    case YEAR:
      numbers[i] = yearOf(x);
      break;
    case TO_DOUBLE:
      numbers[i] = bitsOf((double)x / factor);
      break;
    case UNIFY:
      numbers[i] = unified(doubleOf(x));
      break;
    default:
      numbers[i] = toggled(x);
  }
}

// Writes 1 for null and 0 for the rest.
extern "C" __global__ void is_null(const unsigned char *known, long long *numbers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    numbers[i] = known != 0 && known[i] == 0;
  }
}

// Takes a number from `then` where the condition is true, and from `otherwise` elsewhere; a constant
// from one that has no numbers.
extern "C" __global__ void choose(Vector condition, Vector then, long long constantThen,
                                  Vector otherwise, long long constantOtherwise,
                                  long long *numbers, unsigned char *known, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  if (condition.isKnown(i) && condition.numbers[i] != 0) {
    numbers[i] = then.numbers == 0 ? constantThen : then.numbers[i];
    known[i] = then.isKnown(i);
  } else {
    numbers[i] = otherwise.numbers == 0 ? constantOtherwise : otherwise.numbers[i];
    known[i] = otherwise.isKnown(i);
  }
}

// The columns of a table as vectors.

extern "C" __global__ void unpack_validity(const unsigned char *validity, int offset,
                                           unsigned char *known, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long bit = (long long)i + offset;
    known[i] = validity[bit / 8] >> (bit % 8) & 1;
  }
}

extern "C" __global__ void widen_bits(const unsigned char *bits, int offset, long long *numbers,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long bit = (long long)i + offset;
    numbers[i] = bits[bit / 8] >> (bit % 8) & 1;
  }
}

extern "C" __global__ void widen_flags(const unsigned char *flags, long long *numbers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    numbers[i] = flags[i] != 0;
  }
}

extern "C" __global__ void widen_bytes(const signed char *values, long long mask,
                                       long long *numbers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    numbers[i] = values[i] & mask;
  }
}

extern "C" __global__ void widen_shorts(const short *values, long long *numbers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    numbers[i] = values[i];
  }
}

extern "C" __global__ void widen_chars(const unsigned short *values, long long *numbers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    numbers[i] = values[i];
  }
}

extern "C" __global__ void widen_ints(const int *values, long long mask, long long *numbers,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    numbers[i] = values[i] & mask;
  }
}

extern "C" __global__ void widen_floats(const float *values, long long *numbers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    numbers[i] = bitsOf(values[i]);
  }
}

// And vectors as columns.

extern "C" __global__ void pack_validity(const unsigned char *known, unsigned char *validity,
                                         int n, int bytes) {
  int byte = blockIdx.x * blockDim.x + threadIdx.x;
  if (byte < bytes) {
    int bits = 0;
    for (int bit = 0; bit < 8; bit++) {
      int i = byte * 8 + bit;
      if (i < n && known[i] != 0) {
        bits |= 1 << bit;
      }
    }
    validity[byte] = bits;
  }
}

extern "C" __global__ void narrow_ints(const long long *numbers, int *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] = (int)numbers[i];
  }
}

extern "C" __global__ void narrow_flags(const long long *numbers, unsigned char *flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    flags[i] = numbers[i] != 0;
  }
}

// Text.

// Whether a text matches a pattern, in which % stands for any characters and _ for one, as LIKE of
// SQL. Characters of UTF-8 go on in bytes 10xxxxxx. After a mismatch, the last % takes one byte
// more: an earlier one need not, since the last one can take all that it could.
static __device__ bool isLike(const unsigned char *text, int length, const unsigned char *pattern,
                              int patternLength) {
  int t = 0;
  int p = 0;
  int percent = -1;
  int resume = 0;
  while (t < length) {
    if (p < patternLength && pattern[p] == '%') {
      percent = p++;
      resume = t;
    } else if (p < patternLength && pattern[p] == '_') {
      p++;
      t++;
      while (t < length && (text[t] & 0xc0) == 0x80) {
        t++;
      }
    } else if (p < patternLength && pattern[p] == text[t]) {
      p++;
      t++;
    } else if (percent >= 0) {
      p = percent + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < patternLength && pattern[p] == '%') {
    p++;
  }
  return p == patternLength;
}

extern "C" __global__ void text_like(const int *offsets, const unsigned char *text,
                                     const unsigned char *pattern, int patternLength,
                                     long long *numbers, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int start = offsets[i];
    numbers[i] = isLike(text + start, offsets[i + 1] - start, pattern, patternLength);
  }
}

extern "C" __global__ void text_equals(const int *offsets, const unsigned char *text,
                                       const unsigned char *other, int length, long long *numbers,
                                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  int start = offsets[i];
  bool equal = offsets[i + 1] - start == length;
  for (int b = 0; equal && b < length; b++) {
    equal = text[start + b] == other[b];
  }
  numbers[i] = equal;
}

// The numbers of the dictionary's rows that the codes refer to. The code of a null row may be
// anything: such a row gets the number 0.
extern "C" __global__ void look_up(Vector codes, Vector dictionary, int entries,
                                   long long *numbers, unsigned char *known, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  long long code = codes.isKnown(i) ? codes.numbers[i] : -1;
  bool inside = code >= 0 && code < entries;
  bool knows = inside && dictionary.isKnown((int)code);
  numbers[i] = knows ? dictionary.numbers[code] : 0;
  if (known != 0) {
    known[i] = knows;
  }
}
