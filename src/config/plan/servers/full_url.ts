import { ENDPOINT_TYPES } from "../../../client/endpoint/endpoint_types.ts";
import type { EndpointType } from "../../../client/endpoint/protocol/endpoint_type.ts";
import { UsageError } from "../../options/usage_error.ts";
import { parseServerUrl, splitUrls } from "./target_url.ts";

/** Ending of a URL that is the path of endpoint types. */
export interface KnownEnding {
  /** Types with this path; the first one is meant unless the user names another one. */
  readonly types: readonly [EndpointType, ...EndpointType[]];
  readonly path: string;
}

/**
 * Finds the endpoint path at the end of a URL's path: the longest one of all endpoint types.
 * @returns undefined if the path ends in none
 */
export function knownEnding(pathname: string): KnownEnding | undefined {
  const path = pathname.replace(/\/+$/, "");
  let found: { path: string; types: EndpointType[] } | undefined;
  for (const type of ENDPOINT_TYPES.values()) {
    for (const own of [type.path, type.streamingPath ?? ""]) {
      const ending = own === "" ? undefined : endingOf(path, own);
      if (ending === undefined || ending.length < (found?.path.length ?? 0)) continue;
      if (ending !== found?.path) found = { path: ending, types: [] };
      if (!found.types.includes(type)) found.types.push(type);
    }
  }
  if (found === undefined) return undefined;
  // Of several types with one path, the one that is called like it.
  const last = found.path.slice(found.path.lastIndexOf("/") + 1);
  const [first, ...others] = found.types.toSorted((a, b) =>
    Number(b.name === last) - Number(a.name === last)
  );
  return first === undefined ? undefined : { types: [first, ...others], path: found.path };
}

/**
 * Returns the path for streams: where a URL names the path of an endpoint type for whole replies,
 * the type's streaming path, else the path itself.
 */
export function streamingPathOf(
  pathname: string,
  { path: whole, streamingPath }: Pick<EndpointType, "path" | "streamingPath">,
): string {
  const path = pathname.replace(/\/+$/, "");
  const last = (text: string): string => text.slice(text.lastIndexOf("/"));
  if (streamingPath === undefined || endingOf(path, streamingPath) !== undefined) return path;
  const ending = endingOf(path, whole);
  if (ending === undefined) return path;
  return path.slice(0, path.length - last(ending).length) + last(streamingPath);
}

function endingOf(path: string, own: string): string | undefined {
  const pattern = own.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+");
  return new RegExp(`${pattern}$`).exec(path)?.[0];
}

/**
 * Endpoint type that full URLs of `--url` imply.
 * @returns undefined if no URL ends in the path of an endpoint type
 * @throws {UsageError} if the URLs imply different types
 */
export function typeOfUrls(entries: readonly string[]): KnownEnding | undefined {
  const endings = entries.flatMap(splitUrls)
    .map((url) => knownEnding(parseServerUrl(url, "--url").pathname))
    .filter((ending) => ending !== undefined);
  const [first] = endings;
  const other = endings.find(({ types }) => types[0] !== first?.types[0]);
  if (first !== undefined && other !== undefined) {
    throw new UsageError(
      "--url",
      `URLs end in the paths of two endpoint types, ${first.types[0].name} and ` +
        `${other.types[0].name}: name one with --endpoint-type`,
    );
  }
  return first;
}
