import type { Context, Hono } from "hono";
import type * as z from "zod";
import type { Identity } from "../turns/turn-service.ts";
import type { FailureCode, HttpFailure } from "./failure.ts";
import { type BodyLimits, parseInput, readJson } from "./request-body.ts";

/** What a request has beside itself. */
export interface ServerEnvironment {
  /** Absent where the app is called without a network. */
  readonly Bindings?: {
    /** Breaks the connection of the answer off. Absent: an answer that fails does. */
    readonly cutOff?: () => void;
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
  /** The request may come without its body. */
  readonly isBodyOptional?: true;
  /** The `data` of the answer; absent: the answer is no JSON of that form. */
  readonly answer?: z.ZodType;
  /** The answer itself, as JSON. */
  readonly file?: z.ZodType;
  /** `"asked"`: another answer, if the request accepts `text/event-stream`. */
  readonly streams?: "asked" | "always";
  /** When it answers with 204. */
  readonly nothing?: string;
  /** Beside those that any operation has which takes the same: a body, a query, an id in its path. */
  readonly failures?: readonly FailureCode[];
}

/** What a route takes and gives: requests are parsed by it, and the OpenAPI document is made of it. */
export interface Operation<Path extends string = string, Query = unknown, Body = unknown>
  extends Description<Query, Body> {
  readonly method: Method;
  readonly path: Path;
}

/** `path` has `{name}` for each id. */
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
  // What is undefined isn't part of the JSON.
  const error = { code, message, requestId, retryable, conversationId, turnId };
  return context.json({ success: false, error }, status);
}

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
        body: body && parseInput(body, await readJson(context.req.raw, limits), "body"),
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
