package demo;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Optional;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Trusted;
import dev.streamfence.annotation.Writes;
import java.util.List;

@SuppressWarnings("streamfence:UnseenModule") // There is no such code.
@KernelModule("kernels/particles.ptx")
interface Particles {
  record Box(float width, float height, boolean isPeriodic) {}

  /** An array of these is an array of structures. */
  record Particle(float x, float y, int kind) {}

  @Kernel
  Completion move(
      @ReadWrites DeviceArray<float[]> positions, Box box, double seconds, @ThreadCount int n);

  @Kernel(mayAlias = true)
  void add(
      @Trusted("indexes stay inside") @Reads DeviceArray<float[]> a,
      @Writes DeviceArray<float[]> sum,
      @ThreadCount int n);

  @Kernel
  void collide(
      @ReadWrites DeviceArray<Particle[]> particles,
      @Reads @Optional DeviceArray<Particle[]> walls,
      @Writes List<DeviceArray<Particle[]>> byKind,
      Box box,
      @ThreadCount int n);

  @Kernel(cooperative = true)
  void settle(@ReadWrites DeviceArray<float[]> positions, LaunchShape shape);

  default void moveTwice(DeviceArray<float[]> positions, Box box, double seconds, int n) {
    move(positions, box, seconds, n);
    move(positions, box, seconds, n);
  }
}
