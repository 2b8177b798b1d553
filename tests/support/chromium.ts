/** A headless browser that tests drive through its debugging protocol. */

import { announcedUrl, findProgram } from "./browser_process.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** Path of a browser on this machine; undefined if there is none. */
export function findChromium(): string | undefined {
  return findProgram(NAMES);
}

/** Size of a window, and whether the user prefers dark colours. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly isDark?: boolean;
  readonly isPrint?: boolean;
}

/** Resolves when all charts of a report are drawn. */
export const CHARTS_DRAWN = `new Promise((done) => {
  const isDrawn = () => performance.getEntriesByName("report-drawn").length > 0;
  if (isDrawn()) return done();
  new PerformanceObserver(() => isDrawn() && done()).observe({ entryTypes: ["mark"] });
})`;

type Parameters = Readonly<Record<string, unknown>>;
type Reply = Record<string, unknown>;

/** A page in a browser of its own. */
export class ChromiumPage {
  /** Every URL that the page asked for, itself included. */
  readonly requests: string[] = [];
  /** Errors of its script, and what the console shows as an error or a warning. */
  readonly problems: string[] = [];
  readonly #process: Deno.ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #session: string | undefined;
  #last = 0;
  #onLoad: () => void = () => {};

  private constructor(process: Deno.ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
  }

  /**
   * Starts the browser with an empty page.
   * @param flags Further flags of its command line.
   */
  static async start(path: string, flags: readonly string[] = []): Promise<ChromiumPage> {
    const profile = await Deno.makeTempDir();
    const process = new Deno.Command(path, {
      args: [
        ...["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"],
        ...["--no-first-run", "--disable-background-networking", `--user-data-dir=${profile}`],
        ...flags,
        "about:blank",
      ],
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const socket = new WebSocket(await announcedUrl(process, /DevTools listening on (ws:\S+)/));
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error("The browser takes no orders"));
    });
    const page = new ChromiumPage(process, profile, socket);
    const { targetId } = await page.#send("Target.createTarget", { "url": "about:blank" });
    const attached = await page.#send("Target.attachToTarget", { targetId, "flatten": true });
    page.#session = attached["sessionId"] as string;
    for (const domain of ["Page", "Runtime", "Network", "Log"]) {
      await page.#send(`${domain}.enable`);
    }
    return page;
  }

  /** Loads a page, and waits until its own script is through. */
  async open(
    url: string,
    { width, height, isDark = false, isPrint = false }: Screen,
  ): Promise<void> {
    await this.#send("Emulation.setDeviceMetricsOverride", {
      ...{ width, height },
      ...{ "deviceScaleFactor": 1, "mobile": false },
    });
    await this.#send("Emulation.setEmulatedMedia", {
      "media": isPrint ? "print" : "screen",
      "features": [{ "name": "prefers-color-scheme", "value": isDark ? "dark" : "light" }],
    });
    const loaded = new Promise<void>((resolve) => this.#onLoad = resolve);
    await this.#send("Page.navigate", { url });
    await loaded;
    await this.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
  }

  /** Waits until all charts of a report are drawn: those below come after the page can be used. */
  async chartsDrawn(): Promise<void> {
    await this.evaluate(CHARTS_DRAWN);
  }

  /** The value of an expression in the page; promises are waited for. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", {
      expression,
      "awaitPromise": true,
      "returnByValue": true,
    }) as { result: { value?: unknown }; exceptionDetails?: { text: string } };
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  /** Presses and releases a key. */
  async press(key: string, modifiers = 0): Promise<void> {
    const text = key.length === 1 ? key : undefined;
    await this.#send("Input.dispatchKeyEvent", { "type": "keyDown", key, modifiers, text });
    await this.#send("Input.dispatchKeyEvent", { "type": "keyUp", key, modifiers });
    await this.#drawn();
  }

  /** Moves the mouse; with a button down, it drags. */
  async mouse(
    type: "mouseMoved" | "mousePressed" | "mouseReleased",
    x: number,
    y: number,
    clicks = 1,
  ) {
    await this.#send("Input.dispatchMouseEvent", {
      ...{ type, x, y, "clickCount": type === "mouseMoved" ? 0 : clicks },
      "button": type === "mouseMoved" ? "none" : "left",
    });
    await this.#drawn();
  }

  /** A picture of the whole page, or of a part of it. */
  async screenshot(
    clip?: { x: number; y: number; width: number; height: number },
  ): Promise<Uint8Array> {
    const { data } = await this.#send("Page.captureScreenshot", {
      "captureBeyondViewport": true,
      ...(clip === undefined ? {} : { "clip": { ...clip, "scale": 1 } }),
    });
    return Uint8Array.from(atob(data as string), (unit) => unit.charCodeAt(0));
  }

  /** The page as a printer gets it. */
  async pdf(): Promise<Uint8Array> {
    const { data } = await this.#send("Page.printToPDF", {
      "preferCSSPageSize": true,
      "printBackground": true,
    });
    return Uint8Array.from(atob(data as string), (unit) => unit.charCodeAt(0));
  }

  async close(): Promise<void> {
    await this.#send("Browser.close", {}, false);
    this.#socket.close();
    await this.#process.status;
    await Deno.remove(this.#profile, { recursive: true });
  }

  #drawn(): Promise<unknown> {
    return this.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
  }

  #send(method: string, params: Parameters = {}, inPage = true): Promise<Reply> {
    const id = ++this.#last;
    const sessionId = inPage && !method.startsWith("Target.") ? this.#session : undefined;
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #take({ id, result, error, method, params }: {
    id?: number;
    result?: Reply;
    error?: { message: string };
    method?: string;
    params?: Record<string, unknown>;
  }): void {
    if (id !== undefined) {
      if (error !== undefined) this.problems.push(`${error.message}`);
      this.#waiting.get(id)?.(result ?? {});
      this.#waiting.delete(id);
      return;
    }
    if (method === "Page.loadEventFired") this.#onLoad();
    if (method === "Network.requestWillBeSent") {
      this.requests.push((params?.["request"] as { url: string }).url);
    }
    const isConsole = method === "Runtime.consoleAPICalled" &&
      ["error", "warning", "assert"].includes(params?.["type"] as string);
    if (isConsole || method === "Runtime.exceptionThrown" || method === "Log.entryAdded") {
      this.problems.push(JSON.stringify(params));
    }
  }
}
