import { encodeBase64 } from "../encode_base64.ts";

/** A kind of files, told by their first bytes. */
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

/** Text that may be the base64 of a picture: those of PNG, JPEG, GIF and WebP begin like this. */
const IMAGE_BASE64 = /^(iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)[A-Za-z0-9+/=\s]+$/;

/**
 * A picture in a column as a URL or data URI: the bytes as they are, beside a path or by themselves,
 * base64, a URL, or a list whose first element is one of these.
 * @returns undefined if it is none
 */
export function imageUrl(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    for (const one of value) {
      const url = imageUrl(one);
      if (url !== undefined) return url;
    }
    return undefined;
  }
  if (value instanceof Uint8Array) {
    const head = String.fromCharCode(...value.subarray(0, 12));
    const type = IMAGES.find(({ starts }) => starts(head))?.type;
    return type === undefined ? undefined : `data:${type};base64,${encodeBase64(value)}`;
  }
  if (typeof value === "string") {
    if (/^(https?:\/\/|data:image\/)/i.test(value)) return value;
    if (!IMAGE_BASE64.test(value)) return undefined;
    return imageUrl(Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0)));
  }
  return typeof value === "object" && value !== null && "bytes" in value
    ? imageUrl(value.bytes)
    : undefined;
}

/** A film in a column: its URL; undefined if it is none. */
export function videoUrl(value: unknown): string | undefined {
  return typeof value === "string" && /^(https?:\/\/|data:video\/)/i.test(value)
    ? value
    : undefined;
}
