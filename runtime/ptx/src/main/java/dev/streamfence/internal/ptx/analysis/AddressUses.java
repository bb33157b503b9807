package dev.streamfence.internal.ptx.analysis;

import org.jspecify.annotations.Nullable;

/**
 * How a kernel uses addresses that the declaration of a parameter does not name: the parameter
 * itself, if it is declared a number, and the addresses in the memory behind it. Immutable.
 *
 * @param conversion the first conversion between state spaces that shows that it is an address
 * @param possible the first site that may take a number for an address; it has a reason
 * @param load the first load through an address from the memory behind it
 * @param store the first store through such an address
 */
record AddressUses(
    @Nullable AccessSite conversion,
    @Nullable AccessSite possible,
    @Nullable AccessSite load,
    @Nullable AccessSite store) {
  static final AddressUses NONE = new AddressUses(null, null, null, null);

  AddressUses and(AddressUses other) {
    return new AddressUses(
        AccessSite.first(conversion, other.conversion),
        AccessSite.first(possible, other.possible),
        AccessSite.first(load, other.load),
        AccessSite.first(store, other.store));
  }
}
