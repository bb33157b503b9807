package demo

import dev.streamfence.DeviceRuntime

/** Computes a * x + y on the device. */
class Vectors(private val gpu: DeviceRuntime) {
  fun saxpy(a: Float, x: FloatArray, y: FloatArray): FloatArray =
    gpu.streams().acquire().use { stream ->
      gpu.memory().upload(stream, x).use { deviceX ->
        gpu.memory().upload(stream, y).use { deviceY ->
          VectorKernelsLauncher.on(stream).saxpy(a, deviceX, deviceY, x.size)
          deviceY.download(stream)
        }
      }
    }
}
