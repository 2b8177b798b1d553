/** The global scope of a dedicated worker, as far as this product uses it. */
export interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  close(): void;
}

/** The scope of the thread that asks. */
export function workerScope(): WorkerScope {
  return globalThis as unknown as WorkerScope;
}
