import type { ArchiveEntry } from "./archive_entry.ts";

const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/**
 * A tar archive (ustar). The same files give the same bytes: owners are root, and all times are the
 * one that is given.
 * @throws {RangeError} if a path is too long for the format
 */
export function tarArchive(entries: readonly ArchiveEntry[], epochSeconds: number): Uint8Array {
  const blocks = entries.flatMap((entry) => {
    const padding = (BLOCK_BYTES - entry.bytes.length % BLOCK_BYTES) % BLOCK_BYTES;
    return [header(entry, epochSeconds), entry.bytes, new Uint8Array(padding)];
  });
  return concatenated([...blocks, new Uint8Array(2 * BLOCK_BYTES)]);
}

/** Pieces as one. */
export function concatenated(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

function header(entry: ArchiveEntry, epochSeconds: number): Uint8Array {
  const { path, bytes, isExecutable, owner = 0 } = entry;
  const block = new Uint8Array(BLOCK_BYTES);
  const encoder = new TextEncoder();
  const put = (offset: number, text: string) => block.set(encoder.encode(text), offset);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  const [prefix, name] = splitPath(path);
  put(0, name);
  put(100, octal(entry.mode ?? (isExecutable ? 0o755 : 0o644), 7));
  put(108, octal(owner, 7));
  put(116, octal(owner, 7));
  put(124, octal(bytes.length, 11));
  put(136, octal(epochSeconds, 11));
  put(148, " ".repeat(8)); // the checksum counts as blanks while it is computed
  put(156, path.endsWith("/") ? "5" : "0");
  put(257, "ustar\0" + "00");
  if (owner === 0) {
    put(265, "root");
    put(297, "root");
  }
  put(345, prefix);
  put(148, `${octal(block.reduce((sum, byte) => sum + byte, 0), 6)}\0 `);
  return block;
}

/** A path in two fields, as the format has it. */
function splitPath(path: string): [prefix: string, name: string] {
  const length = new TextEncoder().encode(path).length;
  if (length <= NAME_BYTES) return ["", path];
  const parts = path.split("/");
  for (let at = 1; at < parts.length; at++) {
    const prefix = parts.slice(0, at).join("/");
    const prefixBytes = new TextEncoder().encode(prefix).length;
    if (prefixBytes <= PREFIX_BYTES && length - prefixBytes - 1 <= NAME_BYTES) {
      return [prefix, parts.slice(at).join("/")];
    }
  }
  throw new RangeError(`Path must have at most ${NAME_BYTES} bytes: got "${path}"`);
}
