/**
 * Classification of a failed `fetch`. The runtime gives a sentence only, and its end may contain text
 * from the server: names in its certificate, or what it sends when it closes an HTTP/2 connection.
 * So every pattern is anchored at the beginning of the library's own words.
 */

import { isDescriptorLimit } from "./descriptor_limit.ts";
import { tlsReason } from "./tls_reason.ts";
import type { ConnectFault, TransportErrorKind } from "./transport.ts";

/** See the module's comment. */
export interface FetchFailure {
  readonly kind: TransportErrorKind;
  readonly message: string;
  readonly fault: ConnectFault | undefined;
}

/** A sentence of the library for HTTP; a URL has no spaces, so the first such words are its own. */
const SENTENCE = /^error sending request .*? client error \((\w+)\): (.*)$/s;
/** Kinds by how the library's words begin. */
const BEGINNINGS: readonly (readonly [RegExp, TransportErrorKind])[] = [
  [/^(?:tcp |dns error|unsuccessful tunnel|tunnel |proxy |socks)/i, "connect"],
  [/^(?:invalid peer certificate|received (?:fatal alert|corrupt message)|peer |tls )/i, "tls"],
  [/^(?:invalid |message head|uri too long|internal error)/i, "protocol"],
  // Errors of HTTP/2 stand without a stage.
  [/^(?:stream|connection|user|http2) /i, "truncated"],
];
const BROKEN = new RegExp(
  "^(?:connection closed before message|(?:connection error: )?(?:connection reset|broken pipe|" +
    "stream closed because of a broken pipe))",
  "i",
);
const REFUSED = /^tcp connect error: .*(?:refused|os error (?:61|111|10061)\b)/i;

/** @param isHeadSeen whether the reply had begun */
export function fetchFailure(error: unknown, isHeadSeen: boolean): FetchFailure {
  const { message, sentence } = textsOf(error);
  const [, stage, words = sentence] = SENTENCE.exec(sentence) ?? [];
  const known = BEGINNINGS.find(([beginning]) => beginning.test(words))?.[1];
  const kind = isHeadSeen
    ? "truncated"
    : BROKEN.test(words)
    ? "connection_closed"
    : known ?? (stage === "SendRequest" ? "truncated" : "connect");
  return {
    kind,
    message: kind === "tls" ? tlsReason(message) : message,
    fault: kind === "connect" ? faultOf(words) : undefined,
  };
}

/** The words of the operating system follow on how the connection was opened. */
function faultOf(words: string): ConnectFault | undefined {
  if (REFUSED.test(words)) return "refused";
  return words.startsWith("tcp ") && isDescriptorLimit(words) ? "no_descriptor" : undefined;
}

function textsOf(error: unknown): { message: string; sentence: string } {
  if (!(error instanceof Error)) return { message: String(error), sentence: String(error) };
  const { message, cause } = error;
  return cause instanceof Error
    ? { message: `${message}: ${cause.message}`, sentence: cause.message }
    : { message, sentence: message };
}
