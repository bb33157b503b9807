import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

@SuppressWarnings("streamfence:UnseenModule") // There is no such code.
@KernelModule("rootless.ptx")
interface Rootless {
  @Kernel
  void iota(@Writes DeviceArray<int[]> target, @ThreadCount int n);
}
