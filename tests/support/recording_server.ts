/** A well-behaved inference server that keeps every request, for tests of what was sent. */

/** A request for inference as it came. */
export interface ReceivedRequest {
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** Distinguishes connections: the client's port. */
  readonly connection: number;
  /** Resolves when the client has gone, for an answer that waits for that. */
  readonly gone: Promise<void>;
}

/** Answers a request; undefined for {@linkcode goodReply}. */
export type Answer = (
  request: ReceivedRequest,
  number: number,
) => Response | undefined | Promise<Response | undefined>;

/** A running server. */
export interface RecordingServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** All requests for inference. */
  readonly requests: readonly ReceivedRequest[];
  /** Paths of all others: for the list of models, or metrics. */
  readonly questions: readonly string[];
}

/** Settings of {@linkcode startRecordingServer}. */
export interface RecordingServerOptions {
  readonly answer?: Answer;
  /** Answers the question for the list of models. */
  readonly models?: () => Response;
  /** Certificate and key in PEM, for https. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** @default "127.0.0.1" */
  readonly hostname?: string;
  /** 0 for any that is free. */
  readonly port?: number;
}

const encoder = new TextEncoder();

/** Starts a server on this machine. */
export function startRecordingServer(options: RecordingServerOptions = {}): RecordingServer {
  const requests: ReceivedRequest[] = [];
  const questions: string[] = [];
  const { hostname = "127.0.0.1" } = options;
  const server = Deno.serve({
    hostname,
    port: options.port ?? 0,
    ...(options.tls ?? {}),
    onListen() {},
    // The client may hang up in the middle of a reply.
    onError: () => new Response(null, { status: 500 }),
  } as Deno.ServeTcpOptions, async (request, { remoteAddr }) => {
    const url = new URL(request.url);
    if (request.method !== "POST") {
      questions.push(url.pathname);
      if (url.pathname !== "/v1/models") return new Response(null, { status: 404 });
      return options.models?.() ??
        Response.json({ "object": "list", "data": [{ "id": "recorded" }] });
    }
    const received: ReceivedRequest = {
      path: url.pathname + url.search,
      headers: request.headers,
      body: await request.text(),
      connection: (remoteAddr as Deno.NetAddr).port,
      get gone() {
        return new Promise<void>((resolve) =>
          request.signal.addEventListener("abort", () => resolve(), { once: true })
        );
      },
    };
    requests.push(received);
    return await options.answer?.(received, requests.length - 1) ?? goodReply(received.body);
  });
  const { port } = server.addr as Deno.NetAddr;
  return {
    url: `${options.tls === undefined ? "http" : "https"}://${hostname}:${port}`,
    port,
    requests,
    questions,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** What a reply says. */
export interface ReplyContent {
  readonly pieces?: readonly string[];
  readonly usage?: Readonly<Record<string, unknown>>;
}

/** A valid reply, streamed if the body asks for that; one that depends on nothing but the body. */
export function goodReply(body: string, content: ReplyContent = {}): Response {
  const { pieces = ["one", " two", " three"] } = content;
  const asked = JSON.parse(body);
  const isChat = "messages" in asked;
  const usage = content.usage ??
    { "prompt_tokens": 5, "completion_tokens": pieces.length, "total_tokens": 5 + pieces.length };
  if (asked.stream !== true) {
    const text = pieces.join("");
    const choice = isChat ? { "message": { "role": "assistant", "content": text } } : { text };
    return Response.json({
      "choices": [{ "index": 0, ...choice, "finish_reason": "stop" }],
      usage,
    });
  }
  const events = pieces.map((piece) => ({
    "choices": [{
      "index": 0,
      ...(isChat ? { "delta": { "content": piece } } : { "text": piece }),
    }],
  }));
  const end = {
    "choices": [{
      "index": 0,
      ...(isChat ? { "delta": {} } : { "text": "" }),
      "finish_reason": "stop",
    }],
  };
  const all = [...events, end, { "choices": [], usage }].map((event) =>
    `data: ${JSON.stringify(event)}\n\n`
  );
  return eventStream([...all, "data: [DONE]\n\n"].join(""));
}

/** A reply with this text as its event stream. */
export function eventStream(text: string): Response {
  return new Response(encoder.encode(text), { headers: { "Content-Type": "text/event-stream" } });
}
