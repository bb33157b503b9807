import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ThreadCount;
import dev.streamfence.annotation.Writes;

@KernelModule("counting.ptx")
public interface CountingKernels {
  @Kernel
  void countUp(@Writes DeviceArray<int[]> target, int first, @ThreadCount int n);
}
