/** Writes all bytes, in as many steps as the system needs. */
export async function writeAll(
  target: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await target.write(bytes.subarray(written));
  }
}
