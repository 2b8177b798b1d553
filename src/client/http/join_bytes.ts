const decoder = new TextDecoder();

/** Pieces of bytes put together, in memory of their own. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

/** Text of pieces of bytes put together. */
export function joinedText(pieces: readonly Uint8Array[]): string {
  return pieces.length === 0 ? "" : decoder.decode(joinBytes(pieces));
}
