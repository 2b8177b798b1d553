import type { ByteSource } from "../../dataset/formats/byte_source.ts";

/** A file of sessions, or some of its rows. */
export interface SessionSource extends ByteSource {
  /** Whether it is a folder of such files. */
  readonly isFolder: boolean;
  /** Whether it is some rows of a file, which may have no session. @default false */
  readonly isPart?: boolean;
  /** Returns the files of a folder by their names: those that end in one of `endings`. */
  files(endings: RegExp): Promise<readonly SessionSource[]>;
  /**
   * Returns the first bytes without consuming them.
   * @param isEnough called with all bytes read so far, and how many of them it has already seen
   */
  head(
    isEnough: (bytes: Uint8Array, seen: number) => boolean,
    maxBytes: number,
  ): Promise<Uint8Array>;
}
