package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import org.springframework.stereotype.Service;

/** Computes on the device, for any number of threads. */
@Service
public class Vectors {
  private final DeviceRuntime gpu;

  Vectors(DeviceRuntime gpu) {
    this.gpu = gpu;
  }

  /** Takes a stream for this call and gives it back. */
  public float[] saxpy(float a, float[] x, float[] y) {
    try (DeviceStream stream = gpu.streams().acquire();
        DeviceArray<float[]> deviceX = gpu.memory().upload(stream, x);
        DeviceArray<float[]> deviceY = gpu.memory().upload(stream, y)) {
      VectorKernelsLauncher.on(stream).saxpy(a, deviceX, deviceY, x.length);
      return deviceY.download(stream);
    }
  }
}
