import type { RandomStream } from "../core/statistics/random_stream.ts";
import { patternInstance } from "./pattern_instance.ts";

/** Expression of a text of each format that JSON Schema names. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["date-time", "20[0-4][0-9]-0[1-9]-1[0-9]T1[0-9]:[0-5][0-9]:[0-5][0-9]Z"],
  ["date", "20[0-4][0-9]-0[1-9]-1[0-9]"],
  ["time", "1[0-9]:[0-5][0-9]:[0-5][0-9]Z"],
  ["duration", "P[1-9]DT[1-9]H"],
  ["email", "[a-z]{3,8}@example\\.com"],
  ["idn-email", "[a-z]{3,8}@example\\.com"],
  ["hostname", "[a-z]{3,8}\\.example\\.com"],
  ["idn-hostname", "[a-z]{3,8}\\.example\\.com"],
  ["ipv4", "192\\.0\\.2\\.[1-9][0-9]"],
  ["ipv6", "2001:db8::[1-9][0-9a-f]{3}"],
  ["uri", "https://example\\.com/[a-z]{3,8}"],
  ["iri", "https://example\\.com/[a-z]{3,8}"],
  ["uri-reference", "/[a-z]{3,8}"],
  ["iri-reference", "/[a-z]{3,8}"],
  ["uri-template", "/[a-z]{3,8}/\\{id\\}"],
  ["uuid", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"],
  ["json-pointer", "/[a-z]{3,8}/[0-9]"],
  ["relative-json-pointer", "[1-9]/[a-z]{3,8}"],
  ["regex", "[a-z]{3,8}"],
  ["byte", "(?:[A-Za-z0-9+/]{4}){1,4}"],
]);

/** Returns a text of a format; undefined for a format that JSON Schema does not name. */
export function formattedText(format: string, random: RandomStream): string | undefined {
  const pattern = FORMATS.get(format);
  return pattern === undefined ? undefined : patternInstance(pattern, random);
}
