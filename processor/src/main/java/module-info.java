/**
 * Generates launchers from kernel interfaces. Compilers find it as a service: it exports nothing,
 * and no module of a user requires it.
 */
// JavaPoet and the annotations of AutoService are automatic modules.
@SuppressWarnings("requires-automatic")
module dev.streamfence.processor {
  requires com.palantir.javapoet;
  requires dev.streamfence.annotations;
  requires dev.streamfence.ptx;
  requires dev.streamfence.runtime;
  requires java.compiler;
  requires static com.google.auto.service;
  requires static org.jspecify;

  provides javax.annotation.processing.Processor with
      dev.streamfence.processor.KernelProcessor;
}
