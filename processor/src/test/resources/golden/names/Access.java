package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.annotation.Kernel;
import dev.streamfence.annotation.KernelModule;
import dev.streamfence.annotation.Reads;
import dev.streamfence.annotation.ThreadCount;

/** Names that launchers use themselves: classes, members, locals and parameters. */
@SuppressWarnings("streamfence:UnseenModule") // There is no such code.
@KernelModule("names.ptx")
public interface Access {
  int IMAGE = 1;

  @Kernel
  void image(int stream, int module, int image, @ThreadCount int IMAGE);

  @Kernel
  void recorder(int recorder, int recorder2, LaunchShape record);

  @Kernel
  void stream(@Reads DeviceArray<int[]> var, @ThreadCount int $T);

  @Kernel
  void module(@ThreadCount int this$0);

  @Kernel
  void on(@ThreadCount int n);

  @Kernel
  void X(@ThreadCount int n);

  @Kernel
  void x(@ThreadCount int n);

  @Kernel
  void x(@ThreadCount long n);

  @Kernel
  void reduceSum(@ThreadCount int n);

  @Kernel
  void REDUCE_SUM(@ThreadCount int n);

  @Kernel
  void wait(float n, @ThreadCount int threads);

  /** Hides the class of that name from everything that implements the interface. */
  record LaunchRecorder(int KernelSignature) {}
}

/** Hides the class of that name from its package. */
@interface Override {}
