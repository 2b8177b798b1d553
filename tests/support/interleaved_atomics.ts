const NAMES = ["load", "store", "add", "sub", "exchange", "compareExchange"] as const;

/**
 * Has a function called before each atomic operation of this thread until it is disposed of. It may
 * do what another thread might do in that moment, and so play every interleaving of several threads
 * on one.
 */
export function interleaveAtomics(intrude: () => void): Disposable {
  const own = NAMES.map((name) => [name, Atomics[name]] as const);
  const put = (name: string, value: unknown): void => {
    Object.defineProperty(Atomics, name, { value, configurable: true, writable: true });
  };
  for (const [name, operation] of own) {
    put(name, (...operands: unknown[]) => {
      intrude();
      return Reflect.apply(operation, Atomics, operands);
    });
  }
  return {
    [Symbol.dispose]() {
      for (const [name, operation] of own) put(name, operation);
    },
  };
}
