module demo {
  requires dev.streamfence.arrow;
}
