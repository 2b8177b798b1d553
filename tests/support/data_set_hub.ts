import { parquetWriteBuffer } from "npm:hyparquet-writer@0.17.0";

/** A picture of one pixel. */
export const PIXEL = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (letter) => letter.charCodeAt(0),
);

/** A Parquet file of columns of texts, or of bytes. */
export function parquetOf(
  columns: Readonly<Record<string, readonly (string | Uint8Array)[]>>,
  rowGroupSize = 1000,
): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parquetWriteBuffer({
    columnData: Object.entries(columns).map(([name, data]) => ({
      name,
      data: [...data],
      type: typeof data[0] === "string" ? "STRING" as const : "BYTE_ARRAY" as const,
    })),
    rowGroupSize,
  }));
}

/** What a {@linkcode startDataSetHub} does besides serving its files. */
export interface HubHabits {
  /** Whether pieces of files can be asked for. @default true */
  readonly ranges?: boolean;
  /** Whether it lists the files of a repository. @default true */
  readonly lists?: boolean;
}

/** A stand-in of a hub with data sets: `org/name/path` of each file, and its bytes. */
export function startDataSetHub(
  files: Readonly<Record<string, Uint8Array<ArrayBuffer> | string>>,
  { ranges = true, lists = true }: HubHabits = {},
) {
  const asked: string[] = [];
  const keys = new Set<string | null>();
  let sent = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    keys.add(request.headers.get("authorization"));
    const [, repository] = /^\/api\/datasets\/(.+)$/.exec(pathname) ?? [];
    if (repository !== undefined && lists) {
      const names = Object.keys(files).filter((name) => name.startsWith(`${repository}/`));
      return Response.json({
        siblings: names.map((name) => ({ "rfilename": name.slice(repository.length + 1) })),
      });
    }
    const [, owner, path] = /^\/datasets\/([^/]+\/[^/]+)\/resolve\/main\/(.+)$/.exec(pathname) ??
      [];
    const file = files[`${owner}/${decodeURIComponent(path ?? "")}`];
    if (file === undefined) return new Response("no", { status: 404 });
    const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
    if (first === undefined || !ranges) {
      sent += bytes.length;
      return new Response(bytes);
    }
    const piece = bytes.slice(Number(first), Number(last) + 1);
    sent += piece.length;
    const end = Number(first) + piece.length - 1;
    const range = `bytes ${first}-${end}/${bytes.length}`;
    return new Response(piece, { status: 206, headers: { "content-range": range } });
  });
  return {
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    /** Paths that were asked for. */
    asked,
    /** Values of the header that carries the key. */
    keys,
    /** Bytes of files that were sent. */
    get sent(): number {
      return sent;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
