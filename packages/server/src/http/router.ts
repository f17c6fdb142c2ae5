import type { Context, Hono } from "hono";
import { answer } from "./answer.ts";
import type { ServerEnvironment } from "./environment.ts";
import type { Operation } from "./operation.ts";
import { type BodyLimits, parseInput, readJson } from "./request-body.ts";

/** The ids in a path. */
type Ids<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & Ids<Rest>
  : unknown;

type RouteRequest<Path extends string, Query, Body> = Ids<Path> & {
  readonly context: Context<ServerEnvironment>;
  /** There is none before authentication. */
  readonly userId: string;
  readonly query: Query;
  readonly body: Body;
};

interface Check<Path extends string> {
  /** Runs before the body is read. Throws a failure if there is nothing that the body could be for. */
  readonly check?: (ids: Ids<Path>) => void;
}

/**
 * Adds a route, which parses the query and the body of a request by the operation. The handler returns the `data` of the
 * answer, or a response.
 */
export type Route = <Path extends string, Query, Body>(
  operation: Operation<Path, Query, Body> & Check<Path>,
  handler: (request: RouteRequest<Path, Query, Body>) => unknown,
) => void;

export function createRouter(app: Hono<ServerEnvironment>, limits: BodyLimits) {
  const operations: Operation[] = [];
  const route: Route = (operation, handler) => {
    const { method, path, query, body, check } = operation;
    operations.push(operation as Operation);
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
      const ids = context.req.param();
      check?.(ids as Parameters<typeof check>[0]);
      const request = {
        ...{ ...ids, context },
        query: query && parseInput(query, context.req.query(), "query"),
        body: body && parseInput(body, await readJson(context, limits), "body"),
        get userId() {
          return context.get("identity").userId;
        },
      };
      const given = await handler(request as unknown as Parameters<typeof handler>[0]);
      return given instanceof Response ? given : answer(context, given);
    });
  };
  return { route, operations: operations as readonly Operation[] };
}
