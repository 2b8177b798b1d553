/** A file of an archive. */
export interface ArchiveEntry {
  /** Path in the archive, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}
