import type { RowsStretch } from "../../client/record/record_rows.ts";
import { RECORD_FIELD } from "../../client/record/request_fields.ts";

/** Extent of the profiling phase by its records. */
export class Extent {
  endNs = -Infinity;
  count = 0;
  /** Sessions of which there is the first request. */
  sessions = 0;

  add({ batch: { columns }, start, end }: RowsStretch): void {
    const phases = columns[RECORD_FIELD.phase] as Float64Array;
    const ends = columns[RECORD_FIELD.endNs] as Float64Array;
    const turns = columns[RECORD_FIELD.turn] as Float64Array;
    for (let at = start; at < end; at++) {
      if (phases[at] !== 1) continue;
      this.count++;
      if (turns[at] === 0) this.sessions++;
      const endNs = ends[at] as number;
      if (endNs > this.endNs) this.endNs = endNs;
    }
  }
}
