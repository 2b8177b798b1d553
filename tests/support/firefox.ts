/** A headless Firefox that tests drive through WebDriver BiDi, its debugging protocol. */

import { announcedUrl, findProgram } from "./browser_process.ts";

const NAMES = ["firefox-esr", "firefox"];

/** Path of a Firefox on this machine; undefined if there is none. */
export function findFirefox(): string | undefined {
  return findProgram(NAMES);
}

type Reply = Record<string, unknown>;

/** A page in a browser of its own. */
export class FirefoxPage {
  /** Every URL that the page asked for, itself included. */
  readonly requests: string[] = [];
  /** Errors of its script, and what the console shows as an error or a warning. */
  readonly problems: string[] = [];
  readonly #process: Deno.ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Reply>>();
  #context = "";
  #last = 0;

  private constructor(process: Deno.ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
  }

  /** Starts the browser with an empty page. */
  static async start(path: string): Promise<FirefoxPage> {
    const profile = await Deno.makeTempDir();
    const process = new Deno.Command(path, {
      args: ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
      env: { "HOME": profile },
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const socket = new WebSocket(
      `${await announcedUrl(process, /WebDriver BiDi listening on (ws:\S+)/)}/session`,
    );
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error("The browser takes no orders"));
    });
    const page = new FirefoxPage(process, profile, socket);
    await page.#send("session.new", { "capabilities": {} });
    await page.#send("session.subscribe", {
      "events": ["log.entryAdded", "network.beforeRequestSent"],
    });
    const { contexts } = await page.#send("browsingContext.getTree", {});
    page.#context = (contexts as { context: string }[])[0]?.context ?? "";
    return page;
  }

  /** Loads a page, and waits until its own script is through. */
  async open(url: string, size: { readonly width: number; readonly height: number }) {
    const context = this.#context;
    await this.#send("browsingContext.setViewport", { context, "viewport": size });
    await this.#send("browsingContext.navigate", { context, url, "wait": "complete" });
  }

  /** The value of an expression in the page, as JSON has it; promises are waited for. */
  async evaluate(expression: string): Promise<unknown> {
    const { type, result, exceptionDetails } = await this.#send("script.evaluate", {
      "expression": `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`,
      "target": { "context": this.#context },
      "awaitPromise": true,
    });
    if (type === "exception") throw new Error(JSON.stringify(exceptionDetails));
    const { value } = result as { value?: string };
    return value === undefined ? undefined : JSON.parse(value);
  }

  /** A picture of the whole page. */
  async screenshot(): Promise<Uint8Array> {
    const { data } = await this.#send("browsingContext.captureScreenshot", {
      "context": this.#context,
      "origin": "document",
    });
    return Uint8Array.from(atob(data as string), (unit) => unit.charCodeAt(0));
  }

  async close(): Promise<void> {
    await this.#send("browser.close", {}).catch(() => {});
    this.#socket.close();
    await this.#process.status;
    await Deno.remove(this.#profile, { recursive: true });
  }

  #send(method: string, params: Readonly<Record<string, unknown>>): Promise<Reply> {
    const id = ++this.#last;
    const waiting = Promise.withResolvers<Reply>();
    this.#waiting.set(id, waiting);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return waiting.promise;
  }

  #take({ id, type, result, message, method, params }: {
    id?: number;
    type?: string;
    result?: Reply;
    message?: string;
    method?: string;
    params?: Record<string, unknown>;
  }): void {
    if (id !== undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (type === "error") waiting?.reject(new Error(message));
      else waiting?.resolve(result ?? {});
      return;
    }
    if (method === "network.beforeRequestSent") {
      this.requests.push((params?.["request"] as { url: string }).url);
    }
    if (method === "log.entryAdded" && ["error", "warn"].includes(params?.["level"] as string)) {
      this.problems.push(JSON.stringify(params?.["text"]));
    }
  }
}
