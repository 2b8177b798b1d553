import type { ServedTimes } from "../truth/served_requests.ts";
import { type HttpExchange, httpExchanges } from "./http_exchanges.ts";
import { SentBytes } from "./sent_bytes.ts";
import { type TcpSegment, tcpSegments } from "./tcp_segments.ts";

/** Both directions of a connection, in the order of their times. */
interface Connection {
  readonly requests: TcpSegment[];
  readonly replies: TcpSegment[];
}

/** A choice of a reply, of a chat or a completion, whole or a piece of it. */
interface Choice {
  readonly text?: string;
  readonly delta?: Readonly<Record<string, unknown>>;
}

/** Fields of a piece that hold what the model said. */
const CONTENT = ["content", "reasoning_content", "reasoning"];
const TEXT = new TextDecoder();

/**
 * When a server sent the content of each reply, by the packets of its connections: of an event with
 * content, the time of the packet with its last byte.
 * @param file packets of the loopback interface, as tcpdump writes them
 * @param port the server's
 * @returns by the requests' X-Request-ID; others are left out
 */
export function capturedRequests(file: Uint8Array, port: number): Map<string, ServedTimes> {
  const served = new Map<string, ServedTimes>();
  for (const { requests, replies } of connectionsOf(file, port)) {
    for (const exchange of httpExchanges(new SentBytes(requests), new SentBytes(replies))) {
      const requestId = exchange.requestHeaders.get("x-request-id");
      if (requestId === undefined) continue;
      const arrivalNs = exchange.requestedNs;
      const writesNs = Float64Array.from(
        contentEnds(exchange),
        (end) => Number(exchange.sentNs(end) - arrivalNs),
      );
      served.set(requestId, { requestId, arrivalNs, writesNs });
    }
  }
  return served;
}

function connectionsOf(file: Uint8Array, port: number): Connection[] {
  const all: Connection[] = [];
  const open = new Map<string, Connection>();
  for (const segment of tcpSegments(file)) {
    const isReply = segment.from.endsWith(`:${port}`);
    if (!isReply && !segment.to.endsWith(`:${port}`)) continue;
    const client = isReply ? segment.to : segment.from;
    let own = open.get(client);
    if (own === undefined || (segment.isSyn && !isReply && own.requests.length > 0)) {
      own = { requests: [], replies: [] };
      open.set(client, own);
      all.push(own);
    }
    (isReply ? own.replies : own.requests).push(segment);
  }
  return all;
}

/** Where in the body each event with content ends; of a reply in one piece, where that does. */
function contentEnds({ body, replyHeaders }: HttpExchange): number[] {
  if (!replyHeaders.get("content-type")?.includes("event-stream")) return [body.length];
  const ends: number[] = [];
  let lineStart = 0;
  let hasContent = false;
  for (let at = body.indexOf(10); at >= 0; at = body.indexOf(10, at + 1)) {
    const line = TEXT.decode(body.subarray(lineStart, at)).trimEnd();
    lineStart = at + 1;
    if (line !== "") hasContent ||= isContent(line);
    else if (hasContent) {
      ends.push(at + 1);
      hasContent = false;
    }
  }
  return ends;
}

function isContent(line: string): boolean {
  if (!line.startsWith("data:") || line.includes("[DONE]")) return false;
  const choices: readonly Choice[] = JSON.parse(line.slice("data:".length))["choices"] ?? [];
  return choices.some(({ delta, text }) =>
    Boolean(text) || CONTENT.some((name) => Boolean(delta?.[name]))
  );
}
