package first;

import dev.streamfence.DeviceArray;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.ReadWrites;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

@KernelModule("kernels/vector.ptx")
public interface VectorKernels {
  @Kernel
  void saxpy(
      float a,
      @Reads DeviceArray<float[]> x,
      @ReadWrites DeviceArray<float[]> y,
      @ThreadCount int n);
}
