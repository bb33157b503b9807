package demo

import dev.streamfence.DeviceArray
import dev.streamfence.annotation.Kernel
import dev.streamfence.annotation.KernelModule
import dev.streamfence.annotation.ReadWrites
import dev.streamfence.annotation.Reads
import dev.streamfence.annotation.ThreadCount

@KernelModule("kernels/vector.ptx")
interface VectorKernels {
  @Kernel
  fun saxpy(
    a: Float,
    @Reads x: DeviceArray<FloatArray>,
    @ReadWrites y: DeviceArray<FloatArray>,
    @ThreadCount n: Int,
  )
}
