/** The bytes of a reply, made when its request has arrived so that only writing is left to do. */

const encoder = new TextEncoder();
/** Each is one token of the o200k_base encoding with its leading space. */
const WORDS = (
  "the of and to in is that for it as was with be by on not he this are or his from at which but have " +
  "an had they you were there one all we can her has their more will no if out so what up said about"
).split(" ");

/** What a request asked for. */
export interface ReplyRequest {
  readonly id: string;
  readonly model: string;
  readonly isChat: boolean;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly tokensPerChunk: number;
  readonly promptTokens: number;
  readonly finishReason: "stop" | "length";
  readonly includeUsage: boolean;
  readonly usageInChunks: boolean;
}

/** Tokens of each content chunk: reasoning first, which no chunk shares with the answer. */
export function chunkSizes(
  { outputTokens, reasoningTokens, tokensPerChunk }: ReplyRequest,
): number[] {
  const sizes: number[] = [];
  for (let sent = 0; sent < outputTokens;) {
    const limit = sent < reasoningTokens ? Math.min(reasoningTokens, outputTokens) : outputTokens;
    const tokens = Math.min(tokensPerChunk, limit - sent);
    sizes.push(tokens);
    sent += tokens;
  }
  return sizes;
}

/** A stream's bytes and where they may be cut. */
export interface ReplyFrames {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** End of each content chunk; the first includes the head of the reply. */
  readonly chunkEnds: readonly number[];
  /** Tokens of each content chunk. */
  readonly chunkTokens: readonly number[];
}

/** The head of a reply of that status with a body of that type. */
export function replyHead(status: string, headers: readonly string[]): string {
  return `HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
}

/** A whole reply that is no stream. */
export function wholeReply(
  status: string,
  contentType: string,
  body: string,
  headers: readonly string[] = [],
): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(body);
  const head = replyHead(status, [
    `Content-Type: ${contentType}`,
    `Content-Length: ${bytes.length}`,
    ...headers,
  ]);
  const whole = new Uint8Array(head.length + bytes.length);
  encoder.encodeInto(head, whole);
  whole.set(bytes, head.length);
  return whole;
}

/** The frames of a streamed reply. */
export function streamFrames(request: ReplyRequest): ReplyFrames {
  const { outputTokens, isChat } = request;
  const object = isChat ? "chat.completion.chunk" : "text_completion";
  const created = Math.floor(Date.now() / 1000);
  const before = `{"id":"${request.id}","object":"${object}","created":${created},"model":${
    asciiJson(request.model)
  },"choices":[`;
  const chunkEnds: number[] = [];
  const chunkTokens = chunkSizes(request);
  const parts: string[] = [
    replyHead("200 OK", [
      "Content-Type: text/event-stream; charset=utf-8",
      "Cache-Control: no-cache",
      "Transfer-Encoding: chunked",
    ]),
  ];
  let length = (parts[0] as string).length;
  const push = (data: string): void => {
    const event = `data: ${data}\n\n`;
    const chunk = `${event.length.toString(16)}\r\n${event}\r\n`;
    parts.push(chunk);
    length += chunk.length;
  };
  if (isChat) {
    push(
      `${before}{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,` +
        `"finish_reason":null}]}`,
    );
  }
  let sent = 0;
  for (const tokens of chunkTokens) {
    const isThought = sent < request.reasoningTokens;
    const text = wordsFrom(sent, tokens);
    const delta = !isChat
      ? `"text":"${text}"`
      : `"delta":{"${isThought ? "reasoning_content" : "content"}":"${text}"}`;
    sent += tokens;
    const usage = request.usageInChunks ? `,"usage":${usageJson(request, sent)}` : "";
    push(`${before}{"index":0,${delta},"logprobs":null,"finish_reason":null}]${usage}}`);
    chunkEnds.push(length);
  }
  const rest = isChat ? `"delta":{}` : `"text":""`;
  push(`${before}{"index":0,${rest},"logprobs":null,"finish_reason":"${request.finishReason}"}]}`);
  if (request.includeUsage) push(`${before}],"usage":${usageJson(request, outputTokens)}}`);
  push("[DONE]");
  parts.push("0\r\n\r\n");
  return { bytes: encoder.encode(parts.join("")), chunkEnds, chunkTokens };
}

/** The body of a reply that is not streamed. */
export function replyBody(request: ReplyRequest): string {
  const { outputTokens, reasoningTokens } = request;
  const thoughts = Math.min(reasoningTokens, outputTokens);
  const text = wordsFrom(thoughts, outputTokens - thoughts);
  const reasoning = thoughts > 0 ? `,"reasoning_content":"${wordsFrom(0, thoughts)}"` : "";
  const content = request.isChat
    ? `"message":{"role":"assistant","content":"${text}"${reasoning}}`
    : `"text":"${text}"`;
  return `{"id":"${request.id}","object":"${
    request.isChat ? "chat.completion" : "text_completion"
  }","created":${Math.floor(Date.now() / 1000)},"model":${asciiJson(request.model)},` +
    `"choices":[{"index":0,${content},"logprobs":null,"finish_reason":"${request.finishReason}"}],` +
    `"usage":${usageJson(request, outputTokens)}}`;
}

/** A text as JSON of which every character is one byte, so that its length can be counted. */
function asciiJson(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function usageJson(request: ReplyRequest, completionTokens: number): string {
  const { promptTokens, reasoningTokens } = request;
  const details = reasoningTokens > 0
    ? `,"completion_tokens_details":{"reasoning_tokens":${
      Math.min(reasoningTokens, completionTokens)
    }}`
    : "";
  return `{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens + completionTokens},` +
    `"completion_tokens":${completionTokens}${details}}`;
}

function wordsFrom(start: number, count: number): string {
  let text = "";
  for (let i = start; i < start + count; i++) text += ` ${WORDS[i % WORDS.length]}`;
  return text;
}
