package dev.streamfence.processor.diagnostic;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;

/**
 * Every problem that the processor can report. Its text states a fact about the named thing, then
 * the remedy. Immutable.
 */
public enum Problem {
  // The interface.
  NOT_AN_INTERFACE("@KernelModule needs an interface; %s is %s"),
  GENERIC("%s has the type parameter %s; kernels are compiled for fixed types, so remove it"),
  PRIVATE_INTERFACE("%s cannot have a launcher: %s private"),
  COMPACT_SOURCE(
      "%s cannot have a launcher: it is in a compact source file, whose class no other code can"
          + " name; move it to a file of its own"),
  SEALED_INTERFACE("%s cannot have a launcher: it is sealed; remove sealed and permits"),
  EMPTY_MODULE("%s has no kernel; declare a method with @Kernel or remove @KernelModule"),
  TOO_LARGE("%s has %s, more than one launcher class can hold; split it"),
  KERNEL_TOO_LARGE("%s passes more record fields than one generated method can; pass fewer"),
  ARGUMENT_BYTES("%s passes %s bytes of arguments; a kernel takes at most %s, so pass an array"),
  RESOURCE_NAME(
      "%s is not a resource name; a resource name is relative to the root of the class path, has at"
          + " most %s characters, no ':', '\\' or control character, and no part that is empty,"
          + " '.' or '..'"),
  LAUNCHER_NAME_CLASH(
      "the launcher %s of %s clashes with %s, at least on file systems that ignore case;"
          + " rename one"),
  LAUNCHER_METHOD_CLASH(
      "the default method %s(DeviceStream) of %s hides a static method of its launcher; rename it"),
  AMBIGUOUS_KERNEL("%s is inherited from %s and from %s; declare it in %s to choose one"),
  ERASURE_CLASH(
      "%s of %s and of %s differ only in type arguments, so no class can implement both; rename"
          + " one"),
  UNRESOLVED_TYPE("no launcher generated for %s: %s is not resolved"),

  // The method.
  MISSING_KERNEL(
      "%s needs @Kernel or @Symbol; each abstract method of a kernel interface is a kernel or gives"
          + " a variable"),
  KERNEL_NOT_ABSTRACT("%s has a body, so no kernel is launched; remove the body or @Kernel"),
  KERNEL_OUTSIDE_MODULE("%s is declared in %s; @Kernel needs an interface with @KernelModule"),
  KERNEL_WITHOUT_LAUNCHER(
      Diagnostic.Kind.WARNING,
      "%s has kernels but no @KernelModule, so it gets no launcher; add @KernelModule, or"
          + " @SuppressWarnings(\"streamfence:KernelWithoutLauncher\") if other interfaces extend"
          + " it"),
  RETURNS_VALUE(
      "%s returns %s; a kernel returns void or a Completion, and results go through @Writes"
          + " parameters"),
  THROWS_CLAUSE("%s declares %s; a launcher throws only unchecked exceptions, so remove it"),
  VARARGS(
      "'%s' of %s takes any number of arguments; a kernel has fixed parameters, so spell them out, or"
          + " take an array or a List of DeviceArrays"),
  FINAL_METHOD(
      "%1$s %2$s in Object, so no launcher can implement it; rename it and add"
          + " @%3$s(\"%1$s\")"),
  NO_JAVA_NAME(
      "%s is not a name in Java, so no launcher can %s it; rename it where it is declared"),
  ENTRY_NAME(
      "%s is not an entry name; an entry name starts with an ASCII letter, '_' or '$', continues"
          + " with these or digits, and has at most %s characters; give one as @Kernel(\"name\")"),
  BLOCK_SIZE("blockSize %s of %s is outside 1..%s"),
  AUTO_SHARED_BYTES(
      "blockSize AUTO of %s is chosen before '%s' sets its dynamic shared memory; give a number, or"
          + " dynamicSharedBytes in @Kernel"),
  REQUIRED_BLOCK(
      "requiredBlock %s of %s is no block; a block has 1 to 3 sizes of at least 1, at most %s"
          + " threads, and at most %s of them in z"),
  REQUIRED_DIMENSIONS(
      "requiredBlock %s of %s has several dimensions, and @ThreadCount '%s' launches one; take a"
          + " LaunchShape"),
  REQUIRED_BLOCK_SIZE("blockSize %s of %s is not its requiredBlock %s; remove blockSize"),
  SHARED_BYTES("dynamicSharedBytes %s of %s is outside 0..%s"),
  NEEDLESS_ALIAS(
      Diagnostic.Kind.WARNING,
      "mayAlias has no effect on %s, which takes fewer than two arrays or writes none; remove it"),
  ATTRIBUTE_WITH_LAUNCH_SHAPE("'%s' already sets the launch shape of %s; remove %s"),

  // The method of a variable.
  SYMBOL_NOT_ABSTRACT("%s has a body, so it gives no variable; remove the body or @Symbol"),
  SYMBOL_OUTSIDE_MODULE("%s is declared in %s; @Symbol needs an interface with @KernelModule"),
  SYMBOL_AND_KERNEL("%s has both @Kernel and @Symbol; a method is a kernel or gives a variable"),
  SYMBOL_PARAMETERS("%s takes parameters; a method with @Symbol takes none"),
  SYMBOL_TYPE(
      "%s returns %s; a method with @Symbol returns an array of primitives, such as"
          + " DeviceArray<%s>"),
  SYMBOL_NAME(
      "%s is not a variable's name; such a name starts with an ASCII letter, '_' or '$', continues"
          + " with these or digits, and has at most %s characters; give one as @Symbol(\"name\")"),

  // How many threads.
  MISSING_SHAPE(
      "%s does not say how many threads it needs; add @ThreadCount to an int or long, or a"
          + " LaunchShape parameter"),
  CONFLICTING_SHAPE("%s has both @ThreadCount '%s' and LaunchShape '%s'; keep one of them"),
  SECOND_THREAD_COUNT("'%s' and '%s' of %s are both @ThreadCount; keep one"),
  SECOND_LAUNCH_SHAPE("'%s' and '%s' of %s are both LaunchShapes; keep one"),
  SECOND_SHARED_BYTES("'%s' and '%s' of %s are both @DynamicSharedBytes; keep one"),
  THREAD_COUNT_TYPE("@ThreadCount '%s' has type %s; use an int or a long"),
  SHARED_BYTES_TYPE("@DynamicSharedBytes '%s' has type %s; use an int"),
  SHARED_BYTES_WITH_SHAPE(
      "LaunchShape '%s' already sets the dynamic shared bytes of %s; remove @DynamicSharedBytes"
          + " '%s'"),
  CONFLICTING_ROLES("'%s' cannot be both @%s and @%s; use two parameters"),

  // The parameter.
  UNSUPPORTED_TYPE("'%s' has type %s; %s"),
  BUFFER_ELEMENT("'%s' has type %s; use an array of %s"),
  RECORD_ELEMENT("'%s' has type %s; %s"),
  MISSING_ACCESS("parameter '%s' of %s needs @Reads, @Writes or @ReadWrites%s"),
  CONFLICTING_ACCESS("@%s contradicts @%s on '%s'; use @ReadWrites for both"),
  READ_ONLY_TYPE("'%s' has type %s, which a kernel must not write; take %s, or declare @Reads"),
  ACCESS_ON_SCALAR("'%s' is %s and is passed by value; remove @%s"),
  ACCESS_ON_LAUNCH_SHAPE("'%s' is a LaunchShape, which the kernel does not receive; remove @%s"),
  TRUSTED_SCALAR("'%s' is %s, not an array; remove @Trusted"),
  NOT_OPTIONAL("'%s' is %s; remove @Optional"),
  NOT_WHOLE("'%s' is %s; remove %s, which is for arrays of whole numbers"),
  NEEDLESS_LEAST(
      Diagnostic.Kind.WARNING,
      "'%s' declares least, but neither below nor atMost; remove least, or name the limit"),
  LEAST_TOO_LARGE(
      "'%s' declares least = %s, but no %s is at least that and %s; declare the least of its"
          + " numbers"),
  UNKNOWN_LIMIT(
      "'%s' has numbers %s, which is neither an array nor a whole number of %s; name one of %s"),
  TRUSTED_WITHOUT_REASON("@Trusted on '%s' gives no reason; say why the declared access is right"),
  ANNOTATION_ON_STRUCT(
      "'%s' is the record %s and is passed by value; remove @%s: the accesses of its arrays are"
          + " declared on its components"),
  HIDDEN_STRUCT(
      "'%s' has type %s, which the launcher cannot access; make it and its enclosing types"
          + " accessible to the launcher"),
  STRUCT_FIELD("'%s' is the record %s, whose %s has type %s; %s"),
  STRUCT_SIZE("'%s' is the record %s with %s fields; a structure has 1 to %s"),
  STRAY_ANNOTATION("@%s on '%s' has no effect: %s is not a kernel; %s"),

  // The kernel's code.
  UNSEEN_MODULE(
      Diagnostic.Kind.WARNING,
      "%s is not visible to the compiler, so its kernels are compared with %s only when they are"
          + " loaded; copy resources before compilation, or name their folder with"
          + " -Astreamfence.resources"),
  UNREADABLE_MODULE("%s cannot be read as PTX: %s"),
  ADDRESS_SIZE(
      "%s is PTX with addresses of 32 bits, which no current device or driver loads; compile it with"
          + " -m64, which says .address_size 64"),
  UNCHECKED_MODULE(Diagnostic.Kind.WARNING, "%s is %s, so its code cannot be compared with %s; %s"),
  NO_CUDA_COMPILER(
      "%s is not compiled: %s is not visible, and no compiler is named; give -Astreamfence.nvcc=nvcc or"
          + " -Astreamfence.clang=clang, or compile it before"),
  NO_CUDA_SOURCE(
      "%s is not visible to the compiler as a file; copy resources before compilation, or name"
          + " their folder with -Astreamfence.resources"),
  COMPILER_OPTION("%s"),
  COMPILER_FAILED("%s cannot compile %s: %s"),
  CUDA_ERROR("%s does not compile: %s"),
  CUDA_WARNING(Diagnostic.Kind.WARNING, "%s compiles with a warning: %s"),
  STALE_PTX(Diagnostic.Kind.WARNING, "%s does not fit %s; compile it again"),
  RESOURCE_FOLDER("-Astreamfence.resources names %s, which is not a folder"),
  // Each begins with what differs; the second argument is what the code has, the third its place.
  NO_SUCH_ENTRY("%3$s: %1$s"),
  PARAMETER_COUNT("%s; see %3$s"),
  PARAMETER_SIZE("%s; see %3$s"),
  PARAMETER_KIND("%s; see %3$s"),
  BLOCK_SIZE_OF_CODE("%s; see %3$s"),
  ONE_BLOCK_SIZE("%s; give that blockSize"),
  GRID_BARRIER("%s; add cooperative = true to @Kernel"),
  NO_DYNAMIC_SHARED(
      Diagnostic.Kind.WARNING,
      "%s; give dynamicSharedBytes in @Kernel, or take a @DynamicSharedBytes int"),
  NO_CLUSTER(
      Diagnostic.Kind.WARNING,
      "%s; compile it with __cluster_dims__, which says how large they are"),
  WARP_GROUPS(Diagnostic.Kind.WARNING, "%s; give a block of a multiple of that"),
  TILE_SIZE("%s; give a block that the array is made for"),
  STORES_THROUGH_READS("%s; declare %s"),
  LOADS_THROUGH_WRITES("%s; declare %s"),
  NEVER_STORED("%s; declare @Reads, or pass the array that it stores to; see %3$s"),
  NEEDLESS_WRITE(
      Diagnostic.Kind.WARNING,
      "%s; declare @Reads, so that launches can run side by side; see %3$s"),
  ELEMENT_WIDTH(Diagnostic.Kind.WARNING, "%s; take a %s"),
  UNPROVED_BOUNDS(
      "%s; limit the index by a comparison with a number of the launch, declare the limit of numbers"
          + " that are loaded as @Reads(below = ...), or remove bounds = Bounds.REQUIRED"),
  RACE(Diagnostic.Kind.WARNING, "%1$s; order them by a barrier or an atomic operation%3$s"),
  DATA_DEPENDENT_RACE(
      Diagnostic.Kind.WARNING,
      "%1$s; use atomic operations, or declare the numbers as @Reads(distinct = true) if they are"
          + "%3$s"),
  UNPROVED_RACES("%s, or remove races = Races.REFUSED"),
  NUMBER_AS_ADDRESS("%s; %s"),
  POSSIBLE_ADDRESS(Diagnostic.Kind.WARNING, "%s; if it is one, %s%s"),
  ADDRESSES_IN_ARRAY(
      Diagnostic.Kind.WARNING,
      "%s, which the runtime does not track; pass the arrays themselves in an array or List of"
          + " DeviceArrays, or add @Trusted(\"reason\") if you order their uses"),
  STORES_TO_TABLE("%s; the table is the launcher's, so store to an array of its own"),
  NO_TABLE("%s; take a DeviceArray"),
  NO_SUCH_SYMBOL("%2$s: %1$s"),
  SYMBOL_LAYOUT("%s; declare other elements; see %s"),
  SYMBOL_KIND("%s; declare other elements; see %s"),
  UNCLEAR_ACCESS(
      Diagnostic.Kind.WARNING, "%1$s; check it, and add @Trusted(\"reason\") if it never does%3$s"),

  // The processor itself.
  WRITE_FAILED("%s cannot be written: %s"),
  INTERNAL_ERROR("internal error of the processor at %s; report it with this trace:\n%s");

  private final Diagnostic.Kind kind;
  private final String template;

  Problem(String template) {
    this(Diagnostic.Kind.ERROR, template);
  }

  Problem(Diagnostic.Kind kind, String template) {
    this.kind = kind;
    this.template = template;
  }

  /** The severity: an error, or a warning that {@code @SuppressWarnings} can hide. */
  public Diagnostic.Kind kind() {
    return kind;
  }

  /** The name in brackets before the text, {@code MissingAccess} for {@link #MISSING_ACCESS}. */
  public String id() {
    return Arrays.stream(name().split("_"))
        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  /** The name that hides it in {@code @SuppressWarnings}. */
  public String suppression() {
    return "streamfence:" + id();
  }

  /** How to hide it, unless its text already says so; empty for an error. */
  String hint() {
    return kind == Diagnostic.Kind.WARNING && !template.contains("@SuppressWarnings")
        ? "; suppress this with @SuppressWarnings(\"" + suppression() + "\")"
        : "";
  }

  /** The whole message, with the arguments in the template's order. */
  public String message(Object... arguments) {
    return "[" + id() + "] " + String.format(Locale.ROOT, template, arguments) + hint();
  }
}
