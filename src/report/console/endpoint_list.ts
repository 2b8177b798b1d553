/** Endpoint types as a table, and as JSON. */

import type { EndpointType } from "../../client/endpoint/protocol/endpoint_type.ts";
import { ENDPOINT_TYPES } from "../../client/endpoint/endpoint_types.ts";
import { narrowestWidth, renderTable, type TextTable } from "./text_table.ts";

/** An endpoint type as lists show it. */
export interface ListedEndpoint {
  readonly "name": string;
  readonly "aliases": readonly string[];
  readonly "description": string;
  readonly "method": string;
  /** Empty where it is the URL's. */
  readonly "path": string;
  /** Path of requests for streams, null where that is the same. */
  readonly "streaming_path": string | null;
  readonly "streaming": boolean;
  /** Whether metrics of output tokens mean something. */
  readonly "tokens": boolean;
  /** Media that inputs may contain in addition to text. */
  readonly "media": readonly string[];
  readonly "example": string;
}

/** Returns the properties of a type that lists show. */
function listedEndpoint(type: EndpointType): ListedEndpoint {
  const streaming = type.writer.stream !== undefined;
  return {
    "name": type.name,
    "aliases": type.aliases ?? [],
    "description": type.summary,
    "method": type.method,
    "path": type.path,
    "streaming_path": type.streamingPath ?? null,
    "streaming": streaming,
    "tokens": type.producesTokens,
    "media": type.media,
    "example": `inferometer profile --endpoint-type ${type.name} --model NAME ` +
      `--url localhost:8000${type.path === "" ? `/${type.name}` : ""}` +
      `${streaming ? " --streaming" : ""}` +
      (type.exampleOptions === undefined ? "" : ` ${type.exampleOptions}`),
  };
}

/** The types, all of them, as JSON. */
export function endpointsJson(): string {
  return `${JSON.stringify(listedEndpoints(), null, 2)}\n`;
}

/** All types, in the order in which they are registered. */
function listedEndpoints(): ListedEndpoint[] {
  return [...ENDPOINT_TYPES.values()].map(listedEndpoint);
}

/** A table of all types, and an example of each below. */
export function endpointTable(width: number): string {
  const listed = listedEndpoints();
  const whole = tableOf(listed, HEAD.length, "API");
  const table = narrowestWidth(whole) <= width
    ? whole
    : tableOf(listed, HEAD.indexOf("media"), "path");
  const examples = listed.map(({ example }) => `  ${example}\n`).join("");
  return `${renderTable(table, width)}\n\nFor example:\n${examples}`;
}

const HEAD = ["type", "path", "streams", "tokens", "media", "API"] as const;

/** The first columns of the table, one of which is wrapped where it has to be. */
function tableOf(
  listed: readonly ListedEndpoint[],
  columns: number,
  wrapped: typeof HEAD[number],
): TextTable {
  const rows = listed.map((type) => [
    [type.name, ...type.aliases].join("\n"),
    [type.path || "that of --url", type.streaming_path ?? ""].join("\n").trim(),
    type.streaming ? "yes" : "no",
    type.tokens ? "yes" : "no",
    ["text", ...type.media].join(", "),
    type.description,
  ]);
  const head = HEAD.slice(0, columns);
  return {
    head,
    rows: rows.map((row) => row.slice(0, columns)),
    ...{ flexible: HEAD.indexOf(wrapped), minFlexible: 12 },
    alignments: head.map(() => "left"),
  };
}
