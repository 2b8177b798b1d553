import { metricsPage } from "../metrics_pages.ts";

/** Different pages, used in turns: what they say grows from one to the next. */
const PAGES = 8;
/** About so many samples a page has for each engine. */
const SAMPLES_PER_ENGINE = 276;

/** Serves large metrics pages; whoever starts it shuts it down. */
export function startMetricsEndpoint(samples: number): { url: string; close(): Promise<void> } {
  const engines = Math.max(1, Math.round(samples / SAMPLES_PER_ENGINE));
  const encoder = new TextEncoder();
  const pages = Array.from(
    { length: PAGES },
    (_, scrape) => encoder.encode(metricsPage(engines, scrape)),
  );
  let scrapes = 0;
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response(pages[Math.min(scrapes++, PAGES - 1)], {
        headers: { "content-type": "text/plain; version=0.0.4" },
      }),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/metrics`,
    close: () => server.shutdown(),
  };
}
