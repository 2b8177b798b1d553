import { pause } from "../wait_for_requests.ts";

/** The system hands over what it captured at least so often. */
const HANDED_OVER_MS = 1500;
/** Room for packets that wait to be written, in KiB. */
const ROOM_KIB = 65_536;

/** Captures what is sent from and to a port of this machine, by tcpdump, which needs root's rights. */
export class PacketCapture {
  readonly #process: Deno.ChildProcess;
  readonly #said: Promise<string>;

  private constructor(process: Deno.ChildProcess, said: Promise<string>) {
    this.#process = process;
    this.#said = said;
  }

  /**
   * Begins.
   * @throws {Error} if tcpdump is not there, or may not
   */
  static async start(path: string, port: number): Promise<PacketCapture> {
    const process = new Deno.Command("tcpdump", {
      args: [
        ...["-i", "lo", "-w", path, "--time-stamp-precision=nano", "-s", "0"],
        ...["-B", `${ROOM_KIB}`, "tcp", "port", `${port}`],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const lines = process.stderr.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    let said = "";
    while (!said.includes("listening on")) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`tcpdump cannot capture: ${said.trim()}`);
      said += value;
    }
    const rest = async (): Promise<string> => {
      for (let next = await lines.next(); !next.done; next = await lines.next()) said += next.value;
      return said;
    };
    return new PacketCapture(process, rest());
  }

  /**
   * Ends, when everything is in the file.
   * @throws {Error} if packets were lost
   */
  async stop(): Promise<void> {
    await pause(HANDED_OVER_MS);
    this.#process.kill("SIGINT");
    await this.#process.status;
    const lost = /([1-9]\d*) packets dropped/.exec(await this.#said);
    if (lost !== null) throw new Error(`tcpdump lost ${lost[1]} packets`);
  }
}
