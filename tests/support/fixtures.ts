/** Reads a case file of `fixtures/`. */
export function readFixture<T>(path: string): T {
  return JSON.parse(Deno.readTextFileSync(new URL(`../../fixtures/${path}`, import.meta.url)));
}

/** The float64 with these bits, written in hexadecimal, most significant byte first. */
export function float64FromHex(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}

/** Bytes of a base64 text. */
export function bytesFromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The pieces of some bytes, cut at these places. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places, bytes.length];
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

/** Ways to cut some bytes: not at all, after each byte, and in two at every place. */
export function* everyCut(bytes: Uint8Array): Generator<number[]> {
  yield [];
  yield Array.from({ length: Math.max(0, bytes.length - 1) }, (_, index) => index + 1);
  for (let place = 1; place < bytes.length; place++) yield [place];
}
