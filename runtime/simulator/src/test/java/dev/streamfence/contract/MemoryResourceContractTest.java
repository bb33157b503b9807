package dev.streamfence.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ForwardingResource;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.internal.memory.CachingPool;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** A right resource keeps every promise, and each planted mistake breaks one. */
final class MemoryResourceContractTest {
  @TestFactory
  Stream<DynamicTest> theDriverKeepsEveryPromise() {
    return tests(driver -> driver);
  }

  @TestFactory
  Stream<DynamicTest> aPoolKeepsEveryPromise() {
    return tests(driver -> new BlockPool(driver, 4096));
  }

  @TestFactory
  Stream<DynamicTest> theCachingPoolKeepsEveryPromise() {
    return tests(driver -> new CachingPool(driver, Long.MAX_VALUE, Long.MAX_VALUE));
  }

  @TestFactory
  Stream<DynamicTest> aCachingPoolThatKeepsLittleKeepsEveryPromise() {
    return tests(driver -> new CachingPool(driver, 4096, 8192));
  }

  @Test
  void thePoolOfThePageKeepsEveryPromise(@TempDir Path folder) throws Exception {
    Matcher piece =
        Pattern.compile("(?s)```java\n(package demo;.*?)```")
            .matcher(Files.readString(Path.of("../MEMORY.md")));
    assertThat(piece.find()).isTrue();
    Path source = Files.writeString(folder.resolve("BlockPool.java"), piece.group(1));
    int exit =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                source.toString(),
                "-d",
                folder.toString());
    assertThat(exit).isZero();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      Constructor<?> constructor =
          loader
              .loadClass("demo.BlockPool")
              .getDeclaredConstructor(MemoryResource.class, long.class);
      constructor.setAccessible(true);
      List<String> broken =
          broken(
              driver -> {
                try {
                  return (MemoryResource) constructor.newInstance(driver, 4096L);
                } catch (ReflectiveOperationException e) {
                  throw new AssertionError(e);
                }
              });
      assertThat(broken).isEmpty();
    }
  }

  private static Stream<DynamicTest> tests(UnaryOperator<MemoryResource> resource) {
    return MemoryResourceContract.of(resource)
        .map(promise -> DynamicTest.dynamicTest(promise.name(), promise::check));
  }

  /** The promises that a resource breaks, with how it does. */
  private static List<String> broken(UnaryOperator<MemoryResource> resource) {
    List<String> broken = new ArrayList<>();
    MemoryResourceContract.of(resource)
        .forEach(
            promise -> {
              try {
                promise.check();
              } catch (AssertionError e) {
                assertThat(e)
                    .hasMessageStartingWith(promise.name())
                    .hasCauseInstanceOf(Throwable.class);
                broken.add(e.getMessage());
              }
            });
    return broken;
  }

  @Test
  void anExceptionThatIsNotDeclaredBreaksAPromise() {
    List<String> broken =
        broken(
            driver ->
                new ForwardingResource(driver) {
                  @Override
                  public long allocate(long sizeInBytes, MemoryStream stream) {
                    throw Undeclared.thrown(new IOException("no room for notes"));
                  }
                });
    assertThat(broken).isNotEmpty().allMatch(message -> message.contains("no room for notes"));
  }

  @Test
  void aMissingWaitBreaksTheOrderBetweenStreamsAlone() {
    List<String> broken =
        broken(
            driver ->
                new BlockPool(driver, 4096) {
                  @Override
                  void waitFor(Block block, MemoryStream stream) {}
                });
    assertThat(broken)
        .anyMatch(
            message ->
                message.startsWith("memory that was freed on one stream is ordered")
                    && message.contains("does not wait for that"))
        .noneMatch(message -> message.startsWith("memory of one stream"));
  }

  @Test
  void blocksThatAreTooSmallLoseTheirContent() {
    assertThat(
            broken(
                driver ->
                    new BlockPool(driver, 4096) {
                      @Override
                      public long allocate(long bytes, MemoryStream stream) {
                        return driver.allocate(Math.min(bytes, 2048), stream);
                      }
                    }))
        .anyMatch(message -> message.startsWith("memory of one stream keeps its content"));
  }

  @Test
  void memoryThatIsHandedOutTwiceIsNamedWithItsOwner() {
    assertThat(
            broken(
                driver ->
                    new BlockPool(driver, 4096) {
                      @Override
                      synchronized Block poll() {
                        return free.peek();
                      }

                      @Override
                      public void trim(MemoryStream stream) {}
                    }))
        .anyMatch(
            message ->
                message.startsWith("memory of one stream")
                    && message.contains("a pool of blocks of 4096 bytes handed out 0x")
                    && message.contains(", which overlaps allocation"));
  }

  @Test
  void aPoolThatKeepsItsBlocksIsFound() {
    assertThat(
            broken(
                driver ->
                    new BlockPool(driver, 4096) {
                      @Override
                      public void trim(MemoryStream stream) {}
                    }))
        .anyMatch(message -> message.contains("the resource keeps"))
        .anyMatch(message -> message.startsWith("a device that was full"));
  }

  @Test
  void aBlockThatIsLostWhenTheDriverRefusesIsFound() {
    List<String> broken =
        broken(
            driver ->
                new BlockPool(driver, 4096) {
                  @Override
                  public void deallocate(long address, long bytes, MemoryStream stream) {
                    if (bytes > blockSize) {
                      try {
                        driver.deallocate(address, bytes, stream);
                      } catch (RuntimeException ignored) {
                        // The mistake.
                      }
                    } else {
                      super.deallocate(address, bytes, stream);
                    }
                  }
                });
    assertThat(broken)
        .singleElement()
        .asString()
        .startsWith("a call of the driver that fails loses nothing");
  }

  @Test
  void aBlockThatATrimLosesWhenTheDriverRefusesIsFound() {
    List<String> broken =
        broken(
            driver ->
                new BlockPool(driver, 4096) {
                  @Override
                  public void trim(MemoryStream stream) {
                    for (Block block = poll(); block != null; block = poll()) {
                      stream.waitFor(block.freed());
                      driver.deallocate(block.address(), blockSize, stream);
                    }
                  }
                });
    assertThat(broken)
        .singleElement()
        .asString()
        .startsWith("a call of the driver that fails in a trim loses nothing");
  }
}
