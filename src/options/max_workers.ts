/** Most load workers of a run; shared memory has cells for so many. */
export const MAX_WORKERS = 256;
