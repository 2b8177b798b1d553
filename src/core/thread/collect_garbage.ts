type Collect = (options?: { readonly type: "minor" }) => void;

/**
 * Has this thread's heap cleaned now: columns of a million requests that are not needed any more are
 * little to the engine, which counts its own objects, but much to a machine. Takes some milliseconds.
 *
 * Does nothing unless the engine was started with `--expose-gc`.
 */
export function collectGarbage(): void {
  (globalThis as { gc?: Collect }).gc?.();
}

/** The same of what was made last, in about a millisecond. */
export function collectYoungGarbage(): void {
  (globalThis as { gc?: Collect }).gc?.({ type: "minor" });
}
