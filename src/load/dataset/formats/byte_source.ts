import type { UnreadFields } from "./unread_fields.ts";

/** Something that is read from its beginning to its end. */
export interface ByteSource {
  /** Name of the source in messages. */
  readonly path: string;
  /** Counts the fields of its rows that are not read; absent where they do not matter. */
  readonly unread?: UnreadFields;
  bytes(): AsyncIterable<Uint8Array>;
}
