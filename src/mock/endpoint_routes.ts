import type { BodyFields } from "../client/endpoint/protocol/body_format.ts";
import { type EndpointType, servedPath } from "../client/endpoint/protocol/endpoint_type.ts";

/** Endpoint that is served under a path. */
export interface EndpointRoute {
  readonly type: EndpointType;
  readonly isStreamingPath: boolean;
}

/** Routes by method and path; any name may stand for a model in a path. */
export class EndpointRoutes {
  readonly #routes = new Map<string, EndpointRoute[]>();
  readonly #patterns: (readonly [pattern: RegExp, route: EndpointRoute])[] = [];

  constructor(types: Iterable<EndpointType>) {
    for (const type of types) {
      this.#add(servedPath(type), { type, isStreamingPath: false });
      if (type.streamingPath !== undefined) {
        this.#add(type.streamingPath, { type, isStreamingPath: true });
      }
    }
  }

  /** Returns the routes under a path in the order of registration; empty if there are none. */
  at(method: string, path: string): readonly EndpointRoute[] {
    const key = `${method} ${path}`;
    return this.#routes.get(key) ??
      this.#patterns.filter(([pattern]) => pattern.test(key)).map(([, route]) => route);
  }

  #add(path: string, route: EndpointRoute): void {
    const key = `${route.type.method} ${path}`;
    if (path.includes("{")) {
      const pattern = key.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, "[^/]+");
      this.#patterns.push([new RegExp(`^${pattern}$`), route]);
      return;
    }
    const routes = this.#routes.get(key);
    if (routes === undefined) this.#routes.set(key, [route]);
    else routes.push(route);
  }
}

/** The route whose type a body is of; the first one if it is of none. */
export function routeOf(
  routes: readonly EndpointRoute[],
  fields: BodyFields | undefined,
): EndpointRoute | undefined {
  return routes.find(({ type }) => fields !== undefined && (type.recognizes?.(fields) ?? true)) ??
    routes[0];
}
