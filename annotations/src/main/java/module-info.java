/** The annotations that describe how a CUDA kernel touches memory. */
module dev.streamfence.annotations {
  exports dev.streamfence.annotation;
}
