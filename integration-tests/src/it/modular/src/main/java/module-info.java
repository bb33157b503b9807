module demo {
  requires dev.streamfence.annotations;
  requires dev.streamfence.exchange;
}
