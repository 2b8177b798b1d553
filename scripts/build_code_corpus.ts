/**
 * Makes the corpus of synthetic prompts that are source code:
 * `deno run -A scripts/build_code_corpus.ts`
 *
 * The text is this project's own TypeScript, Python, shell scripts and JSON. It is made once and
 * committed: that the sources go on to change does not change anybody's prompts.
 */

import { writeCorpus } from "./write_corpus.ts";

const ROOT = new URL("../", import.meta.url);
const FOLDERS = [
  "src/client/http",
  "src/client/sse",
  "src/telemetry/prometheus",
  "src/telemetry/timeseries",
  "src/load/worker",
];
const OTHERS = [
  ...["scripts/aiperf/load_models.py", "scripts/aiperf/draw_plots.py", "docs/examples/scrape.sh"],
  ...["tests/support/read_metrics_files.py", "docs/examples/read_records.py", "deno.json"],
  ...["docs/examples/ci_gate.sh", "scripts/bench/install_clients.sh"],
];

const files = FOLDERS.flatMap((folder) =>
  [...Deno.readDirSync(new URL(folder, ROOT))].filter(({ isFile, name }) =>
    isFile && name.endsWith(".ts")
  ).map(({ name }) => `${folder}/${name}`).toSorted()
);
// The other languages lie between, not all at one end.
OTHERS.forEach((file, place) => {
  files.splice(Math.floor((place + 1) * files.length / (OTHERS.length + 1)), 0, file);
});

const text = files.map((file) =>
  Deno.readTextFileSync(new URL(file, ROOT)).split("\n")
    // A rule of dashes or a hash is one long piece.
    .filter((line) => /^[\t -~]*$/.test(line) && !/[-=#*]{16}|[0-9a-zA-Z+/]{60}/.test(line))
    .join("\n").trim()
).join("\n\n");
// Read round and round, it begins with a space and a word.
await writeCorpus("code_corpus", ` ${text.slice(text.search(/[a-z]/))}\n`);
