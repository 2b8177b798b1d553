import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** A static file server. */
export interface FolderServer extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
}

/** Serves the files of a folder on 127.0.0.1, and nothing else. */
export function serveFolder(folder: string): FolderServer {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async ({ url }) => {
      const path = normalize(decodeURIComponent(new URL(url).pathname));
      const name = path.endsWith("/") ? `${path}index.html` : path;
      try {
        return new Response(await Deno.readFile(join(folder, name)), {
          headers: { "Content-Type": TYPES[extname(name)] ?? "application/octet-stream" },
        });
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        return new Response("Not found", { status: 404 });
      }
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
