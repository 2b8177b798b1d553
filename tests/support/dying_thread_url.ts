/** What the ids of the requests of a worker that is to die begin with. */
export const DOOMED = "doomed";

/** Code for the load workers of a run, of which one dies as it starts its last of some requests. */
export function dyingThreadUrl(worker: number, requests: number): URL {
  const url = new URL("dying_thread.ts", import.meta.url);
  url.search = `?worker=${worker}&requests=${requests}`;
  return url;
}

/** What {@linkcode dyingThreadUrl} was made of. */
export function readDyingThreadUrl(url: string): { worker: number; requests: number } {
  const { searchParams } = new URL(url);
  return {
    worker: Number(searchParams.get("worker")),
    requests: Number(searchParams.get("requests")),
  };
}
