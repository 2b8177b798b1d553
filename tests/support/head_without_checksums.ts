/** The first line of a block file as version 1 wrote it, whose blocks have no checksums. */
export function headWithoutChecksums(head: Uint8Array): Uint8Array<ArrayBuffer> {
  const { checksum: _, head: __, run: ___, ...fields } = JSON.parse(new TextDecoder().decode(head));
  return new TextEncoder().encode(`${JSON.stringify({ ...fields, version: 1 })}\n`);
}
