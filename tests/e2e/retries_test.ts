/** Requests whose connections close, and replies that stall, in whole runs. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { chunk } from "../support/fault_server.ts";
import { runProfile } from "../support/profile_run.ts";
import { scriptedServer } from "../support/scripted_server.ts";

const TOKEN = `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n`;
const HEAD =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const REPLY = `${HEAD}${chunk(TOKEN)}${chunk("data: [DONE]\n\n")}0\r\n\r\n`;
const NOT_FOUND = "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n";
/** Longer than any connect to this machine, and than the shortest time in which a close is a race. */
const LATE_MS = 200;

const RUN = ["--model", "m", "--streaming", "--isl", "4", "--concurrency", "2"];

Deno.test("profile fails a request whose connection closes late, whichever it is on its connection", async (t) => {
  for (const place of [1, 3]) {
    await t.step(`request ${place} of each connection`, () =>
      withFolder(async (folder) => {
        const seen = new Map<number, number>();
        let died = 0;
        let requests = 0;
        using server = scriptedServer(async ({ head, connection, reply, close }) => {
          if (head.startsWith("GET")) return await reply(NOT_FOUND);
          requests++;
          const number = (seen.get(connection) ?? 0) + 1;
          seen.set(connection, number);
          // At most eight times: the first requests of a run must not all fail.
          const isSpared = place === 1 && requests % 2 === 1;
          if (number !== place || isSpared || died >= 8) return await reply(REPLY);
          died++;
          await new Promise((resolve) => setTimeout(resolve, LATE_MS));
          close();
        });
        const { artifacts: { json, records } } = await runProfile(folder, [
          ...["--url", server.host, "--request-count", "30", ...RUN],
        ]);
        assert.ok(died > 0);
        assert.equal(requests, 30, "none was resent");
        const { failed, succeeded, retried } = json.requests;
        assert.deepEqual([failed, succeeded, retried], [died, 30 - died, 0]);
        const kinds = records.flatMap(({ error }) => error?.kind ?? []);
        assert.deepEqual(kinds, Array(died).fill("connection_closed"));
        assert.deepEqual(json.error_summary.map(({ count }: { count: number }) => count), [died]);
      }));
  }
});

Deno.test("profile ends streams that stall, before their first byte and after it", async () => {
  let requests = 0;
  using server = scriptedServer(async ({ head, reply }) => {
    if (head.startsWith("GET")) return await reply(NOT_FOUND);
    const kind = requests++ % 3;
    if (kind === 0) await reply(REPLY);
    if (kind === 1) await reply(`${HEAD}${chunk(TOKEN)}`);
    // Nothing more comes of the others.
    if (kind !== 0) await new Promise<void>(() => {});
  });
  await withFolder(async (folder) => {
    const { artifacts: { json, records } } = await runProfile(folder, [
      ...["--url", server.host, "--request-count", "9", ...RUN, "--stall-timeout", "0.5"],
    ]);
    assert.deepEqual([json.requests.succeeded, json.requests.failed], [3, 6]);
    assert.equal(json.inferometer.stall_timeout, 0.5);
    const errors = records.flatMap(({ error }) => error ?? []);
    assert.ok(errors.every(({ kind }) => kind === "timeout"));
    assert.match(JSON.stringify(errors[0]), /No byte of the reply within 0\.5 s/);
  });
});
