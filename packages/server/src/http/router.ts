import type { Context, Hono } from "hono";
import type * as z from "zod";
import type { Identity } from "../turns/turn-service.ts";
import type { FailureCode, HttpFailure } from "./failure.ts";
import { type BodyLimits, bodyLost, parseInput, readJson } from "./request-body.ts";

/** The environment of a request. */
export interface ServerEnvironment {
  /** Absent if the app is called without a network. */
  readonly Bindings?: {
    /** Cuts the connection off. If absent, a failing response stream ends the connection. */
    readonly cutOff?: () => void;
    /** Whether another handler has read the body and kept nothing of it. */
    readonly isBodyLost?: boolean;
  };
  readonly Variables: {
    readonly requestId: string;
    readonly identity: Identity;
  };
}

type Method = "get" | "post" | "patch" | "delete";

interface Description<Query, Body> {
  readonly summary: string;
  readonly query?: z.ZodObject & z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Whether the body can be omitted. */
  readonly isBodyOptional?: true;
  /** Schema of `data` in a JSON response. */
  readonly answer?: z.ZodType;
  /** Schema of a JSON response without `success` and `data`. */
  readonly file?: z.ZodType;
  /** `"asked"`: streams if the request accepts `text/event-stream`. */
  readonly streams?: "asked" | "always";
  /** Description of status 204. */
  readonly nothing?: string;
  /** Failures beyond those that follow from a body, a query or an id in the path. */
  readonly failures?: readonly FailureCode[];
}

/** The definition of a route, used to parse requests and to create the OpenAPI document. */
export interface Operation<Path extends string = string, Query = unknown, Body = unknown>
  extends Description<Query, Body> {
  readonly method: Method;
  readonly path: Path;
}

/** Defines an operation. `path` contains `{name}` for each id. */
export const operation = <const Path extends string, Query, Body>(
  method: Method,
  path: Path,
  description: Description<Query, Body>,
): Operation<Path, Query, Body> => ({ ...description, method, path });

/** `{ success: true, data }`. */
const answer = (context: Context<ServerEnvironment>, data: unknown): Response =>
  context.json({ success: true, data });

/** `{ success: false, error }`. */
export function answerFailure(context: Context<ServerEnvironment>, failure: HttpFailure): Response {
  const { status, code, message, retryable, retryAfterSeconds, conversationId, turnId } = failure;
  if (retryAfterSeconds !== undefined) context.header("retry-after", String(Math.ceil(retryAfterSeconds)));
  if (failure.closesConnection) context.header("connection", "close");
  const requestId = context.get("requestId");
  // JSON omits undefined fields.
  const error = { code, message, requestId, retryable, conversationId, turnId };
  return context.json({ success: false, error }, status);
}

/** The ids in a path, by name. */
type Ids<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & Ids<Rest>
  : unknown;

type RouteRequest<Path extends string, Query, Body> = Ids<Path> & {
  readonly context: Context<ServerEnvironment>;
  /** Not available before authentication. */
  readonly userId: string;
  readonly query: Query;
  readonly body: Body;
};

interface Check<Path extends string> {
  /** Runs before the body is read. Throws a failure if the target of the request doesn't exist. */
  readonly check?: (ids: Ids<Path>) => void;
}

/**
 * Adds a route that parses the query and the body of requests as the operation defines. The handler returns `data` for a JSON
 * response, or a `Response`.
 */
export type Route = <Path extends string, Query, Body>(
  operation: Operation<Path, Query, Body> & Check<Path>,
  handler: (request: RouteRequest<Path, Query, Body>) => unknown,
) => void;

export function createRouter(app: Hono<ServerEnvironment>, limits: BodyLimits) {
  const bodyOf = ({ req, env }: Context<ServerEnvironment>): Promise<unknown> => {
    // Without a network, there are no bindings.
    if ((env as typeof env | undefined)?.isBodyLost === true) throw bodyLost();
    return readJson(req.raw, limits);
  };
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
        body: body && parseInput(body, await bodyOf(context), "body"),
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
