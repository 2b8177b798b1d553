/** Modules of the threads that send requests; tests replace them. */
export interface LoadPoolModules {
  readonly loadWorker: URL;
  readonly pacer: URL;
}

/** The code of the product. */
export const LOAD_MODULES: LoadPoolModules = {
  loadWorker: new URL("../../load/worker/load_thread.ts", import.meta.url),
  pacer: new URL("../../load/worker/pacer_thread.ts", import.meta.url),
};
