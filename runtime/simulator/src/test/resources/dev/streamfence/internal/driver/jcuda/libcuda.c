/*
 * A stand-in for the CUDA driver's library, so that JCuda's own native library can be tested
 * without a GPU. It has two devices, executes everything but kernels at once on the host, and is
 * strict where the driver is: the current context belongs to the calling thread, and a handle of another
 * context is refused.
 *
 * A test talks to it through the "desk", a file beside this library that both sides map: the test
 * says which call shall fail, the stand-in writes down what was called. Without that file there is
 * nothing to say and nothing is written down.
 *
 * Functions of the driver that have no body here get one from the test that builds this: a call of
 * the runtime's table succeeds unless the test says otherwise, and any other answers
 * CUDA_ERROR_NOT_SUPPORTED.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_CONTEXT = 201,
       INVALID_HANDLE = 400, NOT_FOUND = 500 };

enum { DEVICES = 2, DESK_BYTES = 1 << 20 };

/* What the driver aligns device memory to. */
enum { ALIGNMENT = 256 };

/* What a call needs: no context, any context, or (from 0 on) that of one device. */
enum { NO_CONTEXT = -2, ANY_CONTEXT = -1 };

typedef enum { CONTEXT, STREAM, EVENT, MODULE, DEVICE_MEMORY, HOST_MEMORY, FUNCTION, GRAPH, KINDS } Kind;

typedef struct {
  /* Written by the test. */
  char failing[64];
  int32_t skipped;
  int32_t code;
  int32_t devices;
  int32_t tracing;
  char held_kernel[64];
  int64_t held_millis;
  int64_t paced_millis;
  /* Written by the stand-in. */
  int64_t wrong_contexts;
  int64_t live[KINDS];
  int64_t trace_length;
  char trace[];
} Desk;

/* Every handle points to one of these; memory has it in front. */
typedef struct {
  int64_t magic;
  int32_t kind;
  int32_t device;
  int64_t id;
  int64_t bytes; /* of memory, and only there */
} Object;

typedef struct {
  Object object;
  char *image;
  struct Function *functions;
} Module;

/* Belongs to its module, like the next one there. */
typedef struct Function {
  Object object;
  struct Function *next;
  char name[128];
  int sizes[64];
  int parameters;
  int dynamic_shared;
} Function;

static const int64_t MAGIC = 0x57A4D14;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static Desk *desk;
static Desk nobody_looks;
static int64_t last_id[KINDS];
static Object contexts[DEVICES];
static int retained[DEVICES];
static __thread Object *current;

static void open_desk(void) {
  desk = &nobody_looks;
  desk->devices = DEVICES;
  Dl_info self;
  char path[4096];
  if (!dladdr((void *)open_desk, &self)) return;
  snprintf(path, sizeof path, "%s", self.dli_fname);
  char *slash = strrchr(path, '/');
  if (!slash) return;
  snprintf(slash, sizeof path - (slash - path), "/desk");
  int file = open(path, O_RDWR);
  if (file < 0) return;
  void *mapped = mmap(NULL, DESK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) desk = mapped;
}

/* Writes the call down, and says how it ends as far as failures and contexts decide that. */
__attribute__((format(printf, 3, 4)))
int answer(const char *call, int needs, const char *details, ...) {
  pthread_once(&once, open_desk);
  pthread_mutex_lock(&lock);
  int code = SUCCESS;
  int context = current ? current->device : -1;
  if ((needs == ANY_CONTEXT && !current) || (needs >= 0 && context != needs)) {
    desk->wrong_contexts++;
    code = INVALID_CONTEXT;
  } else if (strcmp(desk->failing, call) == 0 && desk->skipped-- <= 0) {
    code = desk->code;
  }
  if (desk->tracing) {
    size_t room = DESK_BYTES - sizeof(Desk) - desk->trace_length;
    char line[2048];
    int length = snprintf(line, sizeof line, "%s context=%d", call, context);
    va_list arguments;
    va_start(arguments, details);
    length += vsnprintf(line + length, sizeof line - length, details, arguments);
    va_end(arguments);
    length += snprintf(line + length, sizeof line - length, "\n");
    if ((size_t)length < room) {
      memcpy(desk->trace + desk->trace_length, line, length);
      desk->trace_length += length;
    }
  }
  pthread_mutex_unlock(&lock);
  return code;
}

static void count(Kind kind, int by) {
  pthread_mutex_lock(&lock);
  desk->live[kind] += by;
  pthread_mutex_unlock(&lock);
}

static void *register_at(Object *object, Kind kind) {
  object->magic = MAGIC;
  object->kind = kind;
  object->device = current->device;
  count(kind, 1);
  pthread_mutex_lock(&lock);
  object->id = ++last_id[kind];
  pthread_mutex_unlock(&lock);
  return object;
}

static void *create(Kind kind, size_t bytes) { return register_at(calloc(1, bytes), kind); }

static void unregister(Object *object) {
  count(object->kind, -1);
  object->magic = 0;
}

static void destroy(Object *object) {
  unregister(object);
  free(object);
}

static Object *in_front_of(const void *memory) { return (Object *)memory - 1; }

/* Memory that begins with what nobody wrote there, as new memory of a device does. */
static char *create_memory(Kind kind, size_t bytes) {
  char *whole = NULL;
  if (posix_memalign((void **)&whole, ALIGNMENT, ALIGNMENT + bytes) != 0) return NULL;
  char *memory = whole + ALIGNMENT;
  memset(whole, 0, ALIGNMENT);
  memset(memory, 0xA5, bytes);
  register_at(in_front_of(memory), kind);
  in_front_of(memory)->bytes = (int64_t)bytes;
  return memory;
}

static void destroy_memory(char *memory) {
  unregister(in_front_of(memory));
  free(memory - ALIGNMENT);
}

static int is(const Object *object, Kind kind) {
  return object && object->magic == MAGIC && object->kind == (int)kind;
}

#define REQUIRE(object, kind) \
  if (!is((const Object *)(object), kind)) return INVALID_HANDLE

#define CALL(needs, ...)                                  \
  do {                                                    \
    int code_ = answer(__func__, needs, __VA_ARGS__);     \
    if (code_ != SUCCESS) return code_;                   \
  } while (0)

/* A function whose symbol has a version, under the name that its caller knows. */
#define VERSIONED(name, symbol, ...) int name(__VA_ARGS__) __asm__(symbol); int name(__VA_ARGS__)

static int device_of(const void *object) { return ((const Object *)object)->device; }
static long id_of(const void *object) { return ((const Object *)object)->id; }

/* Blocks in the call, with no lock held, as a launch does that finds its stream's queue full. */
static void block(int64_t millis) {
  struct timespec left = {millis / 1000, millis % 1000 * 1000000};
  while (millis > 0 && nanosleep(&left, &left) != 0) continue;
}

int cuInit(unsigned flags) {
  CALL(NO_CONTEXT, " flags=%u", flags);
  return SUCCESS;
}

int cuDriverGetVersion(int *version) {
  CALL(NO_CONTEXT, " ");
  *version = 12060;
  return SUCCESS;
}

int cuDeviceGetCount(int *number) {
  CALL(NO_CONTEXT, " ");
  *number = desk->devices;
  return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal) {
  CALL(NO_CONTEXT, " ordinal=%d", ordinal);
  if (ordinal < 0 || ordinal >= DEVICES) return INVALID_DEVICE;
  *device = ordinal;
  return SUCCESS;
}

int cuDeviceGetName(char *name, int length, int device) {
  CALL(NO_CONTEXT, " device=%d", device);
  snprintf(name, length, "Stand-in %d", device);
  return SUCCESS;
}

VERSIONED(cuDeviceTotalMem, "cuDeviceTotalMem_v2", size_t *bytes, int device) {
  CALL(NO_CONTEXT, " device=%d", device);
  *bytes = ((size_t)80 + device) << 30;
  return SUCCESS;
}

/* Each byte tells its place, and the last one the device. */
int cuDeviceGetUuid(char *uuid, int device) {
  CALL(NO_CONTEXT, " device=%d", device);
  for (int i = 0; i < 16; i++) uuid[i] = (char)(i == 15 ? device : 16 * i + i);
  return SUCCESS;
}

int cuDeviceGetPCIBusId(char *id, int length, int device) {
  CALL(NO_CONTEXT, " length=%d device=%d", length, device);
  snprintf(id, length, "0000:%02X:00.0", 0x3A + device);
  return SUCCESS;
}

/* Memory pools are there; all else is told apart by the number of the attribute. */
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  CALL(NO_CONTEXT, " attribute=%d device=%d", attribute, device);
  *value = attribute == 115 ? 1 : 1000 + attribute;
  return SUCCESS;
}

int cuDevicePrimaryCtxRetain(Object **context, int device) {
  CALL(NO_CONTEXT, " device=%d", device);
  pthread_mutex_lock(&lock);
  contexts[device] = (Object){MAGIC, CONTEXT, device, device, 0};
  retained[device]++;
  desk->live[CONTEXT]++;
  pthread_mutex_unlock(&lock);
  *context = &contexts[device];
  return SUCCESS;
}

VERSIONED(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", int device) {
  CALL(NO_CONTEXT, " device=%d", device);
  pthread_mutex_lock(&lock);
  int was = retained[device];
  if (was > 0) {
    retained[device]--;
    desk->live[CONTEXT]--;
  }
  pthread_mutex_unlock(&lock);
  return was > 0 ? SUCCESS : INVALID_CONTEXT;
}

/* There is one pool per device, which needs no state: its handle is the device's number plus one. */
int cuDeviceGetMemPool(char **pool, int device) {
  CALL(NO_CONTEXT, " device=%d", device);
  if (device < 0 || device >= DEVICES) return INVALID_DEVICE;
  *pool = (char *)0 + device + 1;
  return SUCCESS;
}

int cuMemPoolSetAttribute(char *pool, int attribute, uint64_t *value) {
  CALL(NO_CONTEXT, " pool=%d attribute=%d value=%llu", (int)(pool - (char *)0), attribute,
       (unsigned long long)*value);
  return SUCCESS;
}

int cuCtxSetCurrent(Object *context) {
  CALL(NO_CONTEXT, " to=%ld", context ? id_of(context) : -1);
  if (context) REQUIRE(context, CONTEXT);
  current = context;
  return SUCCESS;
}

int cuCtxGetCurrent(Object **context) {
  CALL(NO_CONTEXT, " ");
  *context = current;
  return SUCCESS;
}

int cuCtxSynchronize(void) {
  CALL(ANY_CONTEXT, " ");
  block(desk->paced_millis);
  return SUCCESS;
}

VERSIONED(cuMemGetInfo, "cuMemGetInfo_v2", size_t *free_bytes, size_t *total) {
  CALL(ANY_CONTEXT, " ");
  *total = ((size_t)80 + current->device) << 30;
  *free_bytes = *total - 4096;
  return SUCCESS;
}

int cuStreamCreateWithPriority(Object **stream, unsigned flags, int priority) {
  CALL(ANY_CONTEXT, " flags=%u priority=%d", flags, priority);
  *stream = create(STREAM, sizeof(Object));
  return SUCCESS;
}

/* The legacy default stream, whose handle is 1, belongs to every context. */
/* The legacy default stream and that of the thread have no object. */
static int is_default(const Object *stream) { return stream == (Object *)1 || stream == (Object *)2; }

int cuStreamGetCtx(Object *stream, Object **context) {
  CALL(ANY_CONTEXT, " ");
  if (is_default(stream)) {
    *context = current;
    return SUCCESS;
  }
  REQUIRE(stream, STREAM);
  *context = &contexts[device_of(stream)];
  return SUCCESS;
}

/* The bytes of a stream are 1 while it is captured. */
int cuStreamIsCapturing(Object *stream, int *status) {
  CALL(ANY_CONTEXT, " ");
  if (!is_default(stream)) REQUIRE(stream, STREAM);
  *status = !is_default(stream) && stream->bytes;
  return SUCCESS;
}

VERSIONED(cuStreamBeginCapture, "cuStreamBeginCapture_v2", Object *stream, int mode) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " stream=%ld mode=%d", id_of(stream), mode);
  stream->bytes = 1;
  return SUCCESS;
}

int cuStreamEndCapture(Object *stream, Object **graph) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " stream=%ld", id_of(stream));
  *graph = stream->bytes ? create(GRAPH, sizeof(Object)) : NULL;
  stream->bytes = 0;
  return SUCCESS;
}

VERSIONED(cuStreamDestroy, "cuStreamDestroy_v2", Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " stream=%ld", id_of(stream));
  destroy(stream);
  return SUCCESS;
}

int cuStreamSynchronize(Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " stream=%ld", id_of(stream));
  return SUCCESS;
}

int cuStreamQuery(Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " stream=%ld", id_of(stream));
  return SUCCESS;
}

int cuStreamWaitEvent(Object *stream, Object *event, unsigned flags) {
  REQUIRE(event, EVENT);
  if (is_default(stream)) {
    CALL(device_of(event), " stream=default %ld event=%ld", (long)stream, id_of(event));
    return SUCCESS;
  }
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " stream=%ld event=%ld flags=%u", id_of(stream), id_of(event), flags);
  return SUCCESS;
}

int cuEventCreate(Object **event, unsigned flags) {
  CALL(ANY_CONTEXT, " flags=%u", flags);
  *event = create(EVENT, sizeof(Object));
  return SUCCESS;
}

VERSIONED(cuEventDestroy, "cuEventDestroy_v2", Object *event) {
  REQUIRE(event, EVENT);
  CALL(device_of(event), " event=%ld", id_of(event));
  destroy(event);
  return SUCCESS;
}

int cuEventRecord(Object *event, Object *stream) {
  REQUIRE(event, EVENT);
  REQUIRE(stream, STREAM);
  if (device_of(event) != device_of(stream)) return INVALID_HANDLE;
  CALL(device_of(stream), " event=%ld stream=%ld", id_of(event), id_of(stream));
  return SUCCESS;
}

int cuEventSynchronize(Object *event) {
  REQUIRE(event, EVENT);
  CALL(device_of(event), " event=%ld", id_of(event));
  return SUCCESS;
}

int cuEventQuery(Object *event) {
  REQUIRE(event, EVENT);
  CALL(device_of(event), " event=%ld", id_of(event));
  return SUCCESS;
}

int cuEventElapsedTime(float *millis, Object *from, Object *to) {
  REQUIRE(from, EVENT);
  REQUIRE(to, EVENT);
  CALL(device_of(from), " from=%ld to=%ld", id_of(from), id_of(to));
  *millis = 0.5f;
  return SUCCESS;
}

int cuMemAllocAsync(char **memory, size_t bytes, Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " bytes=%zu stream=%ld", bytes, id_of(stream));
  *memory = create_memory(DEVICE_MEMORY, bytes);
  return *memory ? SUCCESS : OUT_OF_MEMORY;
}

int cuMemFreeAsync(char *memory, Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " stream=%ld", id_of(stream));
  REQUIRE(in_front_of(memory), DEVICE_MEMORY);
  destroy_memory(memory);
  return SUCCESS;
}

VERSIONED(cuMemAlloc, "cuMemAlloc_v2", char **memory, size_t bytes) {
  CALL(ANY_CONTEXT, " bytes=%zu", bytes);
  *memory = create_memory(DEVICE_MEMORY, bytes);
  return *memory ? SUCCESS : OUT_OF_MEMORY;
}

VERSIONED(cuMemFree, "cuMemFree_v2", char *memory) {
  CALL(ANY_CONTEXT, " ");
  REQUIRE(in_front_of(memory), DEVICE_MEMORY);
  destroy_memory(memory);
  return SUCCESS;
}

VERSIONED(cuMemAllocHost, "cuMemAllocHost_v2", char **memory, size_t bytes) {
  CALL(ANY_CONTEXT, " bytes=%zu", bytes);
  *memory = create_memory(HOST_MEMORY, bytes);
  return *memory ? SUCCESS : OUT_OF_MEMORY;
}

VERSIONED(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", char **address, char *memory,
          unsigned flags) {
  CALL(ANY_CONTEXT, " flags=%u", flags);
  REQUIRE(in_front_of(memory), HOST_MEMORY);
  *address = memory;
  return SUCCESS;
}

/* The address is the first byte of an allocation, or 0, which the driver does not know. */
int cuPointerGetAttributes(unsigned number, const int *attributes, void **data, char *memory) {
  CALL(ANY_CONTEXT, " number=%u", number);
  Object *object = memory ? in_front_of(memory) : NULL;
  int device = is(object, DEVICE_MEMORY);
  int known = device || is(object, HOST_MEMORY);
  for (unsigned i = 0; i < number; i++) {
    switch (attributes[i]) {
      case 2: *(int *)data[i] = known ? device + 1 : 0; break;
      case 8: *(char *)data[i] = 0; break;
      case 9: *(int *)data[i] = known ? device_of(object) : -2; break;
      case 11: *(char **)data[i] = device ? memory : NULL; break;
      case 12: *(size_t *)data[i] = device ? (size_t)object->bytes : 0; break;
      default: return INVALID_VALUE;
    }
  }
  return SUCCESS;
}

int cuMemFreeHost(char *memory) {
  CALL(ANY_CONTEXT, " ");
  REQUIRE(in_front_of(memory), HOST_MEMORY);
  destroy_memory(memory);
  return SUCCESS;
}

VERSIONED(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", char *to, const char *from, size_t bytes,
          Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " bytes=%zu stream=%ld", bytes, id_of(stream));
  memcpy(to, from, bytes);
  return SUCCESS;
}

VERSIONED(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", char *to, const char *from, size_t bytes,
          Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " bytes=%zu stream=%ld", bytes, id_of(stream));
  memcpy(to, from, bytes);
  return SUCCESS;
}

VERSIONED(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", char *to, const char *from, size_t bytes,
          Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " bytes=%zu stream=%ld", bytes, id_of(stream));
  memcpy(to, from, bytes);
  return SUCCESS;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  CALL(NO_CONTEXT, " device=%d peer=%d", device, peer);
  *can = device != peer;
  return SUCCESS;
}

int cuMemPoolSetAccess(char *pool, const int32_t *access, size_t number) {
  CALL(NO_CONTEXT, " pool=%d location=%d device=%d flags=%d number=%zu", (int)(pool - (char *)0),
       access[0], access[1], access[2], number);
  return SUCCESS;
}

int cuCtxEnablePeerAccess(Object *peer, unsigned flags) {
  REQUIRE(peer, CONTEXT);
  CALL(ANY_CONTEXT, " peer=%d flags=%u", device_of(peer), flags);
  return SUCCESS;
}

int cuMemcpyPeerAsync(char *to, Object *to_context, const char *from, Object *from_context,
                      size_t bytes, Object *stream) {
  REQUIRE(stream, STREAM);
  REQUIRE(to_context, CONTEXT);
  REQUIRE(from_context, CONTEXT);
  CALL(device_of(stream), " from=%d to=%d bytes=%zu stream=%ld", device_of(from_context),
       device_of(to_context), bytes, id_of(stream));
  memcpy(to, from, bytes);
  return SUCCESS;
}

int cuMemsetD8Async(uint8_t *to, unsigned char value, size_t number, Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " value=%u count=%zu", value, number);
  for (size_t i = 0; i < number; i++) to[i] = value;
  return SUCCESS;
}

int cuMemsetD16Async(uint16_t *to, unsigned short value, size_t number, Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " value=%u count=%zu", value, number);
  for (size_t i = 0; i < number; i++) to[i] = value;
  return SUCCESS;
}

int cuMemsetD32Async(uint32_t *to, unsigned value, size_t number, Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " value=%u count=%zu", value, number);
  for (size_t i = 0; i < number; i++) to[i] = value;
  return SUCCESS;
}

int cuMemsetD2D32Async(char *to, size_t pitch, unsigned value, size_t width, size_t height,
                       Object *stream) {
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " pitch=%zu value=%u width=%zu height=%zu", pitch, value, width, height);
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) ((uint32_t *)(to + y * pitch))[x] = value;
  return SUCCESS;
}

/* The driver fills its logs whether it likes the image or not. */
int cuModuleLoadDataEx(Module **module, const char *image, unsigned number, int *options,
                       void **values) {
  size_t bytes = strlen(image);
  int code = answer("cuModuleLoadDataEx", ANY_CONTEXT, " text=%zu options=%u", bytes, number);
  for (unsigned i = 0; i + 1 < number; i += 2) {
    const char *kind = options[i] == 3 ? "info" : "error";
    if (options[i + 1] != options[i] + 1) return INVALID_VALUE;
    size_t room = (size_t)values[i + 1];
    snprintf(values[i], room, "%s log of %zu bytes, %.40s", kind, bytes, image);
  }
  if (code != SUCCESS) return code;
  Module *loaded = create(MODULE, sizeof(Module));
  loaded->image = strdup(image);
  *module = loaded;
  return SUCCESS;
}

int cuModuleUnload(Module *module) {
  REQUIRE(module, MODULE);
  CALL(device_of(module), " module=%ld", id_of(module));
  for (Function *function = module->functions; function;) {
    Function *next = function->next;
    destroy(&function->object);
    function = next;
  }
  free(module->image);
  destroy(&module->object);
  return SUCCESS;
}

/* Reads the parameters of an entry from the text: ".param .u32 name". */
static void read_parameters(Function *function, const char *from) {
  const char *end = strchr(from, ')');
  for (const char *p = strstr(from, ".param ."); p && p < end; p = strstr(p + 1, ".param ."))
    function->sizes[function->parameters++] = atoi(p + strlen(".param .x")) / 8;
}

int cuModuleGetFunction(Function **function, Module *module, const char *name) {
  REQUIRE(module, MODULE);
  CALL(device_of(module), " module=%ld name=%s", id_of(module), name);
  char entry[160];
  snprintf(entry, sizeof entry, ".entry %.120s(", name);
  const char *found = strstr(module->image, entry);
  if (!found) return NOT_FOUND;
  Function *made = create(FUNCTION, sizeof(Function));
  snprintf(made->name, sizeof made->name, "%s", name);
  read_parameters(made, found);
  pthread_mutex_lock(&lock);
  made->next = module->functions;
  module->functions = made;
  pthread_mutex_unlock(&lock);
  *function = made;
  return SUCCESS;
}

static char variables[4096];

/* Finds "name[bytes];" and "name;", which has four; all variables lie at the same address. */
VERSIONED(cuModuleGetGlobal, "cuModuleGetGlobal_v2", uint64_t *address, size_t *bytes,
          Module *module, const char *name) {
  REQUIRE(module, MODULE);
  CALL(device_of(module), " module=%ld name=%s", id_of(module), name);
  const char *found = strstr(module->image, name);
  size_t length = strlen(name);
  if (!found || (found[length] != '[' && found[length] != ';')) return NOT_FOUND;
  *address = (uint64_t)variables;
  *bytes = found[length] == '[' ? strtoul(found + length + 1, NULL, 10) : 4;
  return SUCCESS;
}

int cuFuncGetAttribute(int *value, int attribute, Function *function) {
  REQUIRE(function, FUNCTION);
  CALL(device_of(function), " attribute=%d", attribute);
  *value = attribute == 8 ? function->dynamic_shared : 500 + attribute;
  return SUCCESS;
}

int cuFuncSetAttribute(Function *function, int attribute, int value) {
  REQUIRE(function, FUNCTION);
  CALL(device_of(function), " attribute=%d value=%d", attribute, value);
  if (attribute != 8) return INVALID_VALUE;
  function->dynamic_shared = value;
  return SUCCESS;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *function, int threads,
                                                size_t shared) {
  REQUIRE(function, FUNCTION);
  CALL(device_of(function), " function=%s threads=%d shared=%zu", function->name, threads, shared);
  *blocks = 3;
  return SUCCESS;
}

int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, Function *function,
                                     size_t (*shared_of_block)(int), size_t shared, int limit) {
  REQUIRE(function, FUNCTION);
  CALL(device_of(function), " function=%s callback=%d shared=%zu limit=%d", function->name,
       shared_of_block != NULL, shared, limit);
  *grid = 264;
  *block = 768;
  return SUCCESS;
}

/* Writes the bytes of every argument, as many as its parameter has, lowest address first. */
static void describe(const Function *function, void **parameters, char arguments[1024]) {
  size_t length = 0;
  arguments[0] = 0;
  for (int i = 0; i < function->parameters && length < 1024 - 20; i++) {
    const unsigned char *bytes = parameters[i];
    length += sprintf(arguments + length, "%s", i ? "," : "");
    for (int b = 0; b < function->sizes[i]; b++)
      length += sprintf(arguments + length, "%02x", bytes[b]);
  }
}

static int launch(const char *call, Function *function, unsigned grid_x, unsigned grid_y,
                  unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                  unsigned shared, Object *stream, void **parameters, int has_extra) {
  REQUIRE(function, FUNCTION);
  REQUIRE(stream, STREAM);
  if (device_of(function) != device_of(stream)) return INVALID_HANDLE;
  char arguments[1024];
  describe(function, parameters, arguments);
  int code = answer(call, device_of(stream), " function=%s grid=%u,%u,%u block=%u,%u,%u shared=%u"
                    " stream=%ld extra=%d arguments=%s", function->name, grid_x, grid_y, grid_z,
                    block_x, block_y, block_z, shared, id_of(stream), has_extra, arguments);
  if (code != SUCCESS) return code;
  int held = strcmp(desk->held_kernel, function->name) == 0;
  block(held ? desk->held_millis : desk->paced_millis);
  return SUCCESS;
}

int cuLaunchKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   Object *stream, void **parameters, void **extra) {
  return launch(__func__, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                stream, parameters, extra != NULL);
}

int cuLaunchCooperativeKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                              Object *stream, void **parameters) {
  return launch(__func__, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                stream, parameters, 0);
}

/* As the driver lays them out, in the second version of each. */
typedef struct {
  Function *function;
  unsigned grid[3], block[3], shared;
  void **parameters, **extra;
  void *kernel, *context;
} KernelNode;

typedef struct {
  size_t source[4];
  int source_type;
  const void *source_host;
  const char *source_device;
  void *source_array;
  size_t unused_source[3], target[4];
  int target_type;
  void *target_host;
  char *target_device;
  void *target_array;
  size_t unused_target[3], width, height, depth;
} CopyNode;

typedef struct {
  char *to;
  size_t pitch;
  unsigned value, element_size;
  size_t width, height;
} FillNode;

int cuGraphCreate(Object **graph, unsigned flags) {
  CALL(ANY_CONTEXT, " flags=%u", flags);
  *graph = create(GRAPH, sizeof(Object));
  return SUCCESS;
}

int cuGraphDestroy(Object *graph) {
  REQUIRE(graph, GRAPH);
  CALL(device_of(graph), " graph=%ld", id_of(graph));
  destroy(graph);
  return SUCCESS;
}

/* A node is its number among the nodes of its graph, from 1. */
static intptr_t next_node(Object *graph) { return (intptr_t)++graph->bytes; }

static const char *list(char text[256], const intptr_t *after, size_t number) {
  size_t length = 0;
  text[0] = 0;
  for (size_t i = 0; i < number && length < 240; i++)
    length += sprintf(text + length, "%s%ld", i ? "," : "", (long)after[i]);
  return text;
}

VERSIONED(cuGraphAddKernelNode, "cuGraphAddKernelNode_v2", intptr_t *node, Object *graph,
          const intptr_t *after, size_t number, const KernelNode *launch) {
  REQUIRE(graph, GRAPH);
  REQUIRE(launch->function, FUNCTION);
  char arguments[1024], nodes[256];
  describe(launch->function, launch->parameters, arguments);
  CALL(device_of(graph), " nodes=%s function=%s grid=%u,%u,%u block=%u,%u,%u shared=%u extra=%d"
       " kernel=%d arguments=%s", list(nodes, after, number), launch->function->name,
       launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
       launch->block[2], launch->shared, launch->extra != NULL, launch->kernel != NULL, arguments);
  *node = next_node(graph);
  return SUCCESS;
}

int cuGraphKernelNodeSetAttribute(intptr_t node, int attribute, const int *value) {
  CALL(ANY_CONTEXT, " node=%ld attribute=%d value=%d", (long)node, attribute, *value);
  return SUCCESS;
}

static int copies(const char *call, Object *graph, const char *place, const CopyNode *copy) {
  return answer(call, device_of(graph), " nodes=%s types=%d,%d from=%p to=%p size=%zu,%zu,%zu", place,
                copy->source_type, copy->target_type,
                copy->source_type == 1 ? copy->source_host : copy->source_device,
                copy->target_type == 1 ? copy->target_host : copy->target_device, copy->width,
                copy->height, copy->depth);
}

int cuGraphAddMemcpyNode(intptr_t *node, Object *graph, const intptr_t *after, size_t number,
                         const CopyNode *copy, Object *context) {
  REQUIRE(graph, GRAPH);
  REQUIRE(context, CONTEXT);
  char nodes[256];
  int code = copies(__func__, graph, list(nodes, after, number), copy);
  if (code != SUCCESS) return code;
  *node = next_node(graph);
  return SUCCESS;
}

static int fills(const char *call, Object *graph, const char *place, const FillNode *fill) {
  return answer(call, device_of(graph), " nodes=%s to=%p value=%u element=%u pitch=%zu size=%zu,%zu",
                place, fill->to, fill->value, fill->element_size, fill->pitch, fill->width,
                fill->height);
}

int cuGraphAddMemsetNode(intptr_t *node, Object *graph, const intptr_t *after, size_t number,
                         const FillNode *fill, Object *context) {
  REQUIRE(graph, GRAPH);
  REQUIRE(context, CONTEXT);
  char nodes[256];
  int code = fills(__func__, graph, list(nodes, after, number), fill);
  if (code != SUCCESS) return code;
  *node = next_node(graph);
  return SUCCESS;
}

/* A CUgraphNodeParams of a condition. */
typedef struct {
  int type, unused[3];
  unsigned long long handle;
  int kind;
  unsigned graphs;
  Object **made;
  Object *context;
  char rest[256 - 48];
} ConditionNode;

int cuGraphConditionalHandleCreate(unsigned long long *handle, Object *graph, Object *context,
                                   unsigned initial, unsigned flags) {
  REQUIRE(graph, GRAPH);
  REQUIRE(context, CONTEXT);
  CALL(device_of(graph), " initial=%u flags=%u", initial, flags);
  *handle = 7;
  return SUCCESS;
}

/* The nodes of a condition are numbered with those of its graph. */
int cuGraphAddNode(intptr_t *node, Object *graph, const intptr_t *after, size_t number,
                   ConditionNode *condition) {
  static Object *made;
  REQUIRE(graph, GRAPH);
  REQUIRE(condition->context, CONTEXT);
  char nodes[256];
  CALL(device_of(graph), " nodes=%s type=%d handle=%llu kind=%d graphs=%u",
       list(nodes, after, number), condition->type, condition->handle, condition->kind,
       condition->graphs);
  made = graph;
  condition->made = &made;
  *node = next_node(graph);
  return SUCCESS;
}

/* An executable graph has the handle of its graph, which outlives it. */
VERSIONED(cuGraphInstantiate, "cuGraphInstantiateWithFlags", Object **executable, Object *graph,
          unsigned long long flags) {
  REQUIRE(graph, GRAPH);
  CALL(device_of(graph), " graph=%ld flags=%llu", id_of(graph), flags);
  *executable = graph;
  return SUCCESS;
}

int cuGraphExecDestroy(Object *executable) {
  REQUIRE(executable, GRAPH);
  CALL(device_of(executable), " graph=%ld", id_of(executable));
  return SUCCESS;
}

int cuGraphExecUpdate(Object *executable, Object *graph, intptr_t *node, int *result) {
  REQUIRE(executable, GRAPH);
  REQUIRE(graph, GRAPH);
  CALL(device_of(executable), " graph=%ld", id_of(graph));
  *node = 0;
  *result = 0;
  return SUCCESS;
}

int cuGraphLaunch(Object *executable, Object *stream) {
  REQUIRE(executable, GRAPH);
  REQUIRE(stream, STREAM);
  CALL(device_of(stream), " graph=%ld stream=%ld", id_of(executable), id_of(stream));
  return SUCCESS;
}

VERSIONED(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2", Object *executable,
          intptr_t node, const KernelNode *launch) {
  REQUIRE(executable, GRAPH);
  REQUIRE(launch->function, FUNCTION);
  char arguments[1024];
  describe(launch->function, launch->parameters, arguments);
  CALL(device_of(executable), " node=%ld function=%s arguments=%s", (long)node,
       launch->function->name, arguments);
  return SUCCESS;
}

int cuGraphExecMemcpyNodeSetParams(Object *executable, intptr_t node, const CopyNode *copy,
                                   Object *context) {
  REQUIRE(executable, GRAPH);
  REQUIRE(context, CONTEXT);
  char place[256];
  return copies(__func__, executable, list(place, &node, 1), copy);
}

int cuGraphExecMemsetNodeSetParams(Object *executable, intptr_t node, const FillNode *fill,
                                   Object *context) {
  REQUIRE(executable, GRAPH);
  REQUIRE(context, CONTEXT);
  char place[256];
  return fills(__func__, executable, list(place, &node, 1), fill);
}
