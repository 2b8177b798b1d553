/** What the mock server says on the wire. */

import assert from "node:assert/strict";
import { withMock } from "../support/local_mock.ts";
import { exchangeOnce, RawConnection, type WireReply } from "../support/raw_connection.ts";
import { streamEvents } from "../support/stream_events.ts";
import { BUILTIN } from "../support/builtin.ts";

const CHAT = "/v1/chat/completions";
const COMPLETIONS = "/v1/completions";
const PROMPT = "How many tokens has a prompt, and who has counted them?";

function chatBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { "model": "m", "messages": [{ "role": "user", "content": PROMPT }], ...more };
}

function completionBody(more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { "model": "m", "prompt": PROMPT, ...more };
}

Deno.test("MockServer names its model", () =>
  withMock({ model: 'Zürich/"模型" 🚀' }, async ({ server }) => {
    const { status, headers, body } = await exchangeOnce(server.port, "GET", "/v1/models");
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/json");
    const { object, data } = JSON.parse(body);
    assert.equal(object, "list");
    assert.deepEqual(data.map(({ id }: { id: string }) => id), ['Zürich/"模型" 🚀']);
  }));

Deno.test("MockServer says that it is healthy", () =>
  withMock({}, async ({ server }) => {
    const { status, body, end } = await exchangeOnce(server.port, "GET", "/health");
    assert.deepEqual([status, body, end], [200, "", "complete"]);
  }));

Deno.test("MockServer refuses what it does not have", () =>
  withMock({}, async ({ server }) => {
    for (
      const [method, path, status] of [
        ["GET", "/v1/embeddings", 404],
        ["GET", CHAT, 404],
        ["POST", "/v1/nothing", 404],
        ["DELETE", "/nothing", 405],
      ] as const
    ) {
      const reply = await exchangeOnce(server.port, method, path);
      assert.equal(reply.status, status);
      const { error } = JSON.parse(reply.body);
      assert.equal(error.code, status);
      assert.equal(error.message, `No ${method} ${path} here`);
    }
  }));

/** Bodies that are no requests, and what must be said of each. */
const WRONG_BODIES: readonly [unknown, RegExp][] = [
  ["", /not a JSON object/],
  ["{", /not a JSON object/],
  ["[]", /not a JSON object/],
  ["null", /not a JSON object/],
  [chatBody({ "max_tokens": 0 }), /^max_tokens must be a whole number from 1 .* got 0$/],
  [chatBody({ "max_tokens": 2.5 }), /^max_tokens must .* got 2\.5$/],
  [chatBody({ "max_completion_tokens": "9" }), /^max_completion_tokens must .* got "9"$/],
  [chatBody({ "max_completion_tokens": 1e9 }), /^max_completion_tokens must .* 1000000, got/],
];

Deno.test("MockServer refuses bodies it cannot answer and keeps the connection", () =>
  withMock({}, async ({ server, stats }) => {
    using connection = await RawConnection.open(server.port);
    for (const [body, message] of WRONG_BODIES) {
      await connection.send("POST", CHAT, body);
      const reply = await connection.reply();
      assert.equal(reply.status, 400);
      assert.match(JSON.parse(reply.body).error.message, message);
    }
    await connection.send("POST", CHAT, chatBody({ "max_tokens": null }));
    assert.equal((await connection.reply()).status, 200);
    assert.equal((await stats()).succeeded, 1);
  }));

Deno.test("MockServer forgets its prefix cache when it is asked to", () =>
  withMock({ prefixCache: true }, async ({ server }) => {
    const cached = async (): Promise<number> => {
      const { body } = await exchangeOnce(server.port, "POST", CHAT, chatBody());
      const { usage } = JSON.parse(body);
      promptTokens = usage.prompt_tokens;
      return usage.prompt_tokens_details?.cached_tokens ?? 0;
    };
    let promptTokens = 0;
    assert.equal(await cached(), 0);
    assert.equal(await cached(), promptTokens - 1, "the last token is always computed");
    assert.equal((await exchangeOnce(server.port, "POST", "/reset_prefix_cache")).status, 200);
    assert.equal(await cached(), 0);
    assert.ok(await cached() > 0);
  }));

Deno.test("MockServer streams chat completions of exactly the tokens that were asked for", () =>
  withMock({}, async ({ server }) => {
    for (const name of ["max_tokens", "max_completion_tokens"]) {
      for (const tokens of [1, 2, 7, 200]) {
        const body = chatBody({ "stream": true, [name]: tokens });
        const { status, headers, body: text } = await exchangeOnce(server.port, "POST", CHAT, body);
        assert.equal(status, 200);
        assert.match(headers.get("content-type") ?? "", /^text\/event-stream/);
        const events = streamEvents(text);
        assert.equal(events.contentChunks, tokens);
        assert.equal(BUILTIN.count(events.text), tokens);
        assert.equal(events.finishReason, "length");
        assert.ok(events.isDone);
        assert.equal(events.usage, undefined, "usage was not asked for");
        assert.deepEqual(new Set(events.chunks.map(({ object }) => object)).size, 1);
        assert.equal(events.chunks[0]?.object, "chat.completion.chunk");
        assert.equal(events.chunks[0]?.choices[0]?.delta?.content, "", "the role comes first");
        assert.equal(new Set(events.chunks.map(({ id }) => id)).size, 1);
      }
    }
  }));

Deno.test("MockServer streams completions", () =>
  withMock({ tokens: 9 }, async ({ server }) => {
    const body = completionBody({ "stream": true });
    const { body: text } = await exchangeOnce(server.port, "POST", COMPLETIONS, body);
    const events = streamEvents(text);
    assert.equal(events.contentChunks, 9);
    assert.equal(BUILTIN.count(events.text), 9);
    assert.equal(events.finishReason, "stop", "the server chose the length");
    assert.ok(events.isDone);
    assert.equal(events.chunks[0]?.object, "text_completion");
  }));

Deno.test("MockServer answers as a whole what is not to be streamed", () =>
  withMock({ tokens: 9 }, async ({ server }) => {
    const chat = await exchangeOnce(server.port, "POST", CHAT, chatBody({ "max_tokens": 5 }));
    const chatReply = JSON.parse(chat.body);
    assert.equal(chat.headers.get("content-type"), "application/json");
    assert.equal(chatReply.object, "chat.completion");
    assert.equal(chatReply.choices[0].message.role, "assistant");
    assert.equal(BUILTIN.count(chatReply.choices[0].message.content), 5);
    assert.equal(chatReply.choices[0].finish_reason, "length");
    const promptTokens = BUILTIN.count(PROMPT);
    assert.deepEqual(chatReply.usage, {
      "prompt_tokens": promptTokens,
      "completion_tokens": 5,
      "total_tokens": promptTokens + 5,
    });
    const { body } = await exchangeOnce(server.port, "POST", COMPLETIONS, completionBody());
    const reply = JSON.parse(body);
    assert.equal(reply.object, "text_completion");
    assert.equal(BUILTIN.count(reply.choices[0].text), 9);
    assert.equal(reply.choices[0].finish_reason, "stop");
    assert.equal(reply.usage.completion_tokens, 9);
  }));

Deno.test("MockServer counts prompts of several messages, parts and texts", () =>
  withMock({ tokens: 1 }, async ({ server }) => {
    const promptTokens = async (path: string, body: unknown): Promise<number> =>
      JSON.parse((await exchangeOnce(server.port, "POST", path, body)).body).usage.prompt_tokens;
    const parts = [
      { "type": "text", "text": "two words" },
      { "type": "image_url", "image_url": { "url": "data:," } },
      { "type": "text", "text": "and three more" },
    ];
    const messages = [{ "role": "system", "content": "Be brief" }, {
      "role": "user",
      "content": parts,
    }];
    assert.equal(
      await promptTokens(CHAT, { "messages": messages }),
      BUILTIN.count("Be brief two words and three more"),
    );
    assert.equal(
      await promptTokens(COMPLETIONS, { "prompt": ["one", "two three"] }),
      BUILTIN.count("one two three"),
    );
    assert.equal(await promptTokens(CHAT, {}), 0);
  }));

Deno.test("MockServer ends a stream with its usage when asked to", () =>
  withMock({}, async ({ server }) => {
    const options = { "include_usage": true };
    const body = chatBody({ "stream": true, "max_tokens": 4, "stream_options": options });
    const events = streamEvents((await exchangeOnce(server.port, "POST", CHAT, body)).body);
    const withUsage = events.chunks.filter(({ usage }) => usage !== undefined);
    assert.equal(withUsage.length, 1);
    assert.equal(withUsage[0], events.chunks.at(-1));
    assert.deepEqual(withUsage[0]?.choices, []);
    const promptTokens = BUILTIN.count(PROMPT);
    assert.deepEqual(events.usage, {
      "prompt_tokens": promptTokens,
      "completion_tokens": 4,
      "total_tokens": promptTokens + 4,
    });
  }));

Deno.test("MockServer counts in every chunk when asked for continuous usage", () =>
  withMock({ tokensPerChunk: 3, reasoningTokens: 4 }, async ({ server }) => {
    const options = { "include_usage": true, "continuous_usage_stats": true };
    const body = chatBody({ "stream": true, "max_tokens": 9, "stream_options": options });
    const events = streamEvents((await exchangeOnce(server.port, "POST", CHAT, body)).body);
    const counts = events.chunks.filter(({ usage }) => usage !== undefined).map(({ usage }) => [
      usage?.["completion_tokens"],
      (usage?.["completion_tokens_details"] as Record<string, unknown>)["reasoning_tokens"],
    ]);
    // Chunks of 3 and 1 of reasoning, 3 and 2 of the answer, and the total at the end.
    assert.deepEqual(counts, [[3, 3], [4, 4], [7, 4], [9, 4], [9, 4]]);
  }));

Deno.test("MockServer thinks before it answers, part of the length that was asked for", () =>
  withMock({ reasoningTokens: 3 }, async ({ server }) => {
    for (const [tokens, thoughts] of [[8, 3], [3, 3], [2, 2]] as const) {
      const asked = { "max_tokens": tokens, "stream_options": { "include_usage": true } };
      const streamed = streamEvents(
        (await exchangeOnce(server.port, "POST", CHAT, chatBody({ ...asked, "stream": true })))
          .body,
      );
      assert.equal(BUILTIN.count(streamed.reasoning), thoughts);
      assert.equal(BUILTIN.count(streamed.text), tokens - thoughts);
      const details = { "reasoning_tokens": thoughts };
      assert.deepEqual(streamed.usage?.["completion_tokens_details"], details);
      const whole = JSON.parse(
        (await exchangeOnce(server.port, "POST", CHAT, chatBody(asked))).body,
      );
      const { message } = whole.choices[0];
      assert.equal(message.reasoning_content, streamed.reasoning);
      assert.equal(message.content, streamed.text);
      assert.deepEqual(whole.usage.completion_tokens_details, details);
    }
    const { body } = await exchangeOnce(
      server.port,
      "POST",
      COMPLETIONS,
      completionBody({ "stream": true, "max_tokens": 5 }),
    );
    assert.equal(BUILTIN.count(streamEvents(body).text), 5, "completions do not think");
  }));

Deno.test("MockServer puts several tokens into a chunk, the last one takes what is left", () =>
  withMock({ tokensPerChunk: 4 }, async ({ server }) => {
    const body = chatBody({ "stream": true, "max_tokens": 10 });
    const events = streamEvents((await exchangeOnce(server.port, "POST", CHAT, body)).body);
    const contents = events.chunks.flatMap(({ choices: [choice] }) => choice?.delta?.content || []);
    assert.deepEqual(contents.map((text) => BUILTIN.count(text)), [4, 4, 2]);
  }));

Deno.test("MockServer repeats the model's name, whatever characters it has", () =>
  withMock({}, async ({ server }) => {
    for (const model of ["Zürich", "模型-7B", "🚀", 'quo"te\\', "\u2028"]) {
      const streamed = await exchangeOnce(
        server.port,
        "POST",
        CHAT,
        chatBody({ "model": model, "stream": true, "max_tokens": 3 }),
      );
      assert.equal(streamed.end, "complete");
      const events = streamEvents(streamed.body);
      assert.deepEqual(events.chunks.map((chunk) => chunk.model), events.chunks.map(() => model));
      assert.ok(events.isDone);
      const whole = await exchangeOnce(server.port, "POST", CHAT, chatBody({ "model": model }));
      assert.equal(JSON.parse(whole.body).model, model);
    }
  }));

Deno.test("MockServer serves many requests over one connection, until asked to close it", () =>
  withMock({ tokens: 2 }, async ({ server }) => {
    using connection = await RawConnection.open(server.port);
    const ids = new Set<string>();
    for (let round = 0; round < 5; round++) {
      const stream = round % 2 === 0;
      await connection.send("POST", CHAT, chatBody({ "stream": stream }));
      const { body, end } = await connection.reply();
      assert.equal(end, "complete");
      ids.add(stream ? streamEvents(body).chunks[0]?.id ?? "" : JSON.parse(body).id);
    }
    assert.equal(ids.size, 5);
    await connection.send("POST", CHAT, chatBody(), { "Connection": "Close" });
    assert.equal((await connection.reply()).end, "complete");
    assert.equal(await connection.ending(), "closed");
  }));

Deno.test("MockServer reads requests however they are cut, and several in one piece", () =>
  withMock({ tokens: 2 }, async ({ server, stats }) => {
    const text = JSON.stringify(chatBody({ "messages": [{ "role": "user", "content": "é🚀" }] }));
    const bytes = new TextEncoder().encode(text);
    const head =
      `POST ${CHAT} HTTP/1.1\r\ncontent-length:${bytes.length}\r\nx-request-id: a\r\n\r\n`;
    const whole = new Uint8Array([...new TextEncoder().encode(head), ...bytes]);
    using connection = await RawConnection.open(server.port);
    const replies: WireReply[] = [];
    for (const byte of whole) await connection.write(Uint8Array.of(byte));
    replies.push(await connection.reply());
    await connection.write(new Uint8Array([...whole, ...whole, ...whole.subarray(0, 40)]));
    replies.push(await connection.reply(), await connection.reply());
    await connection.write(whole.subarray(40));
    replies.push(await connection.reply());
    for (const { status, body } of replies) {
      assert.equal(status, 200);
      assert.equal(JSON.parse(body).usage.prompt_tokens, BUILTIN.count("é🚀"));
    }
    const { served } = await stats();
    assert.deepEqual(served.map((request) => request.request_id), ["a", "a", "a", "a"]);
  }));

Deno.test("MockServer closes a connection on which no HTTP is spoken", () =>
  withMock({}, async ({ server }) => {
    using connection = await RawConnection.open(server.port);
    await connection.write("\x16\x03\x01 hello\r\n\r\n");
    assert.equal(await connection.ending(), "closed");
  }));

Deno.test("MockServer without TLS closes a connection that begins with a handshake", () =>
  withMock({}, async ({ server }) => {
    using connection = await RawConnection.open(server.port);
    await connection.write("\x16\x03\x01");
    assert.equal(await connection.ending(), "closed");
  }));

Deno.test("MockServer forgets what it did when told to", () =>
  withMock({ tokens: 2 }, async ({ server, stats }) => {
    await exchangeOnce(server.port, "POST", CHAT, chatBody());
    assert.equal((await stats()).served.length, 1);
    await exchangeOnce(server.port, "POST", "/mock/reset");
    const after = await stats();
    assert.deepEqual([after.requests, after.succeeded, after.served.length], [0, 0, 0]);
  }));

Deno.test("MockServer gives as many choices as are asked for, side by side, and counts all", () =>
  withMock({}, async ({ server }) => {
    const body = chatBody({ "n": 3, "max_tokens": 4 });
    const { body: whole } = await exchangeOnce(server.port, "POST", CHAT, body);
    const { choices, usage } = JSON.parse(whole);
    assert.deepEqual(choices.map(({ index }: { index: number }) => index), [0, 1, 2]);
    const texts = choices.map(({ message }: { message: { content: string } }) => message.content);
    assert.equal(new Set(texts).size, 3);
    assert.equal(usage.completion_tokens, 12);
    const asked = { ...body, "stream": true, "stream_options": { "include_usage": true } };
    const streamed = await exchangeOnce(server.port, "POST", CHAT, asked);
    const told = ["", "", ""];
    const order: number[] = [];
    for (const { choices } of streamEvents(streamed.body).chunks) {
      for (const { index = 0, delta } of choices) {
        if (delta?.content) order.push(index);
        told[index] += delta?.content ?? "";
      }
    }
    assert.deepEqual(told, texts);
    assert.deepEqual(order, [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
    const many = chatBody({ "n": 200 });
    assert.equal((await exchangeOnce(server.port, "POST", CHAT, many)).status, 400);
  }));

Deno.test("the mock server names itself a mock, as the title of a run shows it", () =>
  withMock({}, async ({ url }) => {
    const { data } = await (await fetch(`${url}/v1/models`)).json();
    assert.equal(data[0].owned_by, "inferometer mock");
  }));

Deno.test("MockServer caches prompts by blocks, and computes only the rest of them", () =>
  withMock({
    ...{ prefixCache: true, blockSize: 4, prefillTimePerToken: 5 },
  }, async ({ server }) => {
    const ask = async (text: string) => {
      const body = chatBody({ "messages": [{ "role": "user", "content": text }], "max_tokens": 1 });
      const startMs = performance.now();
      const { body: reply } = await exchangeOnce(server.port, "POST", CHAT, body);
      const { usage } = JSON.parse(reply);
      const cached: number = usage.prompt_tokens_details.cached_tokens;
      const computed = usage.prompt_tokens - cached;
      assert.ok(performance.now() - startMs >= 5 * computed, `${computed} tokens`);
      return [usage.prompt_tokens, cached];
    };
    assert.deepEqual(await ask("one two three four five six seven eight nine"), [9, 0]);
    assert.deepEqual(await ask("one two three four five six seven eight ten"), [9, 8]);
    assert.deepEqual(await ask("two two three four five six seven eight ten"), [9, 0]);
  }));

Deno.test("MockServer fails one call of each session", () =>
  withMock({ failCall: 2 }, async ({ server }) => {
    const statusOf = async (session: string): Promise<number> => {
      const headers = { "X-Correlation-ID": session };
      return (await exchangeOnce(server.port, "POST", CHAT, chatBody(), headers)).status;
    };
    const seen: number[] = [];
    for (const session of ["a", "a", "b", "a", "b"]) seen.push(await statusOf(session));
    assert.deepEqual(seen, [200, 500, 200, 200, 500]);
  }));
