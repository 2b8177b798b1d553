/** The values that are not NaN, in an array of the caller's. */
export function withoutGaps(values: Float64Array): Float64Array<ArrayBuffer> {
  const present = new Float64Array(values.length);
  let length = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isNaN(value)) present[length++] = value;
  }
  return length === present.length ? present : present.slice(0, length);
}

/** The values that are not NaN, moved to the beginning of the array itself. */
export function closedGaps(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  let length = 0;
  while (length < values.length && !Number.isNaN(values[length])) length++;
  for (let i = length + 1; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isNaN(value)) values[length++] = value;
  }
  return length === values.length ? values : values.subarray(0, length);
}
