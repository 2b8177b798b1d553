import assert from "node:assert/strict";
import { fetchFailure } from "../../../src/client/http/fetch_failure.ts";
import type { ConnectFault, TransportErrorKind } from "../../../src/client/http/transport.ts";

const URL_TEXT = "https://tcp-refused.test/reset?certificate=too%20many%20open%20files";

/** An error as `fetch` throws it. */
function failed(sentence: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(sentence) });
}

const connecting = (words: string) =>
  `error sending request for url (${URL_TEXT}): client error (Connect): ${words}`;
const sending = (words: string) =>
  `error sending request from 127.0.0.1:1 for ${URL_TEXT} (127.0.0.1:2): ` +
  `client error (SendRequest): ${words}`;

const CASES: readonly (readonly [string, TransportErrorKind, ConnectFault?])[] = [
  [connecting("tcp connect error: Connection refused (os error 111)"), "connect", "refused"],
  [connecting("tcp connect error: Connection refused (os error 61)"), "connect", "refused"],
  [connecting("tcp connect error: No route to host (os error 113)"), "connect"],
  [connecting("tcp open error: Too many open files (os error 24)"), "connect", "no_descriptor"],
  [connecting("dns error: failed to lookup address information: refused"), "connect"],
  [connecting("unsuccessful tunnel"), "connect"],
  [connecting("invalid peer certificate: UnknownIssuer"), "tls"],
  [connecting("received fatal alert: HandshakeFailure"), "tls"],
  [connecting("received corrupt message of type InvalidContentType"), "tls"],
  [connecting("tls handshake eof"), "tls"],
  [sending("connection closed before message completed"), "connection_closed"],
  [sending("connection error: Connection reset by peer (os error 104)"), "connection_closed"],
  [sending("invalid HTTP version parsed"), "protocol"],
  [sending("message head is too large"), "protocol"],
  ["stream closed because of a broken pipe", "connection_closed"],
  // In the words of Deno 2.6.
  [sending("connection error: stream closed because of a broken pipe"), "connection_closed"],
  ["stream error received: refused stream before processing any application logic", "truncated"],
];

Deno.test("fetchFailure tells kinds and faults apart by how the library's words begin", () => {
  for (const [sentence, kind, fault] of CASES) {
    const failure = fetchFailure(failed(sentence), false);
    assert.deepEqual([failure.kind, failure.fault], [kind, fault], sentence);
    assert.equal(fetchFailure(failed(sentence), true).kind, "truncated", "a reply had begun");
  }
});

Deno.test("fetchFailure is not moved by what a server says", () => {
  const names = "reset.refused.certificate.too-many-open-files";
  const certificate = 'invalid peer certificate: certificate not valid for name "h"; certificate ' +
    `is only valid for DnsName("${names}")`;
  const bad = fetchFailure(failed(connecting(certificate)), false);
  assert.deepEqual([bad.kind, bad.fault], ["tls", undefined]);
  assert.equal(bad.message, `Its certificate is not valid for name "h", only for ${names}`);
  const words =
    'b"tcp connect error: connection refused, too many open files (os error 24), reset"';
  for (const about of ["connection error received: not a result of an error", "stream error"]) {
    const gone = fetchFailure(failed(`${about} (${words})`), false);
    assert.deepEqual([gone.kind, gone.fault], ["truncated", undefined]);
  }
});
