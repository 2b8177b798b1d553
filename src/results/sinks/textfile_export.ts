import type { TextfilePlan } from "../../config/plan/systems_plan.ts";
import type { ProfileReport } from "../../report/model/profile_report.ts";
import type { ExportOutcome } from "../../report/model/export_outcome.ts";
import type { SystemExport } from "./system_export.ts";
import { textfile } from "./textfile.ts";
import { writeTextfile } from "./write_textfile.ts";

/** Writes the textfile of a run. */
export class TextfileExport implements SystemExport {
  readonly #plan: TextfilePlan;

  constructor(plan: TextfilePlan) {
    this.#plan = plan;
  }

  async finish(report: ProfileReport): Promise<ExportOutcome> {
    const outcome = { system: "textfile", place: this.#plan.path } as const;
    try {
      await writeTextfile(this.#plan, textfile(report));
      return { ...outcome, sent: { files: 1 }, failed: {}, failure: undefined };
    } catch (error) {
      return { ...outcome, sent: {}, failed: { files: 1 }, failure: (error as Error).message };
    }
  }
}
