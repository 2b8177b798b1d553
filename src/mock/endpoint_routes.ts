import type { EndpointType } from "../endpoint/endpoint_type.ts";

/** What is served under a path. */
export interface EndpointRoute {
  readonly type: EndpointType;
  readonly isStreamingPath: boolean;
}

/** Routes by method and path, with a blank between; where types share a path, the first is served. */
export function endpointRoutes(
  types: Iterable<EndpointType>,
): ReadonlyMap<string, EndpointRoute> {
  const routes = new Map<string, EndpointRoute>();
  const add = (path: string, route: EndpointRoute): void => {
    const key = `${route.type.method} ${path}`;
    if (!routes.has(key)) routes.set(key, route);
  };
  for (const type of types) {
    add(type.path, { type, isStreamingPath: false });
    if (type.streamingPath !== undefined) add(type.streamingPath, { type, isStreamingPath: true });
  }
  return routes;
}
