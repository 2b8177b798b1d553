const encoder = new TextEncoder();

/**
 * The parts of a body: its salts as texts, and the bytes around them.
 * @param salts in the order in which they are in the body; any that is not in it is left out
 */
export function saltedParts(
  body: Uint8Array,
  salts: readonly string[],
): (Uint8Array | string)[] {
  const parts: (Uint8Array | string)[] = [];
  let end = 0;
  for (const salt of salts) {
    const at = placeOf(encoder.encode(salt), body, end);
    if (at < 0) continue;
    parts.push(body.subarray(end, at), salt);
    end = at + salt.length;
  }
  parts.push(body.subarray(end));
  return parts;
}

/** First place of bytes in others at or after an offset; -1 if they do not contain them. */
function placeOf(wanted: Uint8Array, bytes: Uint8Array, from: number): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}
