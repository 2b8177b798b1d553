// deno-lint-ignore-file no-console
/**
 * Compares strict reading with Go's two parsers of the format 0.0.4, Prometheus' own (textparse) and
 * that of its client library (expfmt), on mutated pages:
 *
 *     deno run --allow-all scripts/compare_strict.ts [--pages 20000] [--seed 1]
 *
 * `go` must be at hand; its modules are fetched. Ends with 1 if a page is read that both refuse.
 */

import { parseArgs } from "node:util";
import { randomStream } from "../src/core/statistics/random_stream.ts";
import { parseExposition } from "../src/telemetry/prometheus/parse_exposition.ts";
import { PrometheusSyntaxError } from "../src/telemetry/prometheus/prometheus_syntax_error.ts";
import { buildGoProgram } from "./bench/go_program.ts";
import { PROMETHEUS } from "./bench/go_textparse.ts";

const PROGRAM = `package main

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

// Whether a parser reads a page; one that panics does not.
func reads(parse func(page []byte) error, page []byte) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return parse(page) == nil
}

func client(page []byte) error {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	_, err := parser.TextToMetricFamilies(strings.NewReader(string(page)))
	return err
}

func scraper(page []byte) error {
	parser := textparse.NewPromParser(page, labels.NewSymbolTable(), false)
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if entry == textparse.EntrySeries {
			var metric labels.Labels
			parser.Labels(&metric)
		}
	}
}

// Prints for each page, a line in base64, what the two parsers say of it.
func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		page, err := base64.StdEncoding.DecodeString(lines.Text())
		if err != nil {
			panic(err)
		}
		fmt.Println(reads(client, page), reads(scraper, page))
	}
}
`;

const CORPUS = new URL("../fixtures/prometheus/corpus/", import.meta.url);
const MAX_SEED_BYTES = 3000;

/** What is put into pages: what the format is made of, and what it nearly is. */
const TOKENS = [
  ...["\r\n", "\r", " ", "\t", "  ", "\n", "\n\n", "\0", "\v", "\f", "\u00a0", "\u2028", "\ufeff"],
  ...["#", "# ", "# HELP", "# TYPE", "# HELP\n", "# TYPE\n", "# HELP \n", "# TYPE \n", "# EOF\n"],
  ...["{", "}", '"', ",", "=", "+", "-", "\\", "\\n", '\\"', "\\x", ":", "_", "{}", '"a"', "''"],
  ...[" 5", " +5", " -5", "0", "1", ".", "e", "1e5", "1e999", "0x1", "1_0", "9".repeat(20)],
  ...["NaN", "-NaN", "nan", "+Inf", "inf", "-Infinity", "counter", "COUNTER", "gauge", "untyped"],
  ...["unknown", "info", "a", "é", '__name__="x"', 'le="1"', 'quantile="0.5"', " # {} 1"],
];

const { values: options } = parseArgs({
  options: {
    pages: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
  },
});
const random = randomStream(Number(options.seed), "pages");
const pages = mutatedPages(await seeds(), Number(options.pages));
const verdicts = await goVerdicts(pages);
const counts = new Map<string, number>();
let missed = 0;
pages.forEach((page, index) => {
  const isRead = readsStrictly(page);
  const [client, scraper] = verdicts[index]?.split(" ") ?? [];
  const key = `expfmt ${client}, textparse ${scraper}, here ${isRead}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (client === "true" || scraper === "true" || !isRead) return;
  missed++;
  console.log(`read here alone: ${JSON.stringify(new TextDecoder().decode(page))}`);
});
for (const [key, count] of [...counts].sort()) console.log(`${key}: ${count}`);
Deno.exit(missed === 0 ? 0 : 1);

async function seeds(): Promise<Uint8Array[]> {
  const texts: Uint8Array[] = [];
  for await (const { name } of Deno.readDir(CORPUS)) {
    // Names of OpenMetrics pages start with another letter.
    const text = await Deno.readFile(new URL(name, CORPUS));
    if (name.startsWith("c") && text.length < MAX_SEED_BYTES) texts.push(text);
  }
  return texts;
}

function mutatedPages(seeds: readonly Uint8Array[], count: number): Uint8Array<ArrayBuffer>[] {
  const encoder = new TextEncoder();
  const tokens = TOKENS.map((token) => encoder.encode(token));
  const below = (limit: number) => Math.floor(random() * limit);
  return Array.from({ length: count }, () => {
    const page = [...seeds[below(seeds.length)] as Uint8Array];
    for (let changes = 1 + below(2); changes > 0; changes--) {
      const token = tokens[below(tokens.length)] as Uint8Array;
      const lineEnds = [...page.keys()].filter((at) => page[at] === 10);
      const lineEnd = lineEnds[below(lineEnds.length)] ?? 0;
      const at = [below(page.length + 1), lineEnd, lineEnd + 1][below(3)] as number;
      // Bytes are put in, taken away, or both.
      const [removed, added] = [[0, token], [1, []], [1 + below(3), token]][below(3)] as [
        number,
        Iterable<number>,
      ];
      page.splice(at, removed, ...added);
    }
    return Uint8Array.from(page);
  });
}

async function goVerdicts(pages: readonly Uint8Array<ArrayBuffer>[]): Promise<string[]> {
  const folder = await Deno.makeTempDir({ prefix: "compare-strict-" });
  try {
    const program = await buildGoProgram(folder, "parsers", PROGRAM, [PROMETHEUS]);
    const child = new Deno.Command(program, { stdin: "piped", stdout: "piped" }).spawn();
    const lines = pages.map((page) => `${page.toBase64()}\n`).join("");
    const [{ stdout }] = await Promise.all([
      child.output(),
      new Blob([lines]).stream().pipeTo(child.stdin),
    ]);
    return new TextDecoder().decode(stdout).trimEnd().split("\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function readsStrictly(page: Uint8Array): boolean {
  try {
    parseExposition(page, { strict: true });
    return true;
  } catch (error) {
    if (!(error instanceof PrometheusSyntaxError)) throw error;
    return false;
  }
}
