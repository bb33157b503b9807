// A library that makes arrays of Arrow's C device interface and uses those of others.
#include "abi.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// How often a release function of this library ran for a structure that was not released.
static int array_releases;
static int schema_releases;

int released_arrays(void) { return __atomic_load_n(&array_releases, __ATOMIC_SEQ_CST); }

int released_schemas(void) { return __atomic_load_n(&schema_releases, __ATOMIC_SEQ_CST); }

static void release_array(ArrowArray *self) {
  __atomic_add_fetch(&array_releases, 1, __ATOMIC_SEQ_CST);
  for (int64_t i = 0; i < self->n_children; i++) {
    if (self->children[i]->release) {
      self->children[i]->release(self->children[i]);
    }
    free(self->children[i]);
  }
  if (self->dictionary) {
    if (self->dictionary->release) {
      self->dictionary->release(self->dictionary);
    }
    free(self->dictionary);
  }
  free(self->children);
  free(self->buffers);
  free(self->private_data);
  self->release = NULL;
}

static void release_schema(ArrowSchema *self) {
  __atomic_add_fetch(&schema_releases, 1, __ATOMIC_SEQ_CST);
  for (int64_t i = 0; i < self->n_children; i++) {
    if (self->children[i]->release) {
      self->children[i]->release(self->children[i]);
    }
    free(self->children[i]);
  }
  if (self->dictionary) {
    if (self->dictionary->release) {
      self->dictionary->release(self->dictionary);
    }
    free(self->dictionary);
  }
  free(self->children);
  self->release = NULL;
}

static void make_node(ArrowSchema *schema, const char *format, const char *name,
                      const char *metadata, int64_t flags, int64_t children) {
  *schema = (ArrowSchema){.format = format,
                          .name = name,
                          .metadata = metadata,
                          .flags = flags,
                          .n_children = children,
                          .release = release_schema};
  if (children) {
    schema->children = calloc(children, sizeof(ArrowSchema *));
    for (int64_t i = 0; i < children; i++) {
      schema->children[i] = calloc(1, sizeof(ArrowSchema));
    }
  }
}

static void make_array(ArrowArray *array, int64_t length, int64_t nulls, int64_t offset,
                       int64_t buffers, int64_t children) {
  *array = (ArrowArray){.length = length,
                        .null_count = nulls,
                        .offset = offset,
                        .n_buffers = buffers,
                        .n_children = children,
                        .release = release_array};
  array->buffers = calloc(buffers, sizeof(void *));
  if (children) {
    array->children = calloc(children, sizeof(ArrowArray *));
    for (int64_t i = 0; i < children; i++) {
      array->children[i] = calloc(1, sizeof(ArrowArray));
    }
  }
}

// {"ARROW:extension:name": "arrow.bool8", "ARROW:extension:metadata": ""}
static const char BOOL8[] = "\2\0\0\0"
                            "\24\0\0\0ARROW:extension:name"
                            "\13\0\0\0arrow.bool8"
                            "\30\0\0\0ARROW:extension:metadata"
                            "\0\0\0\0";

// A table of three rows: a number, a flag in a byte, and a text by its number in a dictionary.
void make_table(ArrowSchema *schema, ArrowDeviceArray *array, const void *numbers,
                const void *validity, const void *flags, const void *indices, const void *offsets,
                const void *text, int device_type, int64_t device_id, int64_t event) {
  make_node(schema, "+s", "", NULL, 0, 3);
  make_node(schema->children[0], "i", "number", NULL, 2, 0);
  make_node(schema->children[1], "c", "flag", BOOL8, 0, 0);
  make_node(schema->children[2], "C", "", NULL, 3, 0);
  schema->children[2]->dictionary = calloc(1, sizeof(ArrowSchema));
  make_node(schema->children[2]->dictionary, "u", NULL, NULL, 0, 0);

  memset(array, 0, sizeof *array);
  make_array(&array->array, 3, 0, 0, 1, 3);
  array->device_type = device_type;
  array->device_id = device_id;
  if (event) {
    int64_t *where = malloc(sizeof(int64_t));
    *where = event;
    array->sync_event = where;
    array->array.private_data = where;
  }
  ArrowArray **children = array->array.children;
  make_array(children[0], 4, 1, 2, 2, 0);
  children[0]->buffers[0] = validity;
  children[0]->buffers[1] = numbers;
  make_array(children[1], 3, 0, 0, 2, 0);
  children[1]->buffers[1] = flags;
  make_array(children[2], 3, -1, 0, 2, 0);
  children[2]->buffers[1] = indices;
  children[2]->dictionary = calloc(1, sizeof(ArrowArray));
  make_array(children[2]->dictionary, 2, 0, 0, 3, 0);
  children[2]->dictionary->buffers[1] = offsets;
  children[2]->dictionary->buffers[2] = text;
}

// The sum of the numbers that are not null, of a field of 32-bit integers in host memory.
static int64_t sum(const ArrowArray *array) {
  const uint8_t *validity = array->buffers[0];
  const int32_t *values = array->buffers[1];
  int64_t total = 0;
  for (int64_t i = array->offset; i < array->offset + array->length; i++) {
    if (!validity || validity[i / 8] >> (i % 8) & 1) {
      total += values[i];
    }
  }
  return total;
}

int64_t sum_child(const ArrowArray *array, int child) { return sum(array->children[child]); }

int64_t sum_array(const ArrowArray *array) { return sum(array); }

// Moves a child out of its parent, as a consumer does that needs one column.
void move_child(ArrowArray *array, int child, ArrowArray *target) {
  memcpy(target, array->children[child], sizeof(ArrowArray));
  array->children[child]->release = NULL;
}

void move_schema_child(ArrowSchema *schema, int child, ArrowSchema *target) {
  memcpy(target, schema->children[child], sizeof(ArrowSchema));
  schema->children[child]->release = NULL;
}

static void *release_it(void *argument) {
  ArrowArray *array = argument;
  array->release(array);
  return NULL;
}

// Releases an array on a thread that Java does not know; whether that cleared the function.
int release_on_a_thread(ArrowArray *array) {
  pthread_t thread;
  pthread_create(&thread, NULL, release_it, array);
  pthread_join(thread, NULL);
  return array->release == NULL;
}

int release_schema_here(ArrowSchema *schema) {
  schema->release(schema);
  return schema->release == NULL;
}

// Releases an array after all its other fields were cleared.
int release_cleared(ArrowArray *array) {
  ArrowArray cleared = {.release = array->release, .private_data = array->private_data};
  memcpy(array, &cleared, sizeof cleared);
  array->release(array);
  return array->release == NULL;
}

// Calls the release function of an array that is released already.
void release_again(ArrowArray *array, void (*release)(ArrowArray *)) { release(array); }

// What a consumer reads of a schema, as one text.
static int metadata_is_bool8(const char *metadata) {
  return metadata && !memcmp(metadata, BOOL8, sizeof BOOL8 - 1);
}

int describes_table(const ArrowSchema *schema) {
  ArrowSchema **fields = schema->children;
  return !strcmp(schema->format, "+s") && !strcmp(schema->name, "") && schema->n_children == 3 &&
         !schema->metadata && !schema->dictionary && !strcmp(fields[0]->format, "i") &&
         !strcmp(fields[0]->name, "number") && fields[0]->flags == 2 &&
         !strcmp(fields[1]->format, "c") && metadata_is_bool8(fields[1]->metadata) &&
         !strcmp(fields[2]->format, "C") && fields[2]->flags == 3 &&
         !strcmp(fields[2]->dictionary->format, "u") && !fields[2]->children;
}
