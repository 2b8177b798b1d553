/**
 * Answers requests of browsers and Prometheus about a run. The endpoints are read-only, and every
 * request requires the token: any program of the machine, and any web page that the user opens, can
 * reach a loopback port.
 */

import { EXPOSITION_TYPE } from "../../telemetry/prometheus/content_type.ts";
import { exposition } from "./exposition.ts";
import type { LiveModel } from "./live_model.ts";
import { LIVE_PAGE_POLICY, livePage } from "./live_page.ts";

/** Headers of every answer. */
const COMMON: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};
const encoder = new TextEncoder();

/** See the module's comment. */
export class LiveHandler {
  readonly #token: Uint8Array;
  /** The newest moment; undefined before the first one. */
  model: LiveModel | undefined;

  /** @param token that every request must carry */
  constructor(token: string) {
    this.#token = encoder.encode(token);
  }

  /** The answer to a request. */
  answer(request: Request): Response {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method !== "GET" && request.method !== "HEAD") {
      return text(405, "Only GET: the run cannot be changed here\n", { "Allow": "GET, HEAD" });
    }
    if (!this.#isKnown(tokenOf(request, searchParams))) {
      return text(401, "The token is missing or wrong: see the URL that the run printed\n", {
        "WWW-Authenticate": 'Bearer realm="inferometer"',
      });
    }
    switch (pathname) {
      case "/":
        return answer(200, livePage(), "text/html; charset=utf-8", {
          "Content-Security-Policy": LIVE_PAGE_POLICY,
        });
      case "/live.json":
        return this.#ofModel(JSON.stringify, "application/json; charset=utf-8");
      case "/metrics":
        return this.#ofModel(exposition, EXPOSITION_TYPE);
      default:
        return text(404, "There are /, /live.json and /metrics\n");
    }
  }

  #ofModel(draw: (model: LiveModel) => string, type: string): Response {
    if (this.model === undefined) return text(503, "The run is getting ready\n");
    return answer(200, draw(this.model), type);
  }

  /** Takes as long for any token of that length. */
  #isKnown(token: string | undefined): boolean {
    const given = encoder.encode(token ?? "");
    if (given.length !== this.#token.length) return false;
    let difference = 0;
    given.forEach((byte, at) => difference |= byte ^ (this.#token[at] as number));
    return difference === 0;
  }
}

function tokenOf(request: Request, query: URLSearchParams): string | undefined {
  const header = /^Bearer +(\S+) *$/i.exec(request.headers.get("Authorization") ?? "");
  return header?.[1] ?? query.get("token") ?? undefined;
}

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}) {
  return answer(status, body, "text/plain; charset=utf-8", headers);
}

function answer(
  status: number,
  body: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, { status, headers: { ...COMMON, "Content-Type": type, ...headers } });
}
