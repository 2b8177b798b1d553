/** The first example of docs/scaling.md: shards on one machine, and their merged report. */

import assert from "node:assert/strict";
import { withFolder } from "../support/artifacts.ts";
import { deadAddress } from "../support/dead_address.ts";
import { withMock } from "../support/local_mock.ts";
import { outputLabels } from "../support/output_shape.ts";
import { NO_FLUSH, runCli } from "../support/run_cli.ts";

const page = await Deno.readTextFile(new URL("../../docs/scaling.md", import.meta.url));

Deno.test("the shards of the page of several machines meet, and merge prints what it shows", () =>
  withMock({}, ({ url }) =>
    withFolder(async (folder) => {
      const [, script = ""] = /```bash\n([^`]+)```/.exec(page) ?? [];
      const variables = new Map(
        [...script.matchAll(/^(\w+)="([^"]+)"$/gm)].map(([, name, value]) => [name, value]),
      );
      const meeting = deadAddress();
      const commands = [...script.matchAll(/^inferometer (.*?)(?: &)?$/gm)].map(([, line = ""]) =>
        line.replaceAll(/\$(\w+)/g, (_, name: string) => variables.get(name) ?? "")
          .replace("localhost:8000", url.replace("http://", ""))
          .replace("127.0.0.1:29400", meeting)
          .replace("--request-count 480", "--request-count 80")
          .split(" ")
      );
      await Deno.writeTextFile(`${folder}/token`, "0123456789abcdef0123456789abcdef\n");
      const shards = commands.filter(([command]) => command === "profile");
      assert.equal(shards.length, 2);
      const ran = await Promise.all(
        shards.map((args) => runCli(args, { cwd: folder, env: NO_FLUSH })),
      );
      for (const { code, stderr } of ran) assert.equal(code, 0, stderr);
      const { code, stdout, stderr } = await runCli(
        commands.find(([command]) => command === "merge") ?? [],
        { cwd: folder },
      );
      assert.equal(code, 0, stderr);
      assert.match(stdout, /8 in flight, 80 requests/);
      const [, shown = ""] = /```text\n([^`]+)```/.exec(page) ?? [];
      const labels = outputLabels(shown);
      assert.ok(labels.length >= 8, labels.join());
      const printed = outputLabels(stdout);
      for (const label of labels) assert.ok(printed.includes(label), `${label} in ${stdout}`);
    })));
