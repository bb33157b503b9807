// Elements of several components, read and written whole and in part.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 vectors.cu -o vectors.ptx && sed -i -e 's|"[^"]*/|"|' vectors.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 vectors.cu -o vectors-debug.ptx && sed -i -e 's|"[^"]*/|"|' vectors-debug.ptx

typedef unsigned char u8;

struct __align__(16) Particle {
  float x, y, z, mass;
};

struct Color {
  u8 red, green, blue;
};

// truth name=scaleFloat4: data=readwrites k=value n=value
extern "C" __global__ void scaleFloat4(float4* data, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = data[i];
  data[i] = make_float4(v.x * k, v.y * k, v.z * k, v.w * k);
}

// truth name=swapInt2: in=reads out=writes n=value
extern "C" __global__ void swapInt2(const int2* __restrict__ in, int2* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int2 v = in[i];
  out[i] = make_int2(v.y, v.x);
}

// truth name=toGray: image=reads gray=writes n=value
extern "C" __global__ void toGray(const uchar4* image, u8* gray, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 c = image[i];
  gray[i] = (u8)((c.x * 77 + c.y * 151 + c.z * 28) >> 8);
}

// truth name=multiplyComplex: a=reads b=reads out=writes n=value
extern "C" __global__ void multiplyComplex(
    const double2* a, const double2* b, double2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double2 p = a[i];
  double2 q = b[i];
  out[i] = make_double2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

// Wide where both are aligned, one by one otherwise.
// truth name=copyWide: in=reads out=writes n=value
extern "C" __global__ void copyWide(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((((size_t)in | (size_t)out) & 15) == 0) {
    if (i < n / 4) ((float4*)out)[i] = ((const float4*)in)[i];
    if (i < n % 4) out[n - 1 - i] = in[n - 1 - i];
  } else {
    for (int k = 4 * i; k < 4 * i + 4 && k < n; k++) out[k] = in[k];
  }
}

// truth name=moveParticles: particles=readwrites speeds=reads dt=value n=value
extern "C" __global__ void moveParticles(
    Particle* particles, const float4* speeds, float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = particles[i];
  float4 v = speeds[i];
  p.x += v.x * dt;
  p.y += v.y * dt;
  p.z += v.z * dt;
  p.mass *= v.w;
  particles[i] = p;
}

// Three bytes an element: nothing is aligned.
// truth name=paint: out=writes with=struct n=value
extern "C" __global__ void paint(Color* out, Color with, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = with;
}

// truth name=littleEndian: bytes=reads words=writes n=value
extern "C" __global__ void littleEndian(const u8* bytes, unsigned* words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u8* b = bytes + 4 * i;
  words[i] = b[0] | b[1] << 8 | b[2] << 16 | (unsigned)b[3] << 24;
}

// truth name=mixKeys: keys=reads seeds=reads out=writes n=value
extern "C" __global__ void mixKeys(
    const longlong2* __restrict__ keys, const ulonglong2* __restrict__ seeds,
    unsigned long long* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  longlong2 k = __ldg(keys + i);
  ulonglong2 s = seeds[i & 7];
  out[i] = ((unsigned long long)k.x ^ s.x) * 0x9E3779B97F4A7C15ull + ((unsigned long long)k.y ^ s.y);
}

// truth name=splitParticles: all=reads x=writes y=writes z=writes mass=writes n=value
extern "C" __global__ void splitParticles(
    const Particle* all, float* x, float* y, float* z, float* mass, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = all[i];
  x[i] = p.x;
  y[i] = p.y;
  z[i] = p.z;
  mass[i] = p.mass;
}

// Writes one component and leaves the other as it was.
// truth name=setSecond: pairs=writes with=value n=value
extern "C" __global__ void setSecond(float2* pairs, float with, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pairs[i].y = with;
}

// truth name=dotRows: a=reads b=reads out=writes width=value
extern "C" __global__ void dotRows(const int4* a, const int4* b, int* out, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < width; k++) {
    int4 p = a[row * width + k];
    int4 q = b[k];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  out[row] = sum;
}

// truth name=vectorAssembly: in=reads out=writes n=value
extern "C" __global__ void vectorAssembly(const float4* in, float2* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x, y, z, w;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(in + i));
  asm volatile("st.global.v2.f32 [%0 + 8], {%1, %2};"
               : : "l"(out + i - 1), "f"(x + y), "f"(z + w) : "memory");
}
