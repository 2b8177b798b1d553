import { createHash } from "node:crypto";
import { unpackTar } from "modern-tar";
import xz from "xz-decompress";
import base from "./base_files.json" with { type: "json" };

const HEADER_BYTES = 60;

/** A package that cannot be had, and why. */
export class DebianError extends Error {
  override readonly name = "DebianError";
}

/** A Debian package that a container image takes files of. */
export type DebianPin = typeof base.amd64[number];

/** The packages of an architecture. */
export function debianPins(architecture: "amd64" | "arm64"): readonly DebianPin[] {
  return base[architecture];
}

/**
 * Fetches a package from Debian's mirror, or where that has a newer one, from its archive.
 * @param folder where packages are kept for the next time
 * @throws {DebianError} if it cannot be had, or is not what it was
 */
export async function fetchDebian(pin: DebianPin, folder: string): Promise<Uint8Array> {
  const { name, version, path, sha256 } = pin;
  const kept = `${folder}/${sha256}.deb`;
  const isRight = (bytes: Uint8Array): boolean =>
    createHash("sha256").update(bytes).digest("hex") === sha256;
  const cached = await Deno.readFile(kept).catch(() => undefined);
  if (cached !== undefined && isRight(cached)) return cached;
  const problems: string[] = [];
  for (const url of [base.source, base.archive].map((place) => `${place}${path}`)) {
    try {
      const response = await fetch(url);
      const bytes = await response.bytes();
      if (!response.ok) problems.push(`${url}: HTTP ${response.status}`);
      else if (!isRight(bytes)) problems.push(`${url}: it does not have the checksum ${sha256}`);
      else {
        await Deno.mkdir(folder, { recursive: true });
        await Deno.writeFile(kept, bytes);
        return bytes;
      }
    } catch (error) {
      problems.push(`${url}: ${(error as Error).message}`);
    }
  }
  throw new DebianError(
    `${name} ${version} cannot be had: ${problems.join("; ")} (newer versions are named in ` +
      "scripts/package/base_files.json)",
  );
}

/** The regular files of a Debian package by their paths, without a slash before them. */
export async function debianFiles(deb: Uint8Array): Promise<Map<string, Uint8Array>> {
  for (const [name, bytes] of arMembers(deb)) {
    if (name !== "data.tar.xz") continue;
    const tar = new xz.XzReadableStream(new Blob([bytes as Uint8Array<ArrayBuffer>]).stream());
    const entries = await unpackTar(tar);
    return new Map(
      entries.filter(({ header }) => header.type === "file")
        .map(({ header, data }) => [header.name.replace(/^\.\//, ""), data ?? new Uint8Array(0)]),
    );
  }
  throw new Error("The package has no data.tar.xz");
}

/** Members of an `ar` archive. */
function* arMembers(bytes: Uint8Array): Generator<[name: string, bytes: Uint8Array]> {
  const text = (from: number, to: number) =>
    new TextDecoder().decode(bytes.subarray(from, to)).trim();
  for (let at = "!<arch>\n".length; at + HEADER_BYTES <= bytes.length;) {
    const length = Number(text(at + 48, at + 58));
    const start = at + HEADER_BYTES;
    yield [text(at, at + 16).replace(/\/$/, ""), bytes.subarray(start, start + length)];
    at = start + length + length % 2;
  }
}
