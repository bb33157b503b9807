package demo

import dev.streamfence.{DeviceRuntime, KernelArgumentException}
import org.junit.jupiter.api.Assertions.{assertArrayEquals, assertEquals, assertThrows}
import org.junit.jupiter.api.Test
import scala.util.Using

class VectorsTest:
  @Test
  def addsTheProduct(): Unit =
    Using.resource(DeviceRuntime.simulated()) { gpu =>
      val result = Vectors(gpu).saxpy(2, Array(1, 2, 3), Array(10, 20, 30))
      assertArrayEquals(Array[Float](12, 24, 36), result)
    }

  @Test
  def aRefusalNamesTheParameter(): Unit =
    Using.resource(DeviceRuntime.simulated()) { gpu =>
      val refusal = assertThrows(
        classOf[KernelArgumentException],
        () => Vectors(gpu).saxpy(2, Array(1, 2, 3), Array(10))
      )
      assertEquals("y", refusal.parameter())
    }
