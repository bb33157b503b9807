// Host time per launch from C++, in nanoseconds: the floor for the launch benchmarks, which run the same kernel in the
// same way: batches of 200 launches on one stream, synchronised in between, median of 300 batches. Then allocations in
// the same way, and the time of transfers, each until its data is there, median of 20: the floor for the transfer benchmarks.
// Build: nvcc -O3 -std=c++17 -o floor floor.cu -lcuda

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include <cuda.h>

#define CHECK(call)                                                  \
  do {                                                               \
    CUresult code = (call);                                          \
    if (code != CUDA_SUCCESS) {                                      \
      std::fprintf(stderr, "%s answered %d\n", #call, (int)code);    \
      return 1;                                                      \
    }                                                                \
  } while (0)

extern "C" __global__ void touch4(float* a, const float* b, const float* c, float* d, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    d[i] = a[i] + factor * b[i] + c[i];
    a[i] = factor;
  }
}

static const int kBatches = 300;
static const int kLaunches = 200;

static double medianNanos(const std::function<void()>& batch, const std::function<void()>& between) {
  std::vector<double> perLaunch;
  for (int i = 0; i < kBatches + 20; i++) {
    auto start = std::chrono::steady_clock::now();
    batch();
    auto end = std::chrono::steady_clock::now();
    between();
    if (i >= 20) {
      perLaunch.push_back(std::chrono::duration<double, std::nano>(end - start).count() / kLaunches);
    }
  }
  std::sort(perLaunch.begin(), perLaunch.end());
  return perLaunch[perLaunch.size() / 2];
}

static double medianMicros(int rounds, const std::function<void()>& transfer) {
  std::vector<double> times;
  for (int i = 0; i < rounds + 3; i++) {
    auto start = std::chrono::steady_clock::now();
    transfer();
    auto end = std::chrono::steady_clock::now();
    if (i >= 3) {
      times.push_back(std::chrono::duration<double, std::micro>(end - start).count());
    }
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

static int transfers(CUstream stream) {
  for (size_t bytes : {size_t(4), size_t(1) << 20, size_t(16) << 20, size_t(256) << 20, size_t(1) << 30}) {
    CUdeviceptr device;
    void* pinned;
    CHECK(cuMemAlloc(&device, bytes));
    CHECK(cuMemAllocHost(&pinned, bytes));
    std::vector<char> pageable(bytes, 1);
    const char* names[] = {"pageable up", "pageable down", "pinned up", "pinned down"};
    std::function<void()> runs[] = {
        [&] { cuMemcpyHtoDAsync(device, pageable.data(), bytes, stream); },
        [&] { cuMemcpyDtoHAsync(pageable.data(), device, bytes, stream); },
        [&] { cuMemcpyHtoDAsync(device, pinned, bytes, stream); },
        [&] { cuMemcpyDtoHAsync(pinned, device, bytes, stream); }};
    for (int i = 0; i < 4; i++) {
      double micros = medianMicros(20, [&] {
        runs[i]();
        cuStreamSynchronize(stream);
      });
      std::printf("C++ %-13s %10zu bytes %10.1f us %6.1f GB/s\n", names[i], bytes, micros, bytes / micros / 1e3);
    }
    CHECK(cuMemFree(device));
    CHECK(cuMemFreeHost(pinned));
  }
  return 0;
}

// Allocates and frees in stream order, from a pool that keeps its memory: as the program goes on, and with a
// synchronise after each pair.
static int allocations(CUstream stream) {
  CUdevice device;
  CUmemoryPool pool;
  cuuint64_t keepAll = ~0ull;
  CHECK(cuCtxGetDevice(&device));
  CHECK(cuDeviceGetDefaultMemPool(&pool, device));
  CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keepAll));
  for (size_t bytes : {(size_t)1 << 20, (size_t)1 << 30}) {
    for (bool synchronizes : {false, true}) {
      double nanos = medianNanos(
          [&] {
            for (int i = 0; i < kLaunches; i++) {
              CUdeviceptr memory;
              cuMemAllocAsync(&memory, bytes, stream);
              cuMemFreeAsync(memory, stream);
              if (synchronizes) {
                cuStreamSynchronize(stream);
              }
            }
          },
          [&] { cuStreamSynchronize(stream); });
      std::printf("C++ allocate + free %10zu bytes%s %8.0f ns\n", bytes, synchronizes ? ", synchronised" : "              ", nanos);
    }
  }
  return 0;
}

int main() {
  float* data[4];
  for (auto& pointer : data) {
    if (cudaMalloc(&pointer, 1024) != cudaSuccess) {
      std::fprintf(stderr, "no device memory\n");
      return 1;
    }
  }
  cudaFunction_t runtimeFunction;
  if (cudaGetFuncBySymbol(&runtimeFunction, (const void*)touch4) != cudaSuccess) {
    return 1;
  }
  CUfunction function = (CUfunction)runtimeFunction;
  CUstream first, second;
  CHECK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
  std::vector<CUevent> events(64);
  for (auto& event : events) {
    CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  }
  float factor = 2;
  int n = 256;
  void* arguments[] = {&data[0], &data[1], &data[2], &data[3], &factor, &n};
  auto launch = [&](CUstream stream) { cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr); };
  auto synchronize = [&] {
    cuStreamSynchronize(first);
    cuStreamSynchronize(second);
  };
  double plain = medianNanos([&] { for (int i = 0; i < kLaunches; i++) launch(first); }, synchronize);
  double withEvent = medianNanos(
      [&] {
        for (int i = 0; i < kLaunches; i++) {
          launch(first);
          cuEventRecord(events[i % 64], first);
        }
      },
      synchronize);
  double pingPong = medianNanos(
      [&] {
        for (int i = 0; i < kLaunches; i++) {
          CUstream stream = i % 2 == 0 ? first : second;
          cuStreamWaitEvent(stream, events[(i + 63) % 64], 0);
          launch(stream);
          cuEventRecord(events[i % 64], stream);
        }
      },
      synchronize);
  std::printf("C++ launch, nothing tracked          %8.0f ns\n", plain);
  std::printf("C++ launch + 1 event record          %8.0f ns\n", withEvent);
  std::printf("C++ wait + launch + record, 2 streams %7.0f ns\n", pingPong);
  return allocations(first) || transfers(first);
}
