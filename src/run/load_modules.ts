/** Modules of the threads that send requests; tests replace them. */
export interface LoadPoolModules {
  readonly loadWorker: URL;
  readonly pacer: URL;
}

/** The code of the product. */
export const LOAD_MODULES: LoadPoolModules = {
  loadWorker: new URL("../load/load_thread.ts", import.meta.url),
  pacer: new URL("../load/pacer_thread.ts", import.meta.url),
};
