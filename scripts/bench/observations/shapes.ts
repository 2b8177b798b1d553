import { LATENCIES, type LayoutName } from "./bucket_layouts.ts";
import type { Process } from "./processes.ts";

/** How many observations a run of a shape has. */
export type RunLength = "long" | "tiny";

/** A way in which observations are distributed, over values and over time. */
export interface Shape {
  readonly name: string;
  readonly process: Process;
  /** Layouts that are tried. */
  readonly layouts: readonly LayoutName[];
  readonly length: RunLength;
  /** Observations per second that are tried; undefined for the usual ones. */
  readonly rates: readonly number[] | undefined;
}

/** Shapes by what they have in common. */
export type ShapeGroups = Readonly<Record<string, readonly Shape[]>>;

/** Makes a shape that is tried in all layouts of latencies. */
export function shape(
  name: string,
  process: Process,
  { layouts = LATENCIES, length = "long", rates }: Partial<Shape> = {},
): Shape {
  return { name, process, layouts, length, rates };
}
