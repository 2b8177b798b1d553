/** Numbers in ascending order, however they are kept. A sorted `Float64Array` is one. */
export interface SortedValues {
  readonly length: number;
  /** The value at an index from 0 to `length - 1`. */
  at(index: number): number | undefined;
  /** Puts the values from a place on into an array, as many as it has room for. */
  copyInto?(start: number, target: Float64Array): void;
}
