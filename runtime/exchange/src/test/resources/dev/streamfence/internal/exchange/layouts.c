// Prints the size of each structure and the place of each of its fields.
#include "abi.h"
#include <stddef.h>
#include <stdio.h>

#define SIZE(type) printf(#type " %zu\n", sizeof(type))
#define FIELD(type, field) printf(#type "." #field " %zu\n", offsetof(type, field))

int main(void) {
  SIZE(DLTensor);
  FIELD(DLTensor, data);
  FIELD(DLTensor, device.device_type);
  FIELD(DLTensor, device.device_id);
  FIELD(DLTensor, ndim);
  FIELD(DLTensor, dtype.code);
  FIELD(DLTensor, dtype.bits);
  FIELD(DLTensor, dtype.lanes);
  FIELD(DLTensor, shape);
  FIELD(DLTensor, strides);
  FIELD(DLTensor, byte_offset);
  SIZE(DLManagedTensor);
  FIELD(DLManagedTensor, dl_tensor);
  FIELD(DLManagedTensor, manager_ctx);
  FIELD(DLManagedTensor, deleter);
  SIZE(DLManagedTensorVersioned);
  FIELD(DLManagedTensorVersioned, version.major);
  FIELD(DLManagedTensorVersioned, version.minor);
  FIELD(DLManagedTensorVersioned, manager_ctx);
  FIELD(DLManagedTensorVersioned, deleter);
  FIELD(DLManagedTensorVersioned, flags);
  FIELD(DLManagedTensorVersioned, dl_tensor);
  SIZE(ArrowSchema);
  FIELD(ArrowSchema, format);
  FIELD(ArrowSchema, name);
  FIELD(ArrowSchema, metadata);
  FIELD(ArrowSchema, flags);
  FIELD(ArrowSchema, n_children);
  FIELD(ArrowSchema, children);
  FIELD(ArrowSchema, dictionary);
  FIELD(ArrowSchema, release);
  FIELD(ArrowSchema, private_data);
  SIZE(ArrowArray);
  FIELD(ArrowArray, length);
  FIELD(ArrowArray, null_count);
  FIELD(ArrowArray, offset);
  FIELD(ArrowArray, n_buffers);
  FIELD(ArrowArray, n_children);
  FIELD(ArrowArray, buffers);
  FIELD(ArrowArray, children);
  FIELD(ArrowArray, dictionary);
  FIELD(ArrowArray, release);
  FIELD(ArrowArray, private_data);
  SIZE(ArrowDeviceArray);
  FIELD(ArrowDeviceArray, array);
  FIELD(ArrowDeviceArray, device_id);
  FIELD(ArrowDeviceArray, device_type);
  FIELD(ArrowDeviceArray, sync_event);
  FIELD(ArrowDeviceArray, reserved);
  return 0;
}
