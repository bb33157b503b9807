// The rows of `run compare` in C++, where nothing is tracked: the floor. Takes its medians like Batches.java, launches
// the same kernels, and answers as Opponent.java describes. Needs the files of compare.ptx and thirty.ptx.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <cuda.h>

#define CHECK(call) check((call), #call)

static void check(CUresult code, const char* call) {
  if (code != CUDA_SUCCESS) {
    const char* name = nullptr;
    cuGetErrorName(code, &name);
    throw std::runtime_error(std::string(call) + " answered " + (name ? name : "?") + " (" + std::to_string(code) + ")");
  }
}

using Clock = std::chrono::steady_clock;
using Work = std::function<void()>;

static const int kOperations = 200;
static const int kEvents = 64;
static const int kThreads = 8;
static const int kLaunchesPerThread = 1000;
static const int kElements = 256;
static const size_t kMebibyte = size_t(1) << 20;

static double nanosBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

static double median(int warmUp, int times, const Work& operation, const Work& between) {
  std::vector<double> nanos;
  for (int i = -warmUp; i < times; i++) {
    auto begun = Clock::now();
    operation();
    auto ended = Clock::now();
    between();
    if (i >= 0) {
      nanos.push_back(nanosBetween(begun, ended));
    }
  }
  std::sort(nanos.begin(), nanos.end());
  return nanos[nanos.size() / 2];
}

// One operation of a batch of kOperations.
static double nanosEach(const Work& batch, const Work& between) { return median(20, 100, batch, between) / kOperations; }

static int transfersOf(int mebibytes) { return std::max(3, std::min(100, 512 / mebibytes)); }

// The context, two streams, the kernels, and what they work on.
struct Gpu {
  CUcontext context;
  CUdevice device;
  CUstream first, second;
  CUfunction touch4, sum15, bumpAll, dwell;
  std::vector<CUevent> events{kEvents};
  std::vector<CUdeviceptr> floats;
  std::vector<CUdeviceptr> ints;

  explicit Gpu(const char* kernels) {
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
    CHECK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    CUmodule module;
    CHECK(cuModuleLoad(&module, kernels));
    CHECK(cuModuleGetFunction(&touch4, module, "touch4"));
    CHECK(cuModuleGetFunction(&sum15, module, "sum15"));
    CHECK(cuModuleGetFunction(&bumpAll, module, "bumpAll"));
    CHECK(cuModuleGetFunction(&dwell, module, "dwell"));
    for (auto& event : events) {
      CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    }
    floats = arrays(4);
    ints = arrays(16);
    // Freed memory stays in the pool.
    CUmemoryPool pool;
    cuuint64_t all = ~0ull;
    CHECK(cuDeviceGetDefaultMemPool(&pool, device));
    CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
  }

  std::vector<CUdeviceptr> arrays(int count) {
    std::vector<CUdeviceptr> made(count);
    for (auto& array : made) {
      CHECK(cuMemAlloc(&array, kElements * 4));
      CHECK(cuMemsetD32(array, 0, kElements));
    }
    return made;
  }

  void synchronize() { CHECK(cuCtxSynchronize()); }
};

// An argument list is made for each launch, as a program does whose arguments change.
static void launchTouch4(Gpu& gpu, CUstream stream, std::vector<CUdeviceptr>& a, float factor, int n) {
  void* arguments[] = {&a[0], &a[1], &a[2], &a[3], &factor, &n};
  CHECK(cuLaunchKernel(gpu.touch4, 1, 1, 1, kElements, 1, 1, 0, stream, arguments, nullptr));
}

static void launchSum15(Gpu& gpu, CUstream stream, std::vector<CUdeviceptr>& a, CUdeviceptr sum) {
  int n = kElements;
  void* arguments[17];
  for (int i = 0; i < 15; i++) {
    arguments[i] = &a[i];
  }
  arguments[15] = &sum;
  arguments[16] = &n;
  CHECK(cuLaunchKernel(gpu.sum15, 1, 1, 1, kElements, 1, 1, 0, stream, arguments, nullptr));
}

static double launches(Gpu& gpu, const std::function<void(int)>& launch) {
  return nanosEach(
      [&] {
        for (int i = 0; i < kOperations; i++) {
          launch(i);
        }
      },
      [&] { gpu.synchronize(); });
}

static double context(Gpu& gpu, bool launchesToo) {
  return launches(gpu, [&](int) {
    CHECK(cuCtxSetCurrent(gpu.context));
    if (launchesToo) {
      launchTouch4(gpu, gpu.first, gpu.floats, 2, kElements);
    }
  });
}

static double oneStream(Gpu& gpu) {
  return launches(gpu, [&](int) { launchTouch4(gpu, gpu.first, gpu.floats, 2, kElements); });
}

static double withEvents(Gpu& gpu) {
  return launches(gpu, [&](int i) {
    launchTouch4(gpu, gpu.first, gpu.floats, 2, kElements);
    CHECK(cuEventRecord(gpu.events[i % kEvents], gpu.first));
  });
}

static double pingPong(Gpu& gpu) {
  return launches(gpu, [&](int i) {
    CUstream stream = i % 2 == 0 ? gpu.first : gpu.second;
    CHECK(cuStreamWaitEvent(stream, gpu.events[(i + kEvents - 1) % kEvents], 0));
    launchTouch4(gpu, stream, gpu.floats, 2, kElements);
    CHECK(cuEventRecord(gpu.events[i % kEvents], stream));
  });
}

static double changingNumbers(Gpu& gpu) {
  return launches(gpu, [&](int i) { launchTouch4(gpu, gpu.first, gpu.floats, float(i), kElements - i); });
}

static double sixteenArrays(Gpu& gpu) {
  return launches(gpu, [&](int) { launchSum15(gpu, gpu.first, gpu.ints, gpu.ints[15]); });
}

// A table that stays on the device, or one that is copied for each launch, from pinned memory as the driver wants it.
static double table(Gpu& gpu, bool isNew) {
  static const int kTables = 2 * kOperations;
  static CUdeviceptr* host = nullptr;
  static CUdeviceptr onDevice = 0;
  size_t bytes = 16 * sizeof(CUdeviceptr);
  if (host == nullptr) {
    CHECK(cuMemAllocHost((void**)&host, kTables * bytes));
    CHECK(cuMemAlloc(&onDevice, kTables * bytes));
    for (int i = 0; i < kTables * 16; i++) {
      host[i] = gpu.ints[i % 16];
    }
    CHECK(cuMemcpyHtoD(onDevice, host, kTables * bytes));
  }
  return launches(gpu, [&](int i) {
    int slot = isNew ? i : 0;
    CUdeviceptr its = onDevice + slot * bytes;
    int count = 16, n = kElements;
    if (isNew) {
      CHECK(cuMemcpyHtoDAsync(its, host + slot * 16, bytes, gpu.first));
    }
    void* arguments[] = {&its, &count, &n};
    CHECK(cuLaunchKernel(gpu.bumpAll, 1, 1, 1, kElements, 1, 1, 0, gpu.first, arguments, nullptr));
  });
}

// A node whose arguments are copied, like those of a launch.
static CUgraphNode addNode(CUgraph graph, std::vector<CUgraphNode> after, CUfunction function, int threads, void** arguments) {
  CUDA_KERNEL_NODE_PARAMS launch = {};
  launch.func = function;
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
  launch.blockDimX = threads;
  launch.kernelParams = arguments;
  CUgraphNode node;
  CHECK(cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &launch));
  return node;
}

static CUgraphNode addTouch4(Gpu& gpu, CUgraph graph, std::vector<CUgraphNode> after, std::vector<CUdeviceptr> a) {
  float factor = 2;
  int n = kElements;
  void* arguments[] = {&a[0], &a[1], &a[2], &a[3], &factor, &n};
  return addNode(graph, after, gpu.touch4, kElements, arguments);
}

static CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec executable;
  CHECK(cuGraphInstantiate(&executable, graph, 0));
  return executable;
}

// Launches of a graph per batch: more would fill the stream's queue.
static const int kRuns = 10;

static CUgraphExec chain(Gpu& gpu) {
  static CUgraphExec made = nullptr;
  if (made == nullptr) {
    CUgraph graph;
    CHECK(cuGraphCreate(&graph, 0));
    CUgraphNode last = addTouch4(gpu, graph, {}, gpu.floats);
    for (int i = 1; i < 64; i++) {
      last = addTouch4(gpu, graph, {last}, gpu.floats);
    }
    made = instantiate(graph);
  }
  return made;
}

static double graphHostTime(Gpu& gpu) {
  CUgraphExec graph = chain(gpu);
  return median(
             20, 100,
             [&] {
               for (int i = 0; i < kRuns; i++) {
                 CHECK(cuGraphLaunch(graph, gpu.first));
               }
             },
             [&] { gpu.synchronize(); }) /
         kRuns;
}

static double graphRun(Gpu& gpu, CUgraphExec graph) {
  return median(
      20, 100,
      [&] {
        CHECK(cuGraphLaunch(graph, gpu.first));
        CHECK(cuStreamSynchronize(gpu.first));
      },
      [] {});
}

// The last four launches get another array each time, if it changes.
static double graphBound(Gpu& gpu, bool changes) {
  static CUgraphExec made = nullptr;
  static CUgraphNode nodes[4];
  static std::vector<CUdeviceptr> a = gpu.arrays(5);
  if (made == nullptr) {
    CUgraph graph;
    CHECK(cuGraphCreate(&graph, 0));
    CUgraphNode last = addTouch4(gpu, graph, {}, gpu.floats);
    for (int i = 1; i < 60; i++) {
      last = addTouch4(gpu, graph, {last}, gpu.floats);
    }
    for (int i = 0; i < 4; i++) {
      nodes[i] = i == 0 ? addTouch4(gpu, graph, {}, {a[2], a[0], a[3], a[4]})
                        : addTouch4(gpu, graph, {nodes[i - 1]}, {a[2], a[0], a[3], a[4]});
    }
    made = instantiate(graph);
  }
  int runs = 0;
  return median(
             20, 100,
             [&] {
               for (int i = 0; i < kRuns; i++) {
                 if (changes) {
                   float factor = 2;
                   int n = kElements;
                   void* arguments[] = {&a[2], &a[runs++ % 2], &a[3], &a[4], &factor, &n};
                   CUDA_KERNEL_NODE_PARAMS launch = {};
                   launch.func = gpu.touch4;
                   launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1;
                   launch.blockDimX = kElements;
                   launch.kernelParams = arguments;
                   for (auto node : nodes) {
                     CHECK(cuGraphExecKernelNodeSetParams(made, node, &launch));
                   }
                 }
                 CHECK(cuGraphLaunch(made, gpu.first));
               }
             },
             [&] { gpu.synchronize(); }) /
         kRuns;
}

static CUgraphExec diamond(Gpu& gpu) {
  static CUgraphExec made = nullptr;
  if (made == nullptr) {
    static std::vector<CUdeviceptr> a = gpu.arrays(4);
    CUgraph graph;
    CHECK(cuGraphCreate(&graph, 0));
    std::vector<CUgraphNode> first;
    for (int i = 0; i < 3; i++) {
      long long cycles = i == 0 ? 1 : 400000;
      void* arguments[] = {&a[i], &cycles};
      first.push_back(addNode(graph, {}, gpu.dwell, 1, arguments));
    }
    addTouch4(gpu, graph, first, a);
    made = instantiate(graph);
  }
  return made;
}

// Launches per second: from the moment at which all threads are there until the last one has launched.
static double threads(Gpu& gpu, const std::function<void(int, CUstream)>& launch) {
  static std::vector<CUstream> streams;
  while (streams.size() < kThreads) {
    CUstream stream;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    streams.push_back(stream);
  }
  std::vector<double> nanos;
  for (int batch = -5; batch < 20; batch++) {
    std::atomic<int> arrived{0};
    std::vector<Clock::time_point> begun(kThreads), ended(kThreads);
    std::vector<std::string> failures(kThreads);
    std::vector<std::thread> running;
    for (int t = 0; t < kThreads; t++) {
      running.emplace_back([&, t] {
        CUresult current = cuCtxSetCurrent(gpu.context);
        arrived++;
        while (arrived < kThreads) {
        }
        begun[t] = Clock::now();
        try {
          CHECK(current);
          for (int i = 0; i < kLaunchesPerThread; i++) {
            launch(t, streams[t]);
          }
        } catch (const std::exception& e) {
          failures[t] = e.what();
        }
        ended[t] = Clock::now();
      });
    }
    for (auto& thread : running) {
      thread.join();
    }
    for (auto& failure : failures) {
      if (!failure.empty()) {
        throw std::runtime_error(failure);
      }
    }
    gpu.synchronize();
    if (batch >= 0) {
      nanos.push_back(nanosBetween(*std::min_element(begun.begin(), begun.end()), *std::max_element(ended.begin(), ended.end())));
    }
  }
  std::sort(nanos.begin(), nanos.end());
  return kThreads * kLaunchesPerThread * 1e9 / nanos[nanos.size() / 2];
}

static double threadsWithContext(Gpu& gpu) {
  return threads(gpu, [&](int, CUstream stream) {
    CHECK(cuCtxSetCurrent(gpu.context));
    launchTouch4(gpu, stream, gpu.floats, 2, kElements);
  });
}

static double threadsWithOwnArrays(Gpu& gpu, bool sharesOne) {
  static std::vector<std::vector<CUdeviceptr>> own, sharing;
  while (own.size() < kThreads) {
    own.push_back(gpu.arrays(4));
    sharing.push_back(own.back());
    sharing.back()[1] = gpu.floats[1];
  }
  auto& arrays = sharesOne ? sharing : own;
  return threads(gpu, [&](int t, CUstream stream) { launchTouch4(gpu, stream, arrays[t], 2, kElements); });
}

static double threadsWithFifteenShared(Gpu& gpu) {
  static std::vector<CUdeviceptr> sums = gpu.arrays(kThreads);
  return threads(gpu, [&](int t, CUstream stream) { launchSum15(gpu, stream, gpu.ints, sums[t]); });
}

static double allocate(Gpu& gpu, size_t bytes, bool synchronizes) {
  return launches(gpu, [&, bytes, synchronizes](int) {
    CUdeviceptr memory;
    CHECK(cuMemAllocAsync(&memory, bytes, gpu.first));
    CHECK(cuMemFreeAsync(memory, gpu.first));
    if (synchronizes) {
      CHECK(cuStreamSynchronize(gpu.first));
    }
  });
}

// The driver's pool makes the second stream wait by itself.
static double reuse(Gpu& gpu) {
  return launches(gpu, [&](int i) {
    CUstream stream = i % 2 == 0 ? gpu.first : gpu.second;
    CUdeviceptr memory;
    CHECK(cuMemAllocAsync(&memory, 4 * kMebibyte, stream));
    long long cycles = 15000;
    void* arguments[] = {&memory, &cycles};
    CHECK(cuLaunchKernel(gpu.dwell, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
    CHECK(cuMemFreeAsync(memory, stream));
  });
}

static double transfer(Gpu& gpu, bool isPinned, bool isUp, int mebibytes) {
  struct Buffers {
    CUdeviceptr device;
    void* pinned;
    std::vector<char> pageable;
  };
  static std::map<int, Buffers> all;
  size_t bytes = mebibytes * kMebibyte;
  if (all.count(mebibytes) == 0) {
    Buffers made;
    CHECK(cuMemAlloc(&made.device, bytes));
    CHECK(cuMemAllocHost(&made.pinned, bytes));
    std::memset(made.pinned, 1, bytes);
    made.pageable.assign(bytes, 1);
    all[mebibytes] = std::move(made);
  }
  Buffers& its = all[mebibytes];
  void* host = isPinned ? its.pinned : its.pageable.data();
  return median(
      1, transfersOf(mebibytes),
      [&] {
        if (isUp) {
          CHECK(cuMemcpyHtoDAsync(its.device, host, bytes, gpu.first));
        } else {
          CHECK(cuMemcpyDtoHAsync(host, its.device, bytes, gpu.first));
        }
        CHECK(cuStreamSynchronize(gpu.first));
      },
      [] {});
}

// Makes a context current for a while.
struct Inside {
  explicit Inside(CUcontext context) { CHECK(cuCtxPushCurrent(context)); }
  ~Inside() { cuCtxPopCurrent(nullptr); }
};

// A second device, which can access the memory of the first one if the machine allows it.
struct Peer {
  CUcontext context;
  CUstream stream;

  explicit Peer(Gpu& gpu) {
    int devices = 0;
    CHECK(cuDeviceGetCount(&devices));
    if (devices < 2) {
      throw std::runtime_error("there is one GPU; a copy between devices needs two");
    }
    CUdevice device;
    int canAccess = 0;
    CHECK(cuDeviceGet(&device, 1));
    CHECK(cuDeviceCanAccessPeer(&canAccess, device, gpu.device));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    Inside inside(context);
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    if (canAccess) {
      CHECK(cuCtxEnablePeerAccess(gpu.context, 0));
    }
  }
};

static double peerCopy(Gpu& gpu, int mebibytes) {
  static Peer peer(gpu);
  static std::map<int, CUdeviceptr> sources, targets;
  size_t bytes = mebibytes * kMebibyte;
  if (sources.count(mebibytes) == 0) {
    CHECK(cuMemAlloc(&sources[mebibytes], bytes));
    CHECK(cuMemsetD8(sources[mebibytes], 1, bytes));
    gpu.synchronize();
  }
  Inside inside(peer.context);
  if (targets.count(mebibytes) == 0) {
    CHECK(cuMemAlloc(&targets[mebibytes], bytes));
  }
  return median(
      1, transfersOf(mebibytes),
      [&] {
        CHECK(cuMemcpyPeerAsync(targets[mebibytes], peer.context, sources[mebibytes], gpu.context, bytes, peer.stream));
        CHECK(cuStreamSynchronize(peer.stream));
      },
      [] {});
}

static double oneInt(Gpu& gpu) {
  static void* pinned = nullptr;
  if (pinned == nullptr) {
    CHECK(cuMemAllocHost(&pinned, 4));
  }
  return launches(gpu, [&](int) {
    CHECK(cuMemcpyDtoHAsync(pinned, gpu.ints[0], 4, gpu.first));
    CHECK(cuStreamSynchronize(gpu.first));
  });
}

// Four columns of 256 MiB: up from memory that is there, with an allocation on the device; down to new memory or to the former.
static double columns(Gpu& gpu, bool isUp, bool isNew) {
  static const size_t kBytes = 256 * kMebibyte;
  static std::vector<std::vector<char>> host(4, std::vector<char>(kBytes, 1));
  static CUdeviceptr onDevice = 0;
  if (onDevice == 0) {
    CHECK(cuMemAlloc(&onDevice, kBytes));
    CHECK(cuMemsetD8(onDevice, 1, kBytes));
  }
  return median(
      1, transfersOf(1024),
      [&] {
        for (auto& column : host) {
          if (isUp) {
            CUdeviceptr memory;
            CHECK(cuMemAllocAsync(&memory, kBytes, gpu.first));
            CHECK(cuMemcpyHtoDAsync(memory, column.data(), kBytes, gpu.first));
            CHECK(cuMemFreeAsync(memory, gpu.first));
          } else {
            void* memory = isNew ? std::malloc(kBytes) : column.data();
            CHECK(cuMemcpyDtoHAsync(memory, onDevice, kBytes, gpu.first));
            CHECK(cuStreamSynchronize(gpu.first));
            if (isNew) {
              std::free(memory);
            }
          }
        }
        CHECK(cuStreamSynchronize(gpu.first));
      },
      [] {});
}

// A process that opens the device, loads thirty kernels, launches one and waits.
static int launchFirst(const char* thirty) {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CUstream stream;
  CUmodule module;
  CUfunction function;
  CUdeviceptr x, y;
  int n = 1 << 16;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemAllocAsync(&x, n * 4, stream));
  CHECK(cuMemsetD32Async(x, 0, n, stream));
  CHECK(cuMemAllocAsync(&y, n * 4, stream));
  CHECK(cuModuleLoad(&module, thirty));
  CHECK(cuModuleGetFunction(&function, module, "narrow0"));
  void* arguments[] = {&x, &y, &n};
  CHECK(cuLaunchKernel(function, n / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  CHECK(cuStreamSynchronize(stream));
  std::cout << "launched" << std::endl;
  return 0;
}

static double coldStart(const std::string& program, const std::string& thirty) {
  auto begun = Clock::now();
  FILE* output = popen((program + " first-launch " + thirty + " 2>&1").c_str(), "r");
  if (output == nullptr) {
    throw std::runtime_error("popen failed");
  }
  char line[1000] = "";
  char* read = std::fgets(line, sizeof line, output);
  auto ended = Clock::now();
  int status = pclose(output);
  if (read == nullptr || std::string(line) != "launched\n" || status != 0) {
    throw std::runtime_error("the process with a first launch ended with " + std::to_string(status) + ": " + line);
  }
  return nanosBetween(begun, ended);
}

static int serve(const std::string& program, const char* kernels, const std::string& thirty) {
  Gpu* gpu = nullptr;
  std::map<std::string, std::function<double()>> rows = {
      {"driver-context", [&] { return context(*gpu, false); }},
      {"driver-launch", [&] { return context(*gpu, true); }},
      {"launch-one-stream", [&] { return oneStream(*gpu); }},
      {"launch-two-streams", [&] { return withEvents(*gpu); }},
      {"launch-ping-pong", [&] { return pingPong(*gpu); }},
      {"launch-16-arrays", [&] { return sixteenArrays(*gpu); }},
      {"launch-table", [&] { return table(*gpu, false); }},
      {"launch-new-table", [&] { return table(*gpu, true); }},
      {"numbers-checked", [&] { return changingNumbers(*gpu); }},
      {"numbers-unchecked", [&] { return changingNumbers(*gpu); }},
      {"graph-64", [&] { return graphHostTime(*gpu); }},
      {"graph-64-run", [&] { return graphRun(*gpu, chain(*gpu)); }},
      {"graph-64-bound", [&] { return graphBound(*gpu, true); }},
      {"graph-64-change", [&] { return graphBound(*gpu, true) - graphBound(*gpu, false); }},
      {"graph-diamond", [&] { return graphRun(*gpu, diamond(*gpu)); }},
      {"threads-driver", [&] { return threadsWithContext(*gpu); }},
      {"threads-own", [&] { return threadsWithOwnArrays(*gpu, false); }},
      {"threads-shared-1", [&] { return threadsWithOwnArrays(*gpu, true); }},
      {"threads-shared-15", [&] { return threadsWithFifteenShared(*gpu); }},
      {"allocate-1-MiB", [&] { return allocate(*gpu, kMebibyte, false); }},
      {"allocate-1-GiB", [&] { return allocate(*gpu, 1024 * kMebibyte, false); }},
      {"allocate-1-MiB-synchronized", [&] { return allocate(*gpu, kMebibyte, true); }},
      {"allocate-1-GiB-synchronized", [&] { return allocate(*gpu, 1024 * kMebibyte, true); }},
      {"driver-pool-1-MiB", [&] { return allocate(*gpu, kMebibyte, false); }},
      {"driver-pool-1-MiB-synchronized", [&] { return allocate(*gpu, kMebibyte, true); }},
      {"reuse", [&] { return reuse(*gpu); }},
      {"cold-start-checked", [&] { return coldStart(program, thirty); }},
      {"cold-start-unchecked", [&] { return coldStart(program, thirty); }},
      {"cold-start-archived", [&] { return coldStart(program, thirty); }},
      {"peer-copy-1-MiB", [&] { return peerCopy(*gpu, 1); }},
      {"peer-copy-1024-MiB", [&] { return peerCopy(*gpu, 1024); }},
      {"one-int-down", [&] { return oneInt(*gpu); }},
      {"arrow-up", [&] { return columns(*gpu, true, false); }},
      {"arrow-down", [&] { return columns(*gpu, false, true); }},
      {"arrow-down-again", [&] { return columns(*gpu, false, false); }},
  };
  for (bool isPinned : {false, true}) {
    for (bool isUp : {false, true}) {
      for (int mebibytes : {1, 16, 1024}) {
        if (isPinned && mebibytes == 16) {
          continue;
        }
        std::string name = std::string(isPinned ? "pinned" : "pageable") + (isUp ? "-up-" : "-down-");
        rows[name + std::to_string(mebibytes) + "-MiB"] = [&gpu, isPinned, isUp, mebibytes] {
          return transfer(*gpu, isPinned, isUp, mebibytes);
        };
      }
    }
  }
  for (auto& row : rows) {
    std::cout << "row " << row.first << "\n";
  }
  try {
    CHECK(cuInit(0));
    std::cout << "ready" << std::endl;
  } catch (const std::exception& e) {
    std::cout << "cannot: " << e.what() << std::endl;
  }
  std::string request;
  while (std::getline(std::cin, request)) {
    std::string name = request.substr(request.find(' ') + 1);
    try {
      if (gpu == nullptr) {
        gpu = new Gpu(kernels);
      }
      double value = rows.at(name)();
      std::printf("value %.3f\n", value);
      std::fflush(stdout);
    } catch (const std::exception& e) {
      std::cout << "cannot: " << name << ": " << e.what() << std::endl;
    }
  }
  return 0;
}

int main(int count, char** arguments) {
  try {
    if (count == 3 && std::string(arguments[1]) == "first-launch") {
      return launchFirst(arguments[2]);
    }
    if (count == 3) {
      return serve(arguments[0], arguments[1], arguments[2]);
    }
    std::cerr << "needs the files of compare.ptx and thirty.ptx" << std::endl;
  } catch (const std::exception& e) {
    std::cout << e.what() << std::endl;
  }
  return 1;
}
