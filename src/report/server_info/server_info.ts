/** What a server says of itself before a run: version, configuration, models. */

/** See the module's comment. */
export interface ServerInfo {
  /** Where it was asked, as it may be shown. */
  readonly url: string;
  /** What it said, by ascending names: `version`, `server_info.tp_size`, `models`. */
  readonly facts: readonly ServerFact[];
  /** What became of each question, in their order: `HTTP 404`, `no answer before the run`. */
  readonly asked: readonly AskedQuestion[];
}

/** Texts without secrets and control characters. */
export type ServerFact = readonly [name: string, value: string];

/** A path that a server was asked for, and the outcome. */
export type AskedQuestion = readonly [path: string, outcome: string];

/** What serves, in a few words: `vllm 0.32.0`; undefined if it did not say. */
export function serverName({ facts }: ServerInfo): string | undefined {
  const fact = (...names: readonly string[]): string | undefined =>
    names.map((wanted) => facts.find(([name]) => name === wanted)?.[1])
      .find((value) => value !== undefined);
  const version = fact("version", "server_info.version", "v2.version", "props.build_info");
  const name = fact("v2.name", "owned_by") ?? (fact("props.build_info") && "llama.cpp");
  const words = [name, version].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(" ");
}
