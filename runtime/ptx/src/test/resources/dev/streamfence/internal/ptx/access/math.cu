// Numeric kernels, many with long lists of parameters.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 math.cu -o math.ptx && sed -i -e 's|"[^"]*/|"|' math.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 math.cu -o math-debug.ptx && sed -i -e 's|"[^"]*/|"|' math-debug.ptx

struct Generator {
  unsigned a, b, c, d;
};

__device__ __forceinline__ float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

// truth name=blackScholes: price=reads strike=reads years=reads call=writes put=writes rate=value volatility=value n=value
extern "C" __global__ void blackScholes(
    const float* __restrict__ price, const float* __restrict__ strike,
    const float* __restrict__ years, float* __restrict__ call, float* __restrict__ put, float rate,
    float volatility, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = price[i];
  float k = strike[i];
  float root = volatility * sqrtf(years[i]);
  float d = (logf(s / k) + rate * years[i]) / root + 0.5f * root;
  float discounted = k * expf(-rate * years[i]);
  call[i] = s * normal(d) - discounted * normal(d - root);
  put[i] = discounted * normal(root - d) - s * normal(-d);
}

// truth name=adam: weights=readwrites gradients=reads first=readwrites second=readwrites rate=value beta1=value beta2=value epsilon=value step=value n=value
extern "C" __global__ void adam(
    float* weights, const float* gradients, float* first, float* second, float rate, float beta1,
    float beta2, float epsilon, int step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float g = gradients[i];
  float m = beta1 * first[i] + (1 - beta1) * g;
  float v = beta2 * second[i] + (1 - beta2) * g * g;
  first[i] = m;
  second[i] = v;
  float corrected = m / (1 - powf(beta1, step));
  weights[i] -= rate * corrected / (sqrtf(v / (1 - powf(beta2, step))) + epsilon);
}

// truth name=layerNorm: in=reads gamma=reads beta=reads out=writes mean=writes deviation=writes width=value epsilon=value
extern "C" __global__ void __launch_bounds__(128, 4) layerNorm(
    const float* in, const float* gamma, const float* beta, float* out, float* mean,
    float* deviation, int width, float epsilon) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  in += (size_t)row * width;
  out += (size_t)row * width;
  float sum = 0;
  float squares = 0;
  for (int k = 0; k < width; k++) {
    sum += in[k];
    squares += in[k] * in[k];
  }
  float middle = sum / width;
  float scale = rsqrtf(squares / width - middle * middle + epsilon);
  for (int k = 0; k < width; k++) out[k] = (in[k] - middle) * scale * gamma[k] + beta[k];
  mean[row] = middle;
  deviation[row] = 1 / scale;
}

// truth name=xorshift: states=readwrites out=writes perThread=value
extern "C" __global__ void xorshift(Generator* states, float* out, int perThread) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Generator g = states[i];
  for (int k = 0; k < perThread; k++) {
    unsigned t = g.d ^ g.d << 11;
    g.d = g.c;
    g.c = g.b;
    g.b = g.a;
    g.a ^= g.a >> 19 ^ t ^ t >> 8;
    out[i * perThread + k] = g.a * 2.3283064e-10f;
  }
  states[i] = g;
}

// truth name=mandelbrot: out=writes width=value height=value left=value top=value step=value limit=value
extern "C" __global__ void mandelbrot(
    unsigned short* out, int width, int height, double left, double top, double step, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  double re = 0;
  double im = 0;
  int k = 0;
  while (k < limit && re * re + im * im < 4) {
    double t = re * re - im * im + left + x * step;
    im = 2 * re * im + top + y * step;
    re = t;
    k++;
  }
  out[y * width + x] = (unsigned short)k;
}

// truth name=bodies: positions=reads speeds=readwrites moved=writes dt=value n=value
extern "C" __global__ void bodies(
    const float4* positions, float3* speeds, float4* moved, float dt, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 mine = positions[i];
  float3 v = speeds[i];
  for (int from = 0; from < n; from += 128) {
    tile[threadIdx.x] = positions[from + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 128; k++) {
      float dx = tile[k].x - mine.x;
      float dy = tile[k].y - mine.y;
      float dz = tile[k].z - mine.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
      float pull = tile[k].w * inverse * inverse * inverse * dt;
      v.x += dx * pull;
      v.y += dy * pull;
      v.z += dz * pull;
    }
    __syncthreads();
  }
  speeds[i] = v;
  moved[i] = make_float4(mine.x + v.x * dt, mine.y + v.y * dt, mine.z + v.z * dt, mine.w);
}

// Large angles are reduced with a table in memory that no parameter owns.
// truth name=angles: in=reads sines=writes cosines=writes n=value
extern "C" __global__ void angles(const float* in, float* sines, double* cosines, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s;
  float c;
  sincosf(in[i], &s, &c);
  sines[i] = s + c;
  cosines[i] = cos((double)in[i]);
}

// Results come back through pointers to local variables.
// truth name=parts: in=reads fractions=writes exponents=readwrites n=value
extern "C" __global__ void parts(const double* in, double* fractions, int* exponents, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double whole;
  int exponent;
  fractions[i] = modf(in[i], &whole) + frexp(in[i], &exponent);
  exponents[i] += exponent + (int)whole;
}

// truth name=attention: query=reads keys=reads values=reads out=writes n=value width=value
extern "C" __global__ void attention(
    const float* query, const float* keys, const float* values, float* out, int n, int width) {
  int d = threadIdx.x;
  float high = -1e30f;
  float sum = 0;
  float result = 0;
  for (int k = 0; k < n; k++) {
    float score = 0;
    for (int j = 0; j < width; j++) score += query[blockIdx.x * width + j] * keys[k * width + j];
    float now = fmaxf(high, score);
    float shrink = __expf(high - now);
    float weight = __expf(score - now);
    sum = sum * shrink + weight;
    result = result * shrink + weight * values[k * width + d];
    high = now;
  }
  out[blockIdx.x * width + d] = result / sum;
}

// truth name=cluster: points=reads centers=reads sums=readwrites counts=readwrites labels=writes k=value n=value
extern "C" __global__ void cluster(
    const float2* points, const float2* centers, float2* sums, int* counts, unsigned char* labels,
    int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = points[i];
  int nearest = 0;
  float least = 1e30f;
  for (int c = 0; c < k; c++) {
    float2 q = centers[c];
    float d = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
    if (d < least) {
      least = d;
      nearest = c;
    }
  }
  labels[i] = (unsigned char)nearest;
  atomicAdd(&sums[nearest].x, p.x);
  atomicAdd(&sums[nearest].y, p.y);
  atomicAdd(&counts[nearest], 1);
}

// truth name=fourierStage: data=readwrites twiddles=reads half=value
extern "C" __global__ void fourierStage(float2* data, const float2* twiddles, int half) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2* upper = data + (i / half * 2 * half + i % half);
  float2* lower = upper + half;
  float2 w = __ldg(twiddles + i % half);
  float2 a = *upper;
  float2 b = make_float2(lower->x * w.x - lower->y * w.y, lower->x * w.y + lower->y * w.x);
  *upper = make_float2(a.x + b.x, a.y + b.y);
  *lower = make_float2(a.x - b.x, a.y - b.y);
}

// truth name=fluid: density=reads vx=readwrites vy=readwrites vz=readwrites px=reads py=reads pz=reads walls=reads heat=untouched next=writes largest=readwrites dt=value n=value
extern "C" __global__ void fluid(
    const float* density, float* vx, float* vy, float* vz, const float* px, const float* py,
    const float* pz, const unsigned char* walls, const float* heat, float* next, int* largest,
    float dt, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || (heat != nullptr && walls[i])) return;
  float k = dt / density[i];
  vx[i] -= px[i] * k;
  vy[i] -= py[i] * k;
  vz[i] -= pz[i] * k;
  float speed = sqrtf(vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
  next[i] = density[i] * (1 - speed * dt);
  atomicMax(largest, __float_as_int(speed));
}
