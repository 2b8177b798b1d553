/**
 * A metrics endpoint with every fault that servers and networks were seen to have, chosen by the
 * path: `GET /<fault>/metrics`. Faults with a good page count the scrapes of their path in it.
 */

import { scriptedServer } from "./scripted_server.ts";
import { chunk, gzip } from "./fault_server.ts";

const encoder = new TextEncoder();

/** A request for a metrics page. */
interface Scrape {
  readonly method: string;
  readonly head: string;
  /** Number of the request for this fault, from 1. */
  readonly number: number;
  /** Whether an endpoint that vanishes is gone. */
  readonly hasVanished: boolean;
  /** Number of the request on its connection, from 1. */
  readonly onConnection: number;
  write(text: string | Uint8Array): Promise<void>;
  /** Ends the connection in an orderly way. */
  close(): void;
  /** Never ends; whether there are later requests is noted. */
  stall(): Promise<void>;
}

type Fault = (scrape: Scrape) => Promise<void> | void;

const TEXT = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const CHUNKED = `HTTP/1.1 200 OK\r\nContent-Type: ${TEXT}\r\nTransfer-Encoding: chunked\r\n\r\n`;

function reply(body: string, contentType = TEXT, status = "200 OK", headers = ""): string {
  const length = encoder.encode(body).length;
  return `HTTP/1.1 ${status}\r\nContent-Type: ${contentType}\r\nContent-Length: ${length}\r\n` +
    `${headers}\r\n${body}`;
}

/** A counter, a gauge and a histogram after so many scrapes. */
export function goodPage(number: number): string {
  return `# HELP good_requests_total Requests served.
# TYPE good_requests_total counter
good_requests_total{model="m"} ${number * 5}
# TYPE good_running gauge
good_running ${number % 4}
# TYPE good_latency_seconds histogram
good_latency_seconds_bucket{le="0.1"} ${number * 3}
good_latency_seconds_bucket{le="1.0"} ${number * 4}
good_latency_seconds_bucket{le="+Inf"} ${number * 5}
good_latency_seconds_sum ${number * 2.5}
good_latency_seconds_count ${number * 5}
`;
}

/** A page that ends in the middle of a number. */
function halfPage(number: number): string {
  const page = goodPage(number);
  return `HTTP/1.0 200 OK\r\nContent-Type: ${TEXT}\r\n\r\n` +
    page.slice(0, page.indexOf('le="1.0"} ') + 'le="1.0"} '.length + 1);
}

const HTML =
  "<!DOCTYPE html><html><head><title>Metrics</title></head>\n<body>It works</body></html>";

function forever(): Promise<void> {
  return new Promise(() => {});
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

async function endless(scrape: Scrape, head: string, piece: string): Promise<void> {
  await scrape.write(head);
  const bytes = encoder.encode(piece);
  for (;;) await scrape.write(bytes);
}

/** Sixty kilobytes that become sixty megabytes; made once, as that takes longer than a scrape may. */
let bomb: Promise<Uint8Array> | undefined;

function gauges(name: string, count: number, from: number): string {
  const lines = Array.from({ length: count }, (_, index) => `${name}{id="${from + index}"} 1\n`);
  return `# TYPE ${name} gauge\n${lines.join("")}`;
}

/** Nearly three megabytes of series that stay, and as much in help texts. */
const BIG_PAGE = Array.from(
  { length: 2000 },
  (_, index) =>
    `# HELP big_${index} ${"h".repeat(1200)}\n# TYPE big_${index} gauge\n` +
    `big_${index}{model="${"m".repeat(600)}",rank="0",path="${"p".repeat(600)}"} 1\n`,
).join("");

/** Five megabytes of short lines, more series than are taken in. */
const MANY_SERIES = Array.from(
  { length: 60_000 },
  (_, index) =>
    `many{instance="host-${index % 100}",shard="${index}",zone="eu-${index % 7}"} 1.5\n`,
).join("");

/** Label values that do something to careless readers. */
export const HOSTILE_LABELS = [
  "=cmd|'/C calc'!A0",
  "+1+1",
  "-2+3",
  "@SUM(A1)",
  "\t=1",
  "../../etc/passwd",
  "C:\\Windows",
  'a"b,c;d',
  "two\n\nlines",
  "<script>alert(1)</script>",
];

function escaped(label: string): string {
  return label.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** The faults by their names. */
export const METRICS_FAULTS: Readonly<Record<string, Fault>> = {
  "good": (scrape) => scrape.write(reply(goodPage(scrape.number))),
  "infinite_body": (scrape) => endless(scrape, CHUNKED, chunk('endless{a="b"} 1\n'.repeat(2000))),
  "infinite_line": (scrape) =>
    endless(scrape, CHUNKED + chunk("endless{a="), chunk("x".repeat(60_000))),
  "infinite_head": (scrape) => endless(scrape, "HTTP/1.1 200 OK\r\n", "X-A: aaaaaaaaaaaaaaaa\r\n"),
  "one_byte_chunks": (scrape) => endless(scrape, CHUNKED, "1\r\n#\r\n".repeat(10_000)),
  "gzip_bomb": async (scrape) => {
    const body = await bomb as Uint8Array;
    await scrape.write(
      `HTTP/1.1 200 OK\r\nContent-Type: ${TEXT}\r\nContent-Encoding: gzip\r\n` +
        `Content-Length: ${body.length}\r\n\r\n`,
    );
    await scrape.write(body);
  },
  "new_series": ({ number, write }) =>
    write(reply(goodPage(number) + gauges("churn", 10_000, number * 10_000))),
  "many_series": ({ number, write }) =>
    write(reply(`${goodPage(number)}# TYPE many counter\n${MANY_SERIES}`)),
  "big_page": ({ number, write }) => write(reply(BIG_PAGE + goodPage(number))),
  "long_label": ({ number, write }) =>
    write(reply(`${goodPage(number)}long{a="${"x".repeat(1024 * 1024)}"} 1\n`)),
  "long_label_third": ({ number, write }) =>
    write(reply(
      goodPage(number) + (number === 3 ? `long{a="${"x".repeat(1024 * 1024)}"} 1\n` : ""),
    )),
  "stall_before_head": forever,
  "stall_in_body": async (scrape) => {
    await scrape.write(CHUNKED + chunk(goodPage(1)));
    await forever();
  },
  "stall_later": async (scrape) => {
    // Once the client has taken some pages in: who gives one up comes with a new connection.
    if (scrape.onConnection < 4) return await scrape.write(reply(goodPage(scrape.number)));
    await scrape.stall();
  },
  "slow": async (scrape) => {
    const bytes = encoder.encode(reply(goodPage(scrape.number)));
    const step = Math.ceil(bytes.length / 8);
    for (let start = 0; start < bytes.length; start += step) {
      await scrape.write(bytes.subarray(start, start + step));
      await pause(15);
    }
  },
  "json": (scrape) => scrape.write(reply('[{"iter": 1}]', "application/json")),
  "json_as_text": (scrape) => scrape.write(reply('[{"iter": 1}]')),
  "html": (scrape) => scrape.write(reply(HTML, "text/html")),
  "garbage": (scrape) => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, index) => index * 7919 % 256);
    return scrape.write(
      new Uint8Array([
        ...encoder.encode(
          `HTTP/1.1 200 OK\r\nContent-Type: ${TEXT}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
        ),
        ...bytes,
      ]),
    );
  },
  "not_http": (scrape) => scrape.write("\x16\x03\x01\x02\x00 this is not HTTP\r\n\r\n"),
  "half_page_third": async (scrape) => {
    const page = goodPage(scrape.number);
    if (scrape.number !== 3) return await scrape.write(reply(page));
    await scrape.write(reply(page).slice(0, -100));
    scrape.close();
  },
  "half_page_unframed": async (scrape) => {
    if (scrape.number !== 3) return await scrape.write(reply(goodPage(scrape.number)));
    await scrape.write(halfPage(scrape.number));
    scrape.close();
  },
  "half_page_first": async (scrape) => {
    if (scrape.number !== 1) return await scrape.write(reply(goodPage(scrape.number)));
    await scrape.write(halfPage(scrape.number));
    scrape.close();
  },
  "one_bad_line": ({ number, write }) =>
    write(reply(`${goodPage(number)}this is { no sample\n# TYPE after gauge\nafter 1\n`)),
  "bad_third": ({ number, write }) => write(reply(number === 3 ? HTML : goodPage(number))),
  "json_third": ({ number, write }) =>
    write(number === 3 ? reply("{}", "application/json") : reply(goodPage(number))),
  "status_500_third": ({ number, write }) =>
    write(
      number === 3 ? reply("oops", TEXT, "500 Internal Server Error") : reply(goodPage(number)),
    ),
  "counters_reset": ({ number, write }) =>
    write(reply(goodPage(number < 5 ? 100 + number : number))),
  "type_changes": ({ number, write }) =>
    write(reply(
      `${goodPage(number)}# TYPE changing ${
        number < 4 ? "gauge" : "counter"
      }\nchanging ${number}\n`,
    )),
  "bounds_change": ({ number, write }) =>
    write(reply(goodPage(number).replaceAll('le="0.1"', number < 5 ? 'le="0.1"' : 'le="0.5"'))),
  "nan_everywhere": (scrape) => scrape.write(reply(goodPage(3).replace(/ \d[\d.]*$/gm, " NaN"))),
  "split_family": ({ number, write }) =>
    write(reply(
      `# TYPE split_total counter\nsplit_total{part="a"} ${number}\n# TYPE other gauge\nother 1\n` +
        `# TYPE split_total counter\nsplit_total{part="b"} ${number * 2}\n`,
    )),
  "open_metrics": ({ number, write }) =>
    write(reply(
      `# TYPE build info\nbuild_info{version="1"} 1\n# TYPE state stateset\nstate{state="on"} 1\n` +
        `# TYPE good_requests counter\ngood_requests_total{model="m"} ${
          number * 5
        } # {id="x"} 1\n` +
        `# EOF\n`,
      OPEN_METRICS,
    )),
  "status_401": (scrape) =>
    scrape.write(reply(
      `Wrong credentials: ${/authorization: (.*)/i.exec(scrape.head)?.[1] ?? ""}`,
      TEXT,
      "401 Unauthorized",
    )),
  "status_404": (scrape) => scrape.write(reply("", TEXT, "404 Not Found")),
  "head_hangs": (scrape) =>
    scrape.method === "HEAD" ? forever() : scrape.write(reply(goodPage(scrape.number))),
  "head_refused": (scrape) =>
    scrape.write(
      scrape.method === "HEAD"
        ? "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"
        : reply(goodPage(scrape.number)),
    ),
  "hostile_labels": ({ number, write }) =>
    write(reply(
      goodPage(number) + '# HELP evil =HYPERLINK("http://evil.example")\n# TYPE evil gauge\n' +
        HOSTILE_LABELS.map((label) => `evil{label="${escaped(label)}"} 1\n`).join("") +
        `evil_path{path="../../../../tmp/evil",__proto__="a"} 1\n`,
    )),
  "control_characters": (scrape) =>
    scrape.write(reply("x", "application/json\x1b[2J\x1b]0;evil\x07")),
  "closes_each_time": async (scrape) => {
    await scrape.write(reply(goodPage(scrape.number)));
    scrape.close();
  },
  "vanishes": async (scrape) => {
    if (scrape.hasVanished) return scrape.close();
    await scrape.write(reply(goodPage(scrape.number)));
  },
};

/** A running server. */
export interface MetricsFaultServer extends Disposable {
  readonly port: number;
  /** The metrics endpoint with that fault. */
  url(fault: string): string;
  /** Requests for a fault so far. */
  count(fault: string): number;
  /** Whether another request came for a fault that stalled when it had given good pages. */
  readonly hasResumed: boolean;
  /** Has the endpoint that vanishes do so after some more pages. */
  vanishAfter(pages: number): void;
  /** Request lines so far. */
  readonly requests: readonly string[];
}

/**
 * Starts a server on a free port of 127.0.0.1. Besides the faults it has redirects, to where the
 * query says: `/redirect/metrics?to=URL`; and pages that are nowhere but under
 * `/prometheus/metrics`: `/json_here/metrics` and `/not_here/metrics`.
 */
export function startMetricsFaultServer(): MetricsFaultServer {
  // Made before it is needed.
  bomb ??= gzip("x".repeat(64 * 1024 * 1024));
  const requests: string[] = [];
  const counts = new Map<string, number>();
  const onConnections = new Map<number, number>();
  const stalled = new Set<string>();
  let hasResumed = false;
  let pagesInAll = Infinity;
  const server = scriptedServer(async ({ head, connection, reply: write, close }) => {
    const [method = "", target = ""] = head.split("\r\n", 1)[0]?.split(" ") ?? [];
    requests.push(`${method} ${target}`);
    const [path = "", query = ""] = target.split("?");
    const [, fault = "", ...rest] = path.split("/");
    const number = (counts.get(path) ?? 0) + 1;
    counts.set(path, number);
    const onConnection = (onConnections.get(connection) ?? 0) + 1;
    onConnections.set(connection, onConnection);
    hasResumed ||= stalled.has(path);
    const stall = (): Promise<void> => {
      stalled.add(path);
      return forever();
    };
    const hasVanished = number > pagesInAll;
    const scrape: Scrape = {
      ...{ method, head, number, hasVanished, onConnection, write, close, stall },
    };
    if (fault === "redirect") {
      const to = new URLSearchParams(query).get("to");
      await write(reply("", TEXT, "307 Temporary Redirect", `Location: ${to}\r\n`));
    } else if (fault === "json_here" || fault === "not_here") {
      if (rest.join("/") === "prometheus/metrics") await write(reply(goodPage(number)));
      else await METRICS_FAULTS[fault === "json_here" ? "json" : "status_404"]?.(scrape);
    } else {
      await (METRICS_FAULTS[fault] ?? METRICS_FAULTS["status_404"])?.(scrape);
    }
  });
  return {
    port: server.port,
    url: (fault) => `http://127.0.0.1:${server.port}/${fault}/metrics`,
    count: (fault) => counts.get(`/${fault}/metrics`) ?? 0,
    get hasResumed() {
      return hasResumed;
    },
    requests,
    vanishAfter(pages) {
      pagesInAll = (counts.get("/vanishes/metrics") ?? 0) + pages;
    },
    [Symbol.dispose]: () => server[Symbol.dispose](),
  };
}
