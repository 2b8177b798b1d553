import type { Delta } from "./delta.ts";

/** Settings that shape every request body of a run. */
export interface BodySettings {
  readonly model: string;
  readonly streaming: boolean;
  /** `max_tokens` instead of `max_completion_tokens` where an endpoint has both. */
  readonly legacyMaxTokens: boolean;
  /** Fields merged into each body; they override what the product sets itself. */
  readonly extraInputs: Readonly<Record<string, unknown>>;
  /** Ask for `usage` in each chunk instead of at the end alone. */
  readonly perChunkUsage: boolean;
}

/** What a single request asks of the model. */
export interface PromptContent {
  readonly texts: readonly string[];
  /** URLs or data URIs. */
  readonly images: readonly string[];
  /** Tokens to generate at most; undefined leaves it to the server. */
  readonly outputTokens: number | undefined;
  /** Fields of this request alone, merged over the run's extra inputs. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** One kind of API: how its request bodies are made and its replies read. */
export interface EndpointType {
  /** Its name on the command line. */
  readonly name: string;
  /** The path below the server's base URL. */
  readonly path: string;
  readonly supportsStreaming: boolean;
  readonly producesTokens: boolean;
  readonly tokenizesInput: boolean;
  readonly supportsImages: boolean;
  /** The request body, its keys in the order that AIPerf sends them. */
  buildBody(content: PromptContent, settings: BodySettings): Record<string, unknown>;
  /** The texts of a ready body whose tokens make the input sequence length. */
  inputTexts(body: Readonly<Record<string, unknown>>): string[];
  /** The images of a ready body. */
  countImages(body: Readonly<Record<string, unknown>>): number;
  /** Reads one JSON object of a reply. */
  readDelta(json: Record<string, unknown>, delta: Delta): void;
}

/** Adds what comes last in a body: extra inputs, and `stream_options` unless they set it. */
export function finishBody(
  body: Record<string, unknown>,
  content: PromptContent,
  settings: BodySettings,
): Record<string, unknown> {
  Object.assign(body, settings.extraInputs, content.extra);
  if (settings.streaming && body["stream"] === true) {
    const given = body["stream_options"];
    const options = typeof given === "object" && given !== null ? given : {};
    body["stream_options"] = {
      "include_usage": true,
      ...(settings.perChunkUsage ? { "continuous_usage_stats": true } : {}),
      ...options,
    };
  }
  return body;
}
