package demo;

import dev.streamfence.DeviceRuntime;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;

@SpringBootApplication(proxyBeanMethods = false)
public class Application {
  public static void main(String[] arguments) {
    SpringApplication.run(Application.class, arguments);
  }

  /** One runtime for all threads. Spring closes it after the beans that use it. */
  @Bean(destroyMethod = "close")
  @Profile("!simulated")
  DeviceRuntime gpu() {
    return DeviceRuntime.open(0);
  }

  @Bean(destroyMethod = "close")
  @Profile("simulated")
  DeviceRuntime simulatedGpu() {
    return DeviceRuntime.simulated();
  }
}
