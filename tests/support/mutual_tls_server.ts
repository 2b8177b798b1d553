/**
 * An inference server that asks its clients for a certificate. The runtime's own TLS server cannot,
 * so it is Python's.
 */

import { works } from "./works.ts";

const PROGRAM = `
import http.server, json, ssl, sys
folder = sys.argv[1]
CONTENT = {"choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": "stop"}]}
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def reply(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        self.reply("application/json", json.dumps({"data": [{"id": "mutual"}]}))
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        name = dict(x[0] for x in self.connection.getpeercert()["subject"])["commonName"]
        sys.stdout.write("client %s\\n" % name); sys.stdout.flush()
        self.reply("text/event-stream", "data: " + json.dumps(CONTENT) + "\\n\\ndata: [DONE]\\n\\n")
    def log_message(self, *_):
        pass
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "server.pem", folder + "server.key")
context.load_verify_locations(folder + "ca.pem")
context.verify_mode = ssl.CERT_REQUIRED
class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    def get_request(self):
        connection, address = self.socket.accept()
        return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address
    def handle_error(self, *_):
        pass
server = Server(("127.0.0.1", 0), Handler)
print("port", server.server_address[1], flush=True)
server.serve_forever()
`;

/** A running server. */
export interface MutualTlsServer extends AsyncDisposable {
  readonly port: number;
  /** Names in the certificates of the clients whose requests came, once it has ended. */
  end(): Promise<string[]>;
}

/** Whether there is a Python to run it. */
export function hasPython(): boolean {
  return works("python3", ["-c", "import ssl"]);
}

/** Starts the server with the certificates of a folder, whose name ends in a slash. */
export async function mutualTlsServer(folder: string): Promise<MutualTlsServer> {
  const child = new Deno.Command("python3", {
    args: ["-c", PROGRAM, folder],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let port: string | undefined;
  while (port === undefined) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The server did not start");
    text += value;
    port = /^port (\d+)\n/.exec(text)?.[1];
  }
  const rest = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
    }
  })();
  const end = async (): Promise<string[]> => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended before.
    }
    await child.status;
    await rest;
    return [...text.matchAll(/^client (.*)$/gm)].map(([, name]) => name as string);
  };
  return {
    port: Number(port),
    end,
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}
