/** What a Linux executable needs of the system it runs on. */

/** Section that lists the versions of symbols that are needed. */
const VERSION_NEEDS = 0x6ffffffe;
const SECTION_HEADER_BYTES = 64;

/** A shared library, and the versions of its interface that an executable was linked with. */
export interface LibraryNeed {
  readonly library: string;
  readonly versions: readonly string[];
}

/**
 * Reads the libraries and versions that an executable needs, as `readelf -V` shows them.
 * @throws {SyntaxError} if it is no 64-bit little-endian ELF file
 */
export function elfNeeds(bytes: Uint8Array): LibraryNeed[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isElf64 = bytes.length > SECTION_HEADER_BYTES && view.getUint32(0) === 0x7f454c46 &&
    bytes[4] === 2 && bytes[5] === 1;
  if (!isElf64) throw new SyntaxError("Not a 64-bit little-endian ELF file");
  const offset = (at: number): number => Number(view.getBigUint64(at, true));
  const sections = offset(0x28);
  const count = view.getUint16(0x3c, true);
  for (let index = 0; index < count; index++) {
    const header = sections + index * SECTION_HEADER_BYTES;
    if (view.getUint32(header + 4, true) !== VERSION_NEEDS) continue;
    const strings = offset(
      sections + view.getUint32(header + 40, true) * SECTION_HEADER_BYTES + 24,
    );
    return readNeeds(view, offset(header + 24), (at) => text(bytes, strings + at));
  }
  return [];
}

/** The newest glibc that any library's interface asks for; undefined if none is needed. */
export function glibcNeeded(needs: readonly LibraryNeed[]): string | undefined {
  const versions = needs.flatMap(({ versions }) => versions)
    .map((version) => /^GLIBC_(\d+)\.(\d+)/.exec(version))
    .filter((match) => match !== null)
    .map(([, major, minor]): [number, number] => [Number(major), Number(minor)]);
  return versions.sort((a, b) => a[0] - b[0] || a[1] - b[1]).at(-1)?.join(".");
}

function readNeeds(view: DataView, start: number, name: (at: number) => string): LibraryNeed[] {
  const needs: LibraryNeed[] = [];
  for (let need = start;;) {
    const versions: string[] = [];
    const versionCount = view.getUint16(need + 2, true);
    for (let i = 0, at = need + view.getUint32(need + 8, true); i < versionCount; i++) {
      versions.push(name(view.getUint32(at + 8, true)));
      at += view.getUint32(at + 12, true);
    }
    needs.push({ library: name(view.getUint32(need + 4, true)), versions: versions.sort() });
    const next = view.getUint32(need + 12, true);
    if (next === 0) return needs;
    need += next;
  }
}

function text(bytes: Uint8Array, start: number): string {
  return new TextDecoder().decode(bytes.subarray(start, bytes.indexOf(0, start)));
}
