/** First bytes of files that people have instead of the text within them. */
const KINDS: readonly (readonly [first: readonly number[], what: string, todo: string])[] = [
  [[0x1f, 0x8b], "compressed by gzip", "unpack it, or give --input-file - what `gzip -dc` writes"],
  [
    [0x28, 0xb5, 0x2f, 0xfd],
    "compressed by zstd",
    "unpack it, or give --input-file - what `zstdcat` writes",
  ],
  [[0x50, 0x4b, 0x03, 0x04], "a ZIP archive", "unpack it"],
  [[0x50, 0x41, 0x52, 0x31], "a Parquet file", "only --public-dataset-folder takes such files"],
  [[0xff, 0xfe], "UTF-16", "save it as UTF-8"],
  [[0xfe, 0xff], "UTF-16", "save it as UTF-8"],
];

/** Returns a description of a binary file and what to do about it; undefined for text. */
export function binaryKind(head: Uint8Array): string | undefined {
  for (const [first, what, todo] of KINDS) {
    if (first.every((byte, at) => head[at] === byte)) return `File is ${what}: ${todo}`;
  }
  return head.subarray(0, 1000).includes(0) ? "File is no text" : undefined;
}
