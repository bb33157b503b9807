/**
 * Finds, for each parameter of a kernel, the instructions that load from or store to the memory
 * behind it, without running the kernel. {@link
 * dev.streamfence.internal.ptx.analysis.KernelAccesses} is the way in.
 *
 * <p>The analysis is an abstract interpretation: it computes a fixpoint of data-flow equations over
 * abstract values, and then reads the accesses off it.
 *
 * <p><b>Lattice</b> ({@code lattice}). An abstract value is a <em>provenance</em>: a set of
 * alternatives, one of which is true of the real value. An alternative, a <em>derivation</em>, is a
 * sum of origins, of a constant or a small range if it is known, and of numbers that do not matter.
 * The range says which element of a local array an index may lead to. An origin is a parameter, a
 * field of a structure, or the address of a variable. Each has a <em>multiple</em>: in {@code p + 4
 * * i}, {@code p} occurs once and {@code i} is scaled.
 *
 * <p>A loaded value of unknown provenance remembers two things: the parameter in whose memory it
 * was, so that accesses through it can be reported with that parameter, and how wide it can be,
 * because a narrow one is an index and not the base of an address.
 *
 * <ul>
 *   <li><em>Bottom</em> is the empty set: no value has arrived.
 *   <li><em>Join</em> is the union of the alternatives. It merges those that differ only in
 *       numbers.
 *   <li>Multiples form a small lattice of their own, whose <em>top</em> is an unknown multiple.
 *       Provenances have no top: a value of too many origins ends the analysis, and every parameter
 *       is unknown.
 *   <li><em>Widening</em> replaces the alternatives by a single one that covers them all. It
 *       happens when a value has too many alternatives, and at each change of a slot that has
 *       changed often.
 * </ul>
 *
 * <p><b>State.</b> Each register has a provenance, and so has each offset, or range of offsets, and
 * width in each memory object, which is a variable or allocated memory. Stores never replace a
 * value (weak updates), and the order of basic blocks does not matter. Within a basic block, each
 * assignment of a register is kept apart ({@code ir}). Calls are context-sensitive: each call has
 * its own <em>activation</em> of the called function, up to a limit beyond which calls share one.
 *
 * <p>What the lanes of a warp exchange has a place for each kind of instruction, and the carry flag
 * has slots like a register.
 *
 * <p><b>Transfer functions.</b> A table names the effect and the transfer function of each opcode.
 * The {@code …Flow} classes evaluate instructions: those that compute, access memory, or call. The
 * result of an unknown opcode depends on all its operands, and all memory that these lead to may be
 * read and written. An object <em>escapes</em> when untracked memory or unknown code receives its
 * address: from then on, a load from it may find any pointer.
 *
 * <p><b>Fixpoint.</b> A worklist holds the instructions whose inputs have changed. Values only
 * grow, by joins. They stop growing, because a kernel has finitely many origins, an origin has
 * finitely many multiples, and widening leaves one alternative. Registers that are still bottom
 * then become numbers, in three rounds, and the iteration goes on until none is left.
 *
 * <p><b>Verdict.</b> A last pass over the reachable instructions records the accesses. An address
 * has one base, and the rest of the sum is offsets. If the base is certainly one parameter, the
 * access is definite; otherwise it is possible for each parameter that may be the base. A value
 * that escapes makes reads and writes possible for its parameters. The analysis errs on one side
 * only: accesses that it reports neither as definite nor as possible do not happen, within the
 * limits that {@link dev.streamfence.internal.ptx.analysis.KernelAccesses} states.
 *
 * <p>Strides of threads, what is computed from the number of a thread, and the workspace of a
 * cooperative grid are small lattices of their own, which {@code ForwardFlow} solves.
 *
 * <p>Not here: the declaration of a kernel, which {@code check} compares with the accesses; the
 * interpreter; the order of launches.
 */
@NullMarked
package dev.streamfence.internal.ptx.analysis;

import org.jspecify.annotations.NullMarked;
