package demo;

/** In Java, because kapt does not compile records of Kotlin. */
public record Range(int first, int end) {}
