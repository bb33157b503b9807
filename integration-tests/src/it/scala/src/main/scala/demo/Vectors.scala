package demo

import dev.streamfence.DeviceRuntime
import scala.util.Using

/** Computes a * x + y on the device. */
final class Vectors(gpu: DeviceRuntime):
  def saxpy(a: Float, x: Array[Float], y: Array[Float]): Array[Float] =
    Using.resource(gpu.streams().acquire()) { stream =>
      Using.resources(gpu.memory().upload(stream, x), gpu.memory().upload(stream, y)) {
        (deviceX, deviceY) =>
          VectorKernelsLauncher.on(stream).saxpy(a, deviceX, deviceY, x.length)
          deviceY.download(stream)
      }
    }
