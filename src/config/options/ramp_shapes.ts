/** Names of the shapes that ramps of a load may have. */
export const RAMP_SHAPES = ["linear", "exponential", "steps"] as const;

/** See {@linkcode RAMP_SHAPES}. */
export type RampShapeName = typeof RAMP_SHAPES[number];
