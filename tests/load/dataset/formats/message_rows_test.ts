import assert from "node:assert/strict";
import { completions } from "../../../../src/client/endpoint/openai/completions.ts";
import { BUILTIN } from "../../../support/builtin.ts";
import { lines, readText, tableOf, textsOf } from "../../../support/input_files.ts";

const user = (content: unknown) => ({ "role": "user", "content": content });
const assistant = (content: string) => ({ "role": "assistant", "content": content });
const system = (content: string) => ({ "role": "system", "content": content });

Deno.test("messageRows sends what users say, with live replies between", async () => {
  const { conversations } = await readText(lines(
    { "messages": [system("Be brief."), user("a"), assistant("A one two"), user("b")] },
    { "messages": [user("c"), assistant("C")], "id": 7 },
    { "messages": [user([{ "type": "text", "text": "d" }])] },
  ));
  assert.deepEqual(textsOf(conversations), [["a", "b"], ["c"], ["d"]]);
  const [first, second] = conversations[0]?.turns ?? [];
  assert.ok(first?.request.kind === "content" && second?.request.kind === "content");
  assert.equal(first.request.system, "Be brief.");
  assert.equal(second.followsHistory, true);
  assert.equal(first.request.content.outputTokens, BUILTIN.count("A one two"));
  assert.equal(second.request.content.outputTokens, undefined);
  assert.equal(conversations[1]?.id, "7");
});

Deno.test("messageRows makes bodies with the model and the lengths of the run, or of the row", async () => {
  const { conversations } = await readText(
    lines(
      { "messages": [system("s"), user("a"), assistant("one two three four")] },
      { "messages": [user("b")], "max_tokens": 9 },
      { "messages": [user("c")], "extra": { "top_k": 2 }, "tools": [{ "type": "function" }] },
    ),
    { outputTokensMean: 5 },
  );
  const { bodies } = await tableOf(conversations);
  assert.deepEqual(bodies.map((body) => body.max_completion_tokens), [5, 9, 5]);
  assert.deepEqual(bodies.map((body) => body.model), ["m", "m", "m"]);
  assert.deepEqual(bodies[0].messages, [system("s"), user("a")]);
  assert.deepEqual([bodies[2].top_k, bodies[2].tools], [2, [{ "type": "function" }]]);
});

Deno.test("messageRows sends messages that are not plain unchanged", async () => {
  const image = [{ "type": "image_url", "image_url": { "url": "https://x/y.png" } }];
  const call = { "role": "assistant", "content": null, "tool_calls": [{ "id": "1" }] };
  const result = { "role": "tool", "tool_call_id": "1", "content": "sunny" };
  const { conversations } = await readText(lines(
    { "messages": [user(image), assistant("a"), { ...user("b"), "name": "Bo" }] },
    { "messages": [assistant("Hello!"), user("c"), user("d")] },
    { "messages": [user("weather?"), call, result, assistant("Sunny."), user("thanks"), call] },
  ));
  const messages = conversations.map(({ turns }) =>
    turns.map(({ request, followsHistory }) => {
      assert.ok(request.kind === "messages");
      return [request.messages, followsHistory];
    })
  );
  assert.deepEqual(messages, [
    [[[user(image)], true], [[{ ...user("b"), "name": "Bo" }], true]],
    [[[assistant("Hello!"), user("c"), user("d")], true]],
    [[[user("weather?"), call, result, assistant("Sunny."), user("thanks")], false]],
  ]);
});

Deno.test("messageRows of one turn fit endpoint types without conversations", async () => {
  const { conversations } = await readText(
    lines({ "messages": [{ ...user("a"), "name": "Bo" }] }),
    {},
    { type: completions },
  );
  const { bodies } = await tableOf(conversations, { type: completions });
  assert.equal(bodies[0].prompt, "a");
});

Deno.test("messageRows leaves out conversations without a user, and reads arrays", async () => {
  const rows = [{ "messages": [system("s"), assistant("a")] }, { "messages": [user("b")] }];
  const { conversations, warnings } = await readText(JSON.stringify(rows));
  assert.deepEqual(textsOf(conversations), [["b"]]);
  assert.match(warnings[0] as string, /without a message of a user, left out: 1/);
  await assert.rejects(
    readText(lines({ "messages": [{ "content": "x" }] })),
    /:1:\d+: messages\.0\.role: Must be a text/,
  );
});
