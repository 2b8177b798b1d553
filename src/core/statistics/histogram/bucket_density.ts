/** Cells into which a bucket is divided. */
export const CELLS = 48;

/** Variance of values that lie evenly in a cell. */
const WITHIN_CELL = 1 / (12 * CELLS * CELLS);
/** Second moment of a density that two neighbouring cells can still have. */
const SMALLEST_SQUARE = 0.3 / (CELLS * CELLS);
/** A mean nearer to an end of the bucket than this is as good as at the end. */
const EDGE = 0.005;
/** Part of the largest possible variance, that of two points at the ends. */
const MAX_SPREAD = 0.98;
const MAX_ITERATIONS = 60;
/** Largest change of a logarithm in one iteration. */
const MAX_STEP = 10;

/** A density on the unit interval: the probability of each of {@linkcode CELLS} equal cells. */
export type CellDensity = Float64Array;

/** Mean and variance of a density; the values of a cell lie evenly in it. */
export function densityMoments(density: CellDensity): { mean: number; variance: number } {
  let mean = 0;
  let square = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    const at = (cell + 0.5) / CELLS;
    mean += (density[cell] as number) * at;
    square += (density[cell] as number) * at * at;
  }
  return { mean, variance: Math.max(0, square - mean * mean) + WITHIN_CELL };
}

/** The density whose logarithm is `slope * t + curvature * t^2`, `t` from the middle of the bucket. */
export function curvedDensity(slope: number, curvature: number): CellDensity {
  return normalize(Float64Array.from({ length: CELLS }, (_, cell) => {
    const t = (cell + 0.5) / CELLS - 0.5;
    return slope * t + curvature * t * t;
  }));
}

/**
 * The density with given mean and variance that is nearest to another one: nearest in relative
 * entropy, so `prior(x) * exp(a x + b x^2)`, with `a` and `b` found by Newton's method.
 *
 * Moments that no density on the cells has are moved to the nearest that one has.
 */
export function tiltDensity(prior: CellDensity, mean: number, variance: number): CellDensity {
  const centre = Math.min(1 - EDGE, Math.max(EDGE, mean));
  const square = Math.min(
    Math.max(variance - WITHIN_CELL, SMALLEST_SQUARE),
    MAX_SPREAD * centre * (1 - centre),
  );
  let slope = 0;
  let curvature = 0;
  const logPrior = prior.map((weight) => Math.log(weight + 1e-300));
  let { density, logNorm } = tilt(logPrior, centre, slope, curvature);
  let objective = logNorm;
  for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    const { first, second, third, fourth } = momentsAround(density, centre);
    const excess = second - square;
    if (Math.abs(first) < 1e-4 && Math.abs(excess) < 1e-4 * square + 1e-6) break;
    // Hessian of the objective: the covariance of x and x^2.
    const h11 = second - first * first + 1e-9;
    const h12 = third - first * second;
    const h22 = fourth - second * second + 1e-9;
    const determinant = h11 * h22 - h12 * h12;
    const newtonSlope = -(h22 * first - h12 * excess) / determinant;
    const newtonCurvature = -(h11 * excess - h12 * first) / determinant;
    // Where the density is almost a point the Hessian vanishes, and the step would lead far away.
    const limit = Math.min(1, MAX_STEP / (Math.abs(newtonSlope) + Math.abs(newtonCurvature)));
    const slopeStep = newtonSlope * limit;
    const curvatureStep = newtonCurvature * limit;
    const descent = first * slopeStep + excess * curvatureStep;
    if (!(descent < 0)) break;
    for (let step = 1;; step /= 2) {
      const tried = tilt(
        logPrior,
        centre,
        slope + step * slopeStep,
        curvature + step * curvatureStep,
      );
      const value = tried.logNorm - (curvature + step * curvatureStep) * square;
      if (value > objective + 1e-4 * step * descent + 1e-12 && step > 1e-6) continue;
      slope += step * slopeStep;
      curvature += step * curvatureStep;
      objective = value;
      ({ density, logNorm } = tried);
      break;
    }
  }
  return density;
}

function tilt(
  logPrior: Float64Array,
  centre: number,
  slope: number,
  curvature: number,
): { density: CellDensity; logNorm: number } {
  const density = new Float64Array(CELLS);
  let largest = -Infinity;
  for (let cell = 0; cell < CELLS; cell++) {
    const t = (cell + 0.5) / CELLS - centre;
    const exponent = (logPrior[cell] as number) + slope * t + curvature * t * t;
    density[cell] = exponent;
    if (exponent > largest) largest = exponent;
  }
  let norm = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    norm += density[cell] = Math.exp(density[cell] as number - largest);
  }
  for (let cell = 0; cell < CELLS; cell++) density[cell] = density[cell] as number / norm;
  return { density, logNorm: Math.log(norm) + largest };
}

function momentsAround(density: CellDensity, centre: number) {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    const t = (cell + 0.5) / CELLS - centre;
    const weight = density[cell] as number;
    const square = t * t;
    first += weight * t;
    second += weight * square;
    third += weight * square * t;
    fourth += weight * square * square;
  }
  return { first, second, third, fourth };
}

function normalize(exponents: Float64Array): CellDensity {
  let norm = 0;
  for (let cell = 0; cell < CELLS; cell++) {
    norm += exponents[cell] = Math.exp(exponents[cell] as number);
  }
  return exponents.map((weight) => weight / norm);
}
