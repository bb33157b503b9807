package demo

import dev.streamfence.Completion
import dev.streamfence.DeviceArray
import dev.streamfence.annotation.Kernel
import dev.streamfence.annotation.KernelModule
import dev.streamfence.annotation.Optional
import dev.streamfence.annotation.Reads
import dev.streamfence.annotation.Symbol
import dev.streamfence.annotation.ThreadCount
import dev.streamfence.annotation.Writes

/** What has its own form in Kotlin. The processor warns, because there is no such PTX. */
@KernelModule("kernels/select.ptx")
internal interface SelectKernels {
  @Kernel
  fun select(
    @Reads columns: List<DeviceArray<FloatArray>>,
    @Reads @Optional mask: DeviceArray<ByteArray>?,
    rows: Range,
    @Writes selected: DeviceArray<IntArray>,
    @ThreadCount n: Int,
  ): Completion

  @Kernel(requiredBlock = [BLOCK])
  fun gather(@Reads rows: Array<DeviceArray<IntArray>>, first: Byte = 0, @ThreadCount n: Long)

  @get:Symbol("weights")
  val weights: DeviceArray<FloatArray>

  fun selectAll(columns: List<DeviceArray<FloatArray>>, selected: DeviceArray<IntArray>, n: Int) =
    select(columns, null, Range(0, n), selected, n)

  companion object {
    const val BLOCK = 128
  }
}
