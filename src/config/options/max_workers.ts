/** Maximum number of load workers: shared memory has a cell for each. */
export const MAX_WORKERS = 256;
