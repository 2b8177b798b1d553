/** Bytes in base64, and back. */

/** Bytes in base64. */
export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // In pieces of a multiple of three, as the number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += 24_573) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(start, start + 24_573))));
  }
  return pieces.join("");
}

/** Returns the bytes of a text in base64; undefined if the text is not base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
