/** Something that is read from its beginning to its end. */
export interface ByteSource {
  /** What messages call it. */
  readonly path: string;
  bytes(): AsyncIterable<Uint8Array>;
}
