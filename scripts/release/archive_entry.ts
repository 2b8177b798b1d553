/** A file or a folder of an archive. */
export interface ArchiveEntry {
  /** Path in the archive, with slashes; a folder's ends with one. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
  /** Permissions, where they are not those of a usual file or program. */
  readonly mode?: number;
  /** Number of the user and the group that own it, where that is not root. */
  readonly owner?: number;
}

/** A text as a file. */
export function textEntry(path: string, text: string): ArchiveEntry {
  return { path, bytes: new TextEncoder().encode(text), isExecutable: false };
}

/** A folder. */
export function folderEntry(path: string, more: Partial<ArchiveEntry> = {}): ArchiveEntry {
  return { path: `${path}/`, bytes: new Uint8Array(0), isExecutable: true, ...more };
}

/** Every folder that files lie in. */
export function foldersOf(files: readonly ArchiveEntry[]): ArchiveEntry[] {
  const paths = new Set<string>();
  for (const { path } of files) {
    const parts = path.split("/");
    for (let at = 1; at < parts.length; at++) paths.add(parts.slice(0, at).join("/"));
  }
  return [...paths].map((path) => folderEntry(path));
}
