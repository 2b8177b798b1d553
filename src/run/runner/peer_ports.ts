/** Ways between any two load workers: of each worker, its port to each other one, by their numbers. */
export function peerPorts(workers: number): (MessagePort | undefined)[][] {
  const ports: (MessagePort | undefined)[][] = Array.from(
    { length: workers },
    () => new Array(workers),
  );
  for (let one = 0; one < workers; one++) {
    for (let other = one + 1; other < workers; other++) {
      const { port1, port2 } = new MessageChannel();
      (ports[one] as MessagePort[])[other] = port1;
      (ports[other] as MessagePort[])[one] = port2;
    }
  }
  return ports;
}
