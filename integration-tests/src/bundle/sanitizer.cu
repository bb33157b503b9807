// Correct programs, to see about which of them compute-sanitizer reports errors. Without an argument: prints the number
// of each, the tool, and the name. With a number: runs that one.
// Build: nvcc -std=c++17 -arch=native -o sanitizer sanitizer.cu -lcuda

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include <cuda.h>

#define CHECK(call)                                                  \
  do {                                                               \
    CUresult code = (call);                                          \
    if (code != CUDA_SUCCESS) {                                      \
      std::fprintf(stderr, "%s answered %d\n", #call, (int)code);    \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

static const int kInts = 64;

__global__ void increment(int* values) {
  values[threadIdx.x] += 1;
}

static CUcontext context;
static CUstream a, b;
static CUevent event;

static CUstream newStream() {
  CUstream stream;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  return stream;
}

static CUdeviceptr allocate(CUstream stream, size_t bytes = 4 * kInts) {
  CUdeviceptr memory;
  CHECK(cuMemAllocAsync(&memory, bytes, stream));
  return memory;
}

static CUdeviceptr zeros(CUstream stream) {
  CUdeviceptr memory = allocate(stream);
  CHECK(cuMemsetD32Async(memory, 0, kInts, stream));
  return memory;
}

static void use(CUdeviceptr memory, CUstream stream) {
  increment<<<1, kInts, 0, stream>>>(reinterpret_cast<int*>(memory));
}

static void useAndFree(CUdeviceptr memory, CUstream stream) {
  use(memory, stream);
  CHECK(cuMemFreeAsync(memory, stream));
}

static void inThreads(int threads, const std::function<void()>& body) {
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++) {
    all.emplace_back([&] {
      CHECK(cuCtxSetCurrent(context));
      body();
    });
  }
  for (std::thread& each : all) {
    each.join();
  }
}

static void afterAnEvent() {
  CUdeviceptr x = zeros(a);
  CHECK(cuEventRecord(event, a));
  CHECK(cuStreamWaitEvent(b, event, 0));
  useAndFree(x, b);
}

static void afterAWaitOfTheHost() {
  CUdeviceptr x = zeros(a);
  CHECK(cuStreamSynchronize(a));
  useAndFree(x, b);
}

static void afterAQuery() {
  CUdeviceptr x = zeros(a);
  CHECK(cuEventRecord(event, a));
  while (cuEventQuery(event) != CUDA_SUCCESS) {
  }
  useAndFree(x, b);
}

static void afterAQueryAndAWait() {
  CUdeviceptr x = zeros(a);
  CHECK(cuEventRecord(event, a));
  while (cuEventQuery(event) != CUDA_SUCCESS) {
  }
  CHECK(cuEventSynchronize(event));
  useAndFree(x, b);
}

static void onAStreamMadeLater() {
  CUdeviceptr x = zeros(a);
  CHECK(cuStreamSynchronize(a));
  useAndFree(x, newStream());
}

static void onAStreamMadeLaterThatWaits() {
  CUdeviceptr x = zeros(a);
  CHECK(cuEventRecord(event, a));
  CHECK(cuStreamSynchronize(a));
  CUstream later = newStream();
  CHECK(cuStreamWaitEvent(later, event, 0));
  useAndFree(x, later);
}

static const int kRows = 10000;

static void fill(void (*fillRows)(CUdeviceptr, CUstream)) {
  CUdeviceptr x = allocate(a, 8 * kRows);
  CUdeviceptr y = allocate(b, 8 * kRows);
  fillRows(x, a);
  CHECK(cuMemFreeAsync(x, a));
  CHECK(cuMemFreeAsync(y, b));
}

static void fillBesideAnother() {
  fill([](CUdeviceptr x, CUstream s) { CHECK(cuMemsetD32Async(x, 1, 2 * kRows, s)); });
}

static void stridedFillBesideAnother() {
  fill([](CUdeviceptr x, CUstream s) { CHECK(cuMemsetD2D32Async(x, 8, 1, 1, kRows, s)); });
}

static void threadsThatAllocateDirectly() {
  inThreads(8, [] {
    CUstream own = newStream();
    for (int i = 0; i < 60; i++) {
      CUdeviceptr x;
      CHECK(cuMemAlloc(&x, 4 * kInts));
      CHECK(cuMemsetD32Async(x, 0, kInts, own));
      use(x, own);
      CHECK(cuStreamSynchronize(own));
      CHECK(cuMemFree(x));
    }
  });
}

static void threadsThatAllocateInOrder() {
  inThreads(8, [] {
    CUstream own = newStream(), second = newStream();
    CUevent done;
    CHECK(cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
    for (int i = 0; i < 200; i++) {
      CUdeviceptr x = zeros(own);
      use(x, own);
      CHECK(cuEventRecord(done, own));
      CHECK(cuStreamWaitEvent(second, done, 0));
      useAndFree(x, second);
    }
    CHECK(cuStreamSynchronize(second));
  });
}

static void threadsThatLaunch() {
  inThreads(8, [] {
    CUstream own = newStream();
    CUdeviceptr x = zeros(own);
    for (int i = 0; i < 2000; i++) {
      use(x, own);
    }
    CHECK(cuStreamSynchronize(own));
  });
}

__constant__ int initialized[3] = {1, 2, 3};

static void downloadOfACopyOfAConstant() {
  void* constant;
  int host[3];
  if (cudaGetSymbolAddress(&constant, initialized) != cudaSuccess) {
    std::exit(1);
  }
  CUdeviceptr x = allocate(a, sizeof(host));
  CHECK(cuMemcpyDtoDAsync(x, reinterpret_cast<CUdeviceptr>(constant), sizeof(host), a));
  CHECK(cuMemcpyDtoHAsync(host, x, sizeof(host), a));
  CHECK(cuStreamSynchronize(a));
  if (host[0] != 1 || host[1] != 2 || host[2] != 3) {
    std::exit(1);
  }
}

static CUgraphNode addIncrement(CUgraph graph, CUdeviceptr values) {
  cudaFunction_t function;
  if (cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(increment)) != cudaSuccess) {
    std::exit(1);
  }
  void* arguments[] = {&values};
  CUDA_KERNEL_NODE_PARAMS launch = {};
  launch.func = reinterpret_cast<CUfunction>(function);
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
  launch.blockDimX = kInts;
  launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  CUgraphNode node;
  CHECK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &launch));
  return node;
}

// Launches a graph on stream B, between events that order it with stream A.
static void launchBetweenEvents(CUgraph graph) {
  CUgraphExec executable;
  CHECK(cuGraphInstantiate(&executable, graph, 0));
  CHECK(cuEventRecord(event, a));
  CHECK(cuStreamWaitEvent(b, event, 0));
  CHECK(cuGraphLaunch(executable, b));
  CHECK(cuEventRecord(event, b));
  CHECK(cuStreamWaitEvent(a, event, 0));
}

static void inAGraphAfterAnEvent() {
  CUdeviceptr x = zeros(a);
  CUgraph graph;
  CHECK(cuGraphCreate(&graph, 0));
  addIncrement(graph, x);
  launchBetweenEvents(graph);
  CHECK(cuMemFreeAsync(x, a));
  CHECK(cuStreamSynchronize(a));
}

static void sideBySideInAGraphAfterAnEvent() {
  CUdeviceptr x = zeros(a);
  CUdeviceptr y = zeros(a);
  CUgraph graph;
  CHECK(cuGraphCreate(&graph, 0));
  addIncrement(graph, x);
  addIncrement(graph, y);
  launchBetweenEvents(graph);
  CHECK(cuMemFreeAsync(x, a));
  CHECK(cuMemFreeAsync(y, a));
  CHECK(cuStreamSynchronize(a));
}

// A condition that is true: its one node uses memory of another stream, whose events order both.
static void inAConditionAfterAnEvent() {
  CUdeviceptr x = zeros(a);
  CUgraph graph;
  CUgraphConditionalHandle handle;
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams condition = {};
  condition.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  condition.conditional.handle = handle;
  condition.conditional.type = CU_GRAPH_COND_TYPE_IF;
  condition.conditional.size = 1;
  condition.conditional.ctx = context;
  CUgraphNode node;
#if CUDA_VERSION >= 13000
  CHECK(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &condition));
#else
  CHECK(cuGraphAddNode(&node, graph, nullptr, 0, &condition));
#endif
  addIncrement(condition.conditional.phGraph_out[0], x);
  launchBetweenEvents(graph);
  CHECK(cuMemFreeAsync(x, a));
  CHECK(cuStreamSynchronize(a));
}

struct Program {
  const char* tool;
  const char* name;
  void (*run)();
};

static const Program programs[] = {
    {"memcheck", "a use on another stream, which waits for an event", afterAnEvent},
    {"memcheck", "a use on another stream after cuStreamSynchronize", afterAWaitOfTheHost},
    {"memcheck", "a use on another stream after cuEventQuery", afterAQuery},
    {"memcheck", "the same, with cuEventSynchronize after the query", afterAQueryAndAWait},
    {"memcheck", "a use on a stream that is made after cuStreamSynchronize", onAStreamMadeLater},
    {"memcheck", "the same, and the stream waits for an event", onAStreamMadeLaterThatWaits},
    {"memcheck", "a fill of memory beside memory of another stream", fillBesideAnother},
    {"memcheck", "the same by cuMemsetD2D32Async", stridedFillBesideAnother},
    {"memcheck", "a use in a graph on another stream, which waits for an event", inAGraphAfterAnEvent},
    {"memcheck", "the same by two nodes side by side", sideBySideInAGraphAfterAnEvent},
    {"memcheck", "the same by a node in a condition", inAConditionAfterAnEvent},
    {"initcheck", "threads that allocate and free by cuMemAlloc and cuMemFree", threadsThatAllocateDirectly},
    {"initcheck", "threads that allocate and free in the order of streams", threadsThatAllocateInOrder},
    {"initcheck", "a download of a copy of a constant that its module initializes", downloadOfACopyOfAConstant},
    {"racecheck", "threads that launch on streams of their own", threadsThatLaunch},
};

int main(int count, char** arguments) {
  const int known = sizeof(programs) / sizeof(programs[0]);
  if (count == 1) {
    for (int i = 0; i < known; i++) {
      std::printf("%d|%s|%s\n", i, programs[i].tool, programs[i].name);
    }
    return 0;
  }
  int chosen = std::atoi(arguments[1]);
  if (chosen < 0 || chosen >= known) {
    return 2;
  }
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  a = newStream();
  b = newStream();
  CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  programs[chosen].run();
  CHECK(cuCtxSynchronize());
  return 0;
}
