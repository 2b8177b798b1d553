/** Lines of the servers' metrics over time, on the clock of a run's charts. */

import type { ChartSeries, ColorName } from "../../core/chart/chart.ts";
import type { ServerRole, ServerTimelineSeries } from "../model/server_timeline.ts";
import type { ClientTimeline } from "./client_timeline.ts";
import { type RunView, zeroNs } from "./run_view.ts";

/** Colours of endpoints, one after another. */
const SHADES: readonly ColorName[] = ["server", "purple", "grey", "green"];

/** See the module's comment. */
export class ServerLines {
  readonly #view: RunView;
  readonly #timeline: ClientTimeline;

  constructor(view: RunView, timeline: ClientTimeline) {
    this.#view = view;
    this.#timeline = timeline;
  }

  /** Levels of a role, a line for each endpoint. */
  of(role: ServerRole, label = "", colors: readonly ColorName[] = SHADES): ChartSeries[] {
    return this.#lines(role, label, colors, (values) => [...values]);
  }

  /** Levels of the largest instance, where lines of a role are means. */
  largest(role: ServerRole, label: string): ChartSeries[] {
    const of = ({ largest }: ServerTimelineSeries) => largest;
    return this.#lines(role, label, ["purple", "grey"], (values) => [...values], of).map((
      line,
    ) => ({ ...line, isDashed: true }));
  }

  /** The levels of all endpoints together; each holds until the next one of its endpoint. */
  total(role: ServerRole): { readonly x: number[]; readonly y: number[] } {
    const lines = this.of(role);
    const x = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
    const y = x.map(() => 0);
    for (const line of lines) {
      for (const [row, value] of heldAt(line, x).entries()) y[row] = (y[row] as number) + value;
    }
    return { x, y };
  }

  /** Running and waiting requests of all endpoints, on top of each other; empty if not reported. */
  stack(): ChartSeries[] {
    const [running, waiting] = [this.total("running"), this.total("waiting")];
    const x = [...new Set([...running.x, ...waiting.x])].sort((a, b) => a - b);
    const [low, high] = [heldAt(running, x), heldAt(waiting, x)];
    const top = low.map((value, row) => value + (high[row] as number));
    const zeros = x.map(() => 0);
    return [
      ...(running.x.length === 0 ? [] : [
        { label: "running", color: "decode", shape: "stack", x, y: zeros, upper: low } as const,
      ]),
      ...(waiting.x.length === 0 ? [] : [
        { label: "waiting", color: "queue", shape: "stack", x, y: low, upper: top } as const,
      ]),
    ];
  }

  /** Increases of a counter per second. */
  rates(role: ServerRole): ChartSeries[] {
    return this.#lines(role, "server", SHADES, (values, times) =>
      values.map((value, index) => {
        const next = values[index + 1];
        if (next === undefined) return null;
        const seconds = (times[index + 1] as number) - (times[index] as number);
        // A server that started anew counts from zero.
        return seconds > 0 && next >= value ? (next - value) / seconds : null;
      }));
  }

  #lines(
    role: ServerRole,
    label: string,
    colors: readonly ColorName[],
    valuesOf: (values: readonly number[], times: readonly number[]) => (number | null)[],
    columnOf: (series: ServerTimelineSeries) => readonly number[] | undefined = ({ values }) =>
      values,
  ): ChartSeries[] {
    const zero = zeroNs(this.#view);
    const lines = this.#view.serverTimeline.filter((series) => series.role === role);
    return lines.flatMap((series, index): ChartSeries[] => {
      const column = columnOf(series);
      if (column === undefined) return [];
      const { times, values } = this.#within({ ...series, values: column }, zero);
      if (times.length === 0) return [];
      return [{
        label: lines.length === 1 ? label : `${label} ${hostOf(series.endpointUrl)}`,
        color: colors[index % colors.length] as ColorName,
        shape: "steps",
        x: times,
        y: valuesOf(values, times),
      }];
    });
  }

  /** Returns the samples that were reported during the run. */
  #within({ timesNs, values }: ServerTimelineSeries, zero: number) {
    const { start, end } = this.#timeline;
    const seconds = timesNs.map((time) => (time - zero) / 1e9);
    const rows = [...seconds.keys()].filter((row) => {
      const time = seconds[row] as number;
      return time >= start && time <= end;
    });
    return {
      times: rows.map((row) => seconds[row] as number),
      values: rows.map((row) => values[row] as number),
    };
  }
}

/** Values of a line that hold at some times; 0 before its first. */
function heldAt(
  { x, y }: Pick<ChartSeries, "x" | "y">,
  times: readonly number[],
): number[] {
  let row = -1;
  return times.map((time) => {
    while (row + 1 < x.length && (x[row + 1] as number) <= time) row++;
    return row < 0 ? 0 : y[row] ?? 0;
  });
}

/** Host and port of an endpoint. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
