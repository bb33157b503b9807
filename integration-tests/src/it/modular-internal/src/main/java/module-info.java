module demo {
  requires dev.streamfence.runtime;
}
