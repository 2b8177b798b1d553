import type {
  JobWriter,
  ReplyWriter,
  ScriptedReply,
  WholeReply,
} from "../client/endpoint/protocol/reply_writer.ts";

/** Jobs that are kept after they are over. */
const KEPT_JOBS = 1000;

/** A job and how far it has come. */
interface Job {
  readonly reply: ScriptedReply;
  readonly writer: JobWriter;
  readonly whole: ReplyWriter["whole"];
  state: "queued" | "in_progress" | "completed" | "failed";
}

/** The jobs that were submitted to the mock server, by the paths under which they are asked for. */
export class JobBoard {
  readonly #jobs = new Map<string, Job>();

  /**
   * Takes a job in.
   * @param path of the request that submitted it
   * @returns sets how far it has come
   */
  open(path: string, reply: ScriptedReply, writer: ReplyWriter): (state: Job["state"]) => void {
    if (writer.job === undefined) throw new RangeError("There are no jobs of this type");
    const job: Job = {
      reply,
      writer: writer.job,
      whole: (reply) => writer.whole(reply),
      state: "queued",
    };
    this.#jobs.set(path + writer.job.subpath(reply), job);
    for (const [key, { state }] of this.#jobs) {
      if (this.#jobs.size <= KEPT_JOBS) break;
      if (state === "completed" || state === "failed") this.#jobs.delete(key);
    }
    return (state) => {
      job.state = state;
    };
  }

  /** Returns the reply for a path; undefined if there is no job. */
  at(path: string): WholeReply | undefined {
    const job = this.#jobs.get(path.replace(/\/content$/, ""));
    if (job === undefined) return undefined;
    const { reply, writer, state } = job;
    switch (state) {
      case "completed":
        return path.endsWith("/content") ? writer.content(reply) : job.whole(reply);
      case "failed":
        return writer.failed(reply, "Injected fault in-band");
      default:
        return writer.pending(reply, state === "queued");
    }
  }
}
