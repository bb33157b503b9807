package demo

import dev.streamfence.DeviceRuntime
import dev.streamfence.KernelArgumentException
import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

class VectorsTest {
  @Test
  fun addsTheProduct() {
    DeviceRuntime.simulated().use { gpu ->
      val result = Vectors(gpu).saxpy(2f, floatArrayOf(1f, 2f, 3f), floatArrayOf(10f, 20f, 30f))
      assertArrayEquals(floatArrayOf(12f, 24f, 36f), result)
    }
  }

  @Test
  fun aRefusalNamesTheParameterOfTheInterface() {
    DeviceRuntime.simulated().use { gpu ->
      val refusal =
        assertThrows<KernelArgumentException> {
          Vectors(gpu).saxpy(2f, floatArrayOf(1f, 2f, 3f), floatArrayOf(10f))
        }
      assertEquals("y", refusal.parameter())
    }
  }
}
