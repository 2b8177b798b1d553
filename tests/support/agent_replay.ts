/** Recorded agent sessions played against a server that logs each request. */

import assert from "node:assert/strict";
import { withFolder } from "./artifacts.ts";
import { runProfile } from "./profile_run.ts";

export const AGENTS: string = new URL("../../fixtures/agents/", import.meta.url).pathname;
/** Factor of all gaps, so that a test takes no longer than it must. */
export const SCALE = 0.02;
/** Time for which the server holds each reply. */
export const REPLY_MS = 20;

/** A request as the server saw it. */
export interface Served {
  readonly arrivedMs: number;
  endedMs: number;
  readonly body: string;
}

/** A call as the reference reads it. */
export interface ExpectedCall {
  readonly id: string;
  readonly virtual?: true;
  readonly "input_tokens": number;
  readonly "recorded_start_ms"?: number;
  readonly "recorded_end_ms"?: number;
  readonly after: readonly {
    readonly call: string;
    readonly on: "start" | "end";
    readonly "gap_ms": number;
  }[];
}

/** A session as the reference reads it. */
export interface ExpectedSession {
  readonly id: string;
  readonly calls: readonly ExpectedCall[];
  readonly schedules: Readonly<
    Record<string, { readonly "start_ms": Readonly<Record<string, number>> }>
  >;
  readonly "start_position": readonly {
    readonly ratio: number;
    readonly played: readonly string[];
    readonly primed: readonly string[];
    readonly "first_of_each_agent": readonly {
      readonly call: string;
      readonly "offset_ms": number;
    }[];
  }[];
  readonly failures: readonly {
    readonly failed: string;
    readonly "not_sent": Readonly<Record<"branch" | "session" | "continue", readonly string[]>>;
  }[];
}

/** Metadata of a line of profile_export.jsonl. */
export interface Metadata {
  readonly "x_request_id": string;
  readonly "session_num": number;
  readonly "turn_index": number;
  readonly call: string;
  readonly "request_start_ns": number;
  readonly unsent?: { readonly because: string };
}

/** A line of sessions.jsonl. */
export interface WholeSession {
  readonly status: string;
  readonly duration: number;
  readonly calls: { readonly sent: number };
  readonly "critical_path":
    & Readonly<Record<"model" | "tool" | "user" | "agent" | "wait", number>>
    & { readonly calls: readonly string[] };
}

/** How a server answers. */
export interface ReplayServer {
  /** Whether it refuses a request. */
  readonly failsOn?: (body: string) => boolean;
  /** Message of a reply. @param number of requests so far */
  readonly answer?: (body: string, number: number) => object;
  /** Time for which it holds a reply, in milliseconds. */
  readonly replyMs?: (body: string) => number;
}

/** Plays a file against a server that logs each request. */
export async function replay(
  file: string,
  args: readonly string[],
  {
    failsOn = () => false,
    answer = (_, number) => ({ "content": `reply to ${number}` }),
    replyMs = () => REPLY_MS,
  }: ReplayServer = {},
) {
  const served = new Map<string, Served>();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const arrivedMs = performance.now();
      const body = await request.text();
      // Others look whether the server is there.
      if (request.method !== "POST") return new Response("", { status: 404 });
      const one = { arrivedMs, endedMs: NaN, body };
      served.set(request.headers.get("x-request-id") ?? "", one);
      if (failsOn(body)) return new Response("no", { status: 500 });
      await new Promise((resolve) => setTimeout(resolve, replyMs(body)));
      one.endedMs = performance.now();
      return Response.json({
        "choices": [{
          "message": { "role": "assistant", ...answer(body, served.size) },
          "finish_reason": "stop",
        }],
        "usage": { "prompt_tokens": 1, "completion_tokens": 3, "total_tokens": 4 },
      });
    },
  );
  const expected = JSON.parse(
    await Deno.readTextFile(`${AGENTS}${file.replace(/\.jsonl?$/, "")}.expected.json`),
  ) as { readonly block_size: number; readonly sessions: readonly ExpectedSession[] };
  let rows: Metadata[] = [];
  let unsent: Metadata[] = [];
  let whole: WholeSession[] = [];
  let summary: Readonly<Record<string, unknown>> = {};
  await withFolder(async (folder) => {
    const run = await runProfile(`${folder}/run`, [
      ...["--url", `http://127.0.0.1:${server.addr.port}`, "--input-file", `${AGENTS}${file}`],
      ...["--tokenizer", `${AGENTS}tok_bytes`, "--model", "m"],
      ...["--isl-block-size", String(expected.block_size)],
      ...["--tool-time", `scale:${SCALE}`, "--user-time", `scale:${SCALE}`, ...args],
    ]);
    assert.ok(run.code === 0 || run.code === 1, run.stderr);
    const text = await Deno.readTextFile(`${folder}/run/profile_export.jsonl`);
    const all = text.trim().split("\n").map((line): Metadata => JSON.parse(line).metadata);
    rows = all.filter((row) => row.unsent === undefined);
    unsent = all.filter((row) => row.unsent !== undefined);
    summary = JSON.parse(await Deno.readTextFile(`${folder}/run/profile_export_aiperf.json`));
    // A shard, or one that is entered in its middle, may have sessions of one request only.
    const lines = await Deno.readTextFile(`${folder}/run/sessions.jsonl`).catch(() => "");
    whole = lines.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  });
  return { served, rows, unsent, whole, summary, sessions: expected.sessions };
}
