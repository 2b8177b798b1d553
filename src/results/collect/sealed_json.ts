import { fnv1a } from "../../core/statistics/fnv1a.ts";

const encoder = new TextEncoder();
/** The last property of a sealed text: the checksum of the text without it. */
const SEAL = /,\n {2}"checksum": "([^"\n]*)"(?=\n\}\n$)/;
const END = "\n}\n";

/**
 * Adds a checksum to JSON text as its last property.
 * @param text of an object, indented by two spaces, with a line end behind it
 */
export function sealedJson(text: string): string {
  return `${text.slice(0, -END.length)},\n  "checksum": "${checksumOf(text)}"${END}`;
}

/** Whether such a text was changed; not known of one that has no checksum. */
export function isSealBroken(text: string): boolean {
  const seal = SEAL.exec(text);
  return seal !== null && seal[1] !== checksumOf(text.replace(SEAL, ""));
}

function checksumOf(text: string): string {
  return fnv1a(encoder.encode(text)).toString(16).padStart(8, "0");
}
