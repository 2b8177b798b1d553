/** Bytes in base64. */
export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // In pieces of a multiple of three, as the number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += 24_573) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(start, start + 24_573))));
  }
  return pieces.join("");
}
