// A library that makes tensors and uses those of others, as a tensor library in C does.
#include "abi.h"
#include <pthread.h>
#include <stdlib.h>

// How often the deleter of any tensor of this library ran.
static int deletions;

int deleted(void) { return __atomic_load_n(&deletions, __ATOMIC_SEQ_CST); }

// Is told of each deletion, with the address of the tensor's memory.
static void (*notify)(int64_t);

void notify_of_deletions(void (*function)(int64_t)) { notify = function; }

static void count(const DLTensor *tensor) {
  __atomic_add_fetch(&deletions, 1, __ATOMIC_SEQ_CST);
  if (notify) {
    notify((int64_t)tensor->data);
  }
}

static void delete_legacy(DLManagedTensor *self) {
  count(&self->dl_tensor);
  free(self->dl_tensor.shape);
  free(self);
}

static void delete_versioned(DLManagedTensorVersioned *self) {
  count(&self->dl_tensor);
  free(self->dl_tensor.shape);
  free(self);
}

// A row-major tensor of floats on a device; its memory is its caller's.
static DLTensor tensor(void *data, int device_type, int device_id, int64_t rows, int64_t columns) {
  int64_t *sizes = malloc(4 * sizeof(int64_t));
  sizes[0] = rows;
  sizes[1] = columns;
  sizes[2] = columns;
  sizes[3] = 1;
  return (DLTensor){.data = data,
                    .device = {device_type, device_id},
                    .ndim = 2,
                    .dtype = {2, 32, 1},
                    .shape = sizes,
                    .strides = sizes + 2};
}

DLManagedTensor *make_legacy(void *data, int device_type, int device_id, int64_t rows,
                             int64_t columns) {
  DLManagedTensor *made = calloc(1, sizeof(DLManagedTensor));
  made->dl_tensor = tensor(data, device_type, device_id, rows, columns);
  made->deleter = delete_legacy;
  return made;
}

DLManagedTensorVersioned *make_versioned(void *data, int device_type, int device_id, int64_t rows,
                                         int64_t columns, uint64_t flags) {
  DLManagedTensorVersioned *made = calloc(1, sizeof(DLManagedTensorVersioned));
  made->version = (DLPackVersion){1, 3};
  made->flags = flags;
  made->dl_tensor = tensor(data, device_type, device_id, rows, columns);
  made->deleter = delete_versioned;
  return made;
}

DLManagedTensorVersioned *make_vector(void *data, int64_t length, uint64_t flags) {
  DLManagedTensorVersioned *made = make_versioned(data, 2, 0, length, 1, flags);
  made->dl_tensor.ndim = 1;
  return made;
}

static int64_t elements(const DLTensor *tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor->ndim; i++) {
    count *= tensor->shape[i];
  }
  return count;
}

static double sum(const DLTensor *tensor) {
  const float *values = (const float *)((const char *)tensor->data + tensor->byte_offset);
  double total = 0;
  for (int64_t i = 0; i < elements(tensor); i++) {
    total += values[i];
  }
  return total;
}

// The sum of a tensor of floats in host memory, which is then deleted.
double consume_legacy(DLManagedTensor *tensor) {
  double total = sum(&tensor->dl_tensor);
  tensor->deleter(tensor);
  return total;
}

double consume_versioned(DLManagedTensorVersioned *tensor) {
  double total = sum(&tensor->dl_tensor);
  tensor->deleter(tensor);
  return total;
}

static void *delete_it(void *argument) {
  DLManagedTensorVersioned *tensor = argument;
  tensor->deleter(tensor);
  return NULL;
}

// Deletes tensors, each on a thread of its own that Java does not know.
int delete_on_threads(DLManagedTensorVersioned **tensors, int count) {
  pthread_t *threads = malloc(count * sizeof(pthread_t));
  int failed = 0;
  for (int i = 0; i < count; i++) {
    failed |= pthread_create(&threads[i], NULL, delete_it, tensors[i]);
  }
  for (int i = 0; i < count; i++) {
    failed |= pthread_join(threads[i], NULL);
  }
  free(threads);
  return failed;
}
