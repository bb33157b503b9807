// Pointers inside structs that are passed by value; a number after a field is its offset.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 structs.cu -o structs.ptx && sed -i -e 's|"[^"]*/|"|' structs.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 structs.cu -o structs-debug.ptx && sed -i -e 's|"[^"]*/|"|' structs-debug.ptx

struct View {
  const float* in;  // 0
  float* out;  // 8
  int n;  // 16
};

struct Csr {
  int rows;  // 0
  const int* starts;  // 8
  const int* columns;  // 16
  const double* values;  // 24
};

struct Columns {
  int count;  // 0
  float* of[4];  // 8, 16, 24, 32
};

struct Nested {
  char tag;  // 0
  View view;  // 8
  struct {
    int* counts;  // 32
    unsigned char* marks;  // 40
  } extra;
};

struct Number {
  long long high;
  unsigned low;
};

union Word {
  float* pointer;
  unsigned long long bits;
};

struct Holder {
  int kind;  // 0
  Word word;  // 8
};

// truth name=scaleView: view=struct view.in=reads view.out=writes k=value
extern "C" __global__ void scaleView(View view, float k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.n) view.out[i] = k * view.in[i];
}

// truth name=multiplySparse: matrix=struct matrix.starts=reads matrix.columns=reads matrix.values=reads x=reads y=writes
extern "C" __global__ void multiplySparse(Csr matrix, const double* x, double* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= matrix.rows) return;
  double sum = 0;
  for (int k = matrix.starts[row]; k < matrix.starts[row + 1]; k++) {
    sum += matrix.values[k] * x[matrix.columns[k]];
  }
  y[row] = sum;
}

// truth name=threeColumns: columns=struct columns.of[0]=reads columns.of[1]=writes columns.of[2]=readwrites columns.of[3]=untouched
extern "C" __global__ void threeColumns(Columns columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns.count) return;
  columns.of[1][i] = columns.of[0][i] + 1;
  columns.of[2][i] *= 0.5f;
}

// Any of the four may be chosen.
// truth name=anyColumn: columns=struct columns.of[0]=reads columns.of[1]=reads columns.of[2]=reads columns.of[3]=reads which=value out=writes
extern "C" __global__ void anyColumn(Columns columns, int which, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < columns.count) out[i] = columns.of[(which + i) & 3][i];
}

// truth name=nested: all=struct all.view.in=reads all.view.out=untouched all.extra.counts=readwrites all.extra.marks=writes
extern "C" __global__ void nested(Nested all) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= all.view.n) return;
  all.extra.counts[i] += (int)all.view.in[i];
  all.extra.marks[i] = (unsigned char)all.tag;
}

// The kernel moves the pointers of its own copy.
// truth name=movedCopy: view=struct view.in=reads view.out=writes width=value
extern "C" __global__ void movedCopy(View view, int width) {
  View mine = view;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  mine.in += (size_t)row * width;
  mine.out += (size_t)row * width;
  for (; width > 0; width--) *mine.out++ = *mine.in++ * mine.n;
}

// No pointer in it at all.
// truth name=onlyNumbers: number=struct out=writes
extern "C" __global__ void onlyNumbers(Number number, unsigned long long* out) {
  out[threadIdx.x] = (unsigned long long)number.high * 10 + number.low + threadIdx.x;
}

// The parameter's own address is taken.
// truth name=gridConstant: view=struct view.in=reads view.out=writes
extern "C" __global__ void gridConstant(const __grid_constant__ View view) {
  const View* p = &view;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p->n) p->out[i] = -p->in[i];
}

// The struct itself lies in memory; what its pointers lead to belongs to no parameter.
// truth name=structInMemory: view=reads
extern "C" __global__ void structInMemory(const View* view) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view->n) view->out[i] = view->in[i];
}

__device__ __noinline__ float fromView(View view, int i) {
  return view.in[i] + view.in[view.n - 1 - i];
}

// truth name=passedByValue: view=struct view.in=reads view.out=writes
extern "C" __global__ void passedByValue(View view) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.n) view.out[i] = fromView(view, i);
}

__device__ __noinline__ void intoView(const View& view, int i) {
  view.out[i] = view.in[i] * 2;
}

// truth name=passedByReference: view=struct view.in=reads view.out=writes shift=value
extern "C" __global__ void passedByReference(View view, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  view.in += shift;
  if (i < view.n) intoView(view, i);
}

// truth name=throughUnion: holder=struct holder.word.pointer=readwrites
extern "C" __global__ void throughUnion(Holder holder) {
  Word word = holder.word;
  if (holder.kind & 1) word.bits += 64;
  word.pointer[threadIdx.x] += 1.0f;
}

// One View is read from, of the other only the count counts.
// truth name=twoViews: a=struct a.in=reads a.out=untouched b=struct b.in=untouched b.out=writes
extern "C" __global__ void twoViews(View a, View b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < a.n && i < b.n) b.out[i] = a.in[i];
}
