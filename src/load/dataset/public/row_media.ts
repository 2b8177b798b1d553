import { encodeBase64 } from "../../../client/endpoint/protocol/base64.ts";

/** Type of files, detected by their first bytes. */
interface Signature {
  readonly type: string;
  readonly starts: (text: string) => boolean;
}

const IMAGES: readonly Signature[] = [
  { type: "image/png", starts: (text) => text.startsWith("\x89PNG") },
  { type: "image/jpeg", starts: (text) => text.startsWith("\xff\xd8\xff") },
  { type: "image/gif", starts: (text) => text.startsWith("GIF8") },
  { type: "image/webp", starts: (text) => text.startsWith("RIFF") && text.slice(8, 12) === "WEBP" },
  { type: "image/bmp", starts: (text) => text.startsWith("BM") },
];

const RECORDINGS: readonly Signature[] = [
  { type: "audio/wav", starts: (text) => text.startsWith("RIFF") && text.slice(8, 12) === "WAVE" },
  { type: "audio/flac", starts: (text) => text.startsWith("fLaC") },
  { type: "audio/ogg", starts: (text) => text.startsWith("OggS") },
  { type: "audio/mp4", starts: (text) => text.slice(4, 8) === "ftyp" },
  {
    type: "audio/mpeg",
    starts: (text) => text.startsWith("ID3") || /^\xff[\xe2-\xff]/.test(text),
  },
];

/** Text that may be a base64 image: PNG, JPEG, GIF and WebP begin like this. */
const IMAGE_BASE64 = /^(iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/=\s]+$/;

/**
 * Returns an image in a column as a URL or data URI. Accepts raw bytes with or without a path,
 * base64, a URL, or a list whose first element is one of these.
 * @returns undefined if the value is not an image
 */
export function imageUrl(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    for (const one of value) {
      const url = imageUrl(one);
      if (url !== undefined) return url;
    }
    return undefined;
  }
  if (value instanceof Uint8Array) return dataUri(value, IMAGES);
  if (typeof value === "string") {
    if (/^(https?:\/\/|data:image\/)/i.test(value)) return value;
    if (!IMAGE_BASE64.test(value)) return undefined;
    return imageUrl(Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0)));
  }
  return typeof value === "object" && value !== null && "bytes" in value
    ? imageUrl(value.bytes)
    : undefined;
}

/** Returns the URL of a video in a column; undefined if the value is not a video. */
export function videoUrl(value: unknown): string | undefined {
  return typeof value === "string" && /^(https?:\/\/|data:video\/)/i.test(value)
    ? value
    : undefined;
}

/**
 * Returns a recording in a column as a data URI of its bytes, which are sent unchanged: the bytes
 * of a file, with or without its path.
 * @returns undefined if the value is not a recording
 */
export function audioUrl(value: unknown): string | undefined {
  const bytes = recordingBytes(value);
  return bytes === undefined ? undefined : dataUri(bytes, RECORDINGS);
}

/**
 * Returns the duration of a recording in a column in seconds; undefined if its first bytes do not
 * contain it.
 */
export function recordingSeconds(value: unknown): number | undefined {
  const bytes = recordingBytes(value);
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (typeOf(bytes, RECORDINGS)) {
    case "audio/flac":
      return flacSeconds(view);
    case "audio/wav":
      return wavSeconds(view);
    default:
      return undefined;
  }
}

function recordingBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  const { bytes } = (value ?? {}) as { readonly bytes?: unknown };
  return bytes instanceof Uint8Array ? bytes : undefined;
}

/**
 * Reads the first block of FLAC, which contains the rate (20 bits) and number of samples (36 bits).
 */
function flacSeconds(view: DataView): number | undefined {
  if (view.byteLength < 26) return undefined;
  const rate = view.getUint32(18) >>> 12;
  const samples = (view.getUint8(21) & 15) * 2 ** 32 + view.getUint32(22);
  return rate === 0 || samples === 0 ? undefined : samples / rate;
}

/** Reads the chunks of WAV with the bytes per second (`fmt `) and the number of bytes (`data`). */
function wavSeconds(view: DataView): number | undefined {
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= view.byteLength;) {
    const name = String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)));
    const length = view.getUint32(at + 4, true);
    if (name === "fmt " && at + 20 <= view.byteLength) {
      bytesPerSecond = view.getUint32(at + 16, true);
    }
    if (name === "data" && bytesPerSecond > 0) return length / bytesPerSecond;
    at += 8 + length + length % 2;
  }
  return undefined;
}

function dataUri(bytes: Uint8Array, signatures: readonly Signature[]): string | undefined {
  const type = typeOf(bytes, signatures);
  return type === undefined ? undefined : `data:${type};base64,${encodeBase64(bytes)}`;
}

function typeOf(bytes: Uint8Array, signatures: readonly Signature[]): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  return signatures.find(({ starts }) => starts(head))?.type;
}
