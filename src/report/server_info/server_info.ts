/** Facts that a server reports before a run: version, configuration, models. */

/** See the module's comment. */
export interface ServerInfo {
  /** URL that was queried, redacted for display. */
  readonly url: string;
  /** Reported facts, by ascending names: `version`, `server_info.tp_size`, `models`. */
  readonly facts: readonly ServerFact[];
  /** Outcome of each question, in their order: `HTTP 404`, `no answer before the run`. */
  readonly asked: readonly AskedQuestion[];
}

/** Texts without secrets and control characters. */
export type ServerFact = readonly [name: string, value: string];

/** A path that a server was asked for, and the outcome. */
export type AskedQuestion = readonly [path: string, outcome: string];

/** Returns a short name of the serving software: `vllm 0.32.0`; undefined if it is unknown. */
export function serverName({ facts }: ServerInfo): string | undefined {
  const fact = (...names: readonly string[]): string | undefined =>
    names.map((wanted) => facts.find(([name]) => name === wanted)?.[1])
      .find((value) => value !== undefined);
  const version = fact("version", "server_info.version", "v2.version", "props.build_info");
  const name = fact("v2.name", "owned_by") ?? (fact("props.build_info") && "llama.cpp");
  const words = [name, version].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join(" ");
}
