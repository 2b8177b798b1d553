/**
 * The sums of each value with each addend, in ascending order. Those of one addend are in order as the
 * values are, and such runs are merged, in a half of the time that putting all of them in order takes.
 * @param values ascending
 * @param room two arrays of as many numbers as there are sums; one of them is returned
 */
export function sortedSums(
  values: Float64Array,
  addends: Float64Array,
  room: readonly [Float64Array, Float64Array],
): Float64Array {
  let [from, to] = room;
  const total = values.length * addends.length;
  let place = 0;
  for (let i = 0; i < addends.length; i++) {
    const addend = addends[i] as number;
    for (let j = 0; j < values.length; j++) from[place++] = (values[j] as number) + addend;
  }
  for (let width = values.length; width < total; width *= 2) {
    for (let start = 0; start < total; start += 2 * width) {
      const middle = Math.min(start + width, total);
      merge(from, start, middle, Math.min(middle + width, total), to);
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Merges two runs that follow each other into the same place of another array. */
function merge(
  from: Float64Array,
  start: number,
  middle: number,
  end: number,
  to: Float64Array,
): void {
  let left = start;
  let right = middle;
  let place = start;
  while (left < middle && right < end) {
    const a = from[left] as number;
    const b = from[right] as number;
    if (a <= b) {
      to[place++] = a;
      left++;
    } else {
      to[place++] = b;
      right++;
    }
  }
  while (left < middle) to[place++] = from[left++] as number;
  while (right < end) to[place++] = from[right++] as number;
}
