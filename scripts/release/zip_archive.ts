import { crc32, deflateRawSync } from "node:zlib";
import type { ArchiveEntry } from "./archive_entry.ts";
import { concatenated } from "./tar_archive.ts";

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
/** Made on Unix, format 2.0: readers then know which files are programs. */
const MADE_BY = 0x0314;
const VERSION = 20;
const UTF8_NAMES = 0x0800;
const DEFLATE = 8;
const REGULAR_FILE = 0o100000;

/** A zip archive. The same files give the same bytes: all times are the one that is given. */
export function zipArchive(entries: readonly ArchiveEntry[], epochSeconds: number): Uint8Array {
  const time = dosTime(epochSeconds);
  const pieces: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { path, bytes, isExecutable } of entries) {
    const name = new TextEncoder().encode(path);
    const packed = deflateRawSync(bytes, { level: 9 });
    const sizes = [u32(crc32(bytes)), u32(packed.length), u32(bytes.length), u16(name.length)];
    const common = [u16(VERSION), u16(UTF8_NAMES), u16(DEFLATE), u32(time), ...sizes, u16(0)];
    const local = concatenated([u32(LOCAL_HEADER), ...common, name, packed]);
    const mode = REGULAR_FILE | (isExecutable ? 0o755 : 0o644);
    directory.push(
      concatenated([
        ...[u32(CENTRAL_HEADER), u16(MADE_BY), ...common, u16(0), u16(0), u16(0)],
        ...[u32((mode << 16) >>> 0), u32(offset), name],
      ]),
    );
    pieces.push(local);
    offset += local.length;
  }
  const central = concatenated(directory);
  const count = u16(entries.length);
  const end = [u32(END), u16(0), u16(0), count, count, u32(central.length), u32(offset), u16(0)];
  return concatenated([...pieces, central, ...end]);
}

/** Date and time as MS-DOS had them, in UTC and steps of two seconds. */
function dosTime(epochSeconds: number): number {
  const date = new Date(epochSeconds * 1000);
  const years = Math.max(0, date.getUTCFullYear() - 1980);
  const day = (years << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) |
    (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

function u16(value: number): Uint8Array {
  return Uint8Array.of(value & 255, value >> 8);
}

function u32(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}
