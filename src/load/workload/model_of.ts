/** Number of the model that a request of a phase asks, by the request's number: each in turn. */
export function modelOf(index: number, modelCount: number): number {
  return index % modelCount;
}
