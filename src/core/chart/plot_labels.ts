/** Places of the texts next to points, so that they cover neither each other nor marks. */

/** A box in CSS pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A text to be placed next to a point. */
export interface LabelledPoint {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Place of a text: its baseline, and the side on which it ends at the point. */
export interface LabelPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
}

const CHARACTER = 7.2;
const LINE = 13;
/** Half of the room that a mark takes. */
const MARK = 7;
/** Offsets of baselines from a point, the best one first. */
const OFFSETS = [
  [11, -8, "start"],
  [-11, -8, "end"],
  [11, 16, "start"],
  [-11, 16, "end"],
  [0, -13, "middle"],
  [0, 22, "middle"],
  [14, 4, "start"],
  [-14, 4, "end"],
  [20, -20, "start"],
  [-20, 28, "end"],
] as const;

/**
 * Places texts in their order: each where it covers texts placed before and marks by the smallest area.
 * @param room the plot, within which texts stay
 */
export function placedLabels(points: readonly LabelledPoint[], room: Box): LabelPlace[] {
  const marks = points.map(({ x, y }) => boxAround(x, y));
  const taken: Box[] = [];
  return points.map(({ text, x, y }) => {
    let best: { readonly place: LabelPlace; readonly box: Box; readonly cost: number } | undefined;
    for (const [index, [dx, dy, anchor]] of OFFSETS.entries()) {
      const place = { x: x + dx, y: y + dy, anchor };
      const box = boxOf(place, text);
      const cost = [...taken, ...marks].reduce((sum, other) => sum + overlap(box, other), 0) +
        10 * outside(box, room) + index;
      if (best === undefined || cost < best.cost) best = { place, box, cost };
    }
    const { box, place } = best as NonNullable<typeof best>;
    taken.push(box);
    return place;
  });
}

function boxAround(x: number, y: number): Box {
  return { left: x - MARK, right: x + MARK, top: y - MARK, bottom: y + MARK };
}

function boxOf({ anchor, x, y }: LabelPlace, text: string): Box {
  const width = text.length * CHARACTER;
  const left = anchor === "start" ? x : anchor === "end" ? x - width : x - width / 2;
  return { left, right: left + width, top: y - LINE + 2, bottom: y + 2 };
}

/** Area that two boxes have in common. */
function overlap(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Length by which a box exceeds the room. */
function outside(box: Box, room: Box): number {
  return Math.max(0, room.left - box.left) + Math.max(0, box.right - room.right) +
    Math.max(0, room.top - box.top) + Math.max(0, box.bottom - room.bottom);
}
