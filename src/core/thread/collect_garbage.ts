type Collect = (options?: { readonly type: "minor" }) => void;

/**
 * Has this thread's heap cleaned now: columns of a million requests that are no longer needed are
 * little to the engine, which counts its own objects, but much to a machine. Takes some
 * milliseconds.
 *
 * Does nothing unless the engine was started with `--expose-gc`.
 */
export function collectGarbage(): void {
  (globalThis as { gc?: Collect }).gc?.();
}

/** Cleans the young generation of this thread's heap, in about a millisecond. */
export function collectYoungGarbage(): void {
  (globalThis as { gc?: Collect }).gc?.({ type: "minor" });
}
