import type { Context, Hono } from "hono";
import type * as z from "zod";
import type { Identity } from "../turns/turn-service.ts";
import type { FailureCode, HttpFailure } from "./failure.ts";
import { type BodyLimits, bodyLost, parseInput, readJson } from "./request-body.ts";

/** The types of the values that Hono's context holds for a request. */
export interface ServerEnvironment {
  /** Values that the HTTP server sets. Absent: the app's `fetch` is called without an HTTP server. */
  readonly Bindings?: {
    /** Cuts off the connection to the client. Absent: a response stream that fails ends the connection. */
    readonly cutOff?: () => void;
    /** Whether another handler has read the request's body and left no value in `request.body`. */
    readonly isBodyLost?: boolean;
  };
  readonly Variables: {
    readonly requestId: string;
    readonly identity: Identity;
  };
}

type Method = "get" | "post" | "put" | "patch" | "delete";

interface Description<Query, Body> {
  readonly summary: string;
  readonly query?: z.ZodObject & z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** Present if a request may leave out the body. */
  readonly isBodyOptional?: true;
  /** Schema of the field `data` in a JSON response. */
  readonly answer?: z.ZodType;
  /** Schema of the field `data` in a JSON response with status 202. Absent: the operation never responds with it. */
  readonly accepted?: z.ZodType;
  /** Schema of a JSON response that isn't wrapped in `{ success, data }`, e.g. an exported file. */
  readonly file?: z.ZodType;
  /**
   * Whether the operation responds with an event stream. `"asked"`: only if the request asks for `text/event-stream`.
   * Absent: never.
   */
  readonly streams?: "asked" | "always";
  /** When the operation responds with status 204, as a sentence for the OpenAPI document. Absent: never. */
  readonly nothing?: string;
  /** Error codes of the operation, without the codes that `failuresOf` adds. */
  readonly failures?: readonly FailureCode[];
}

/** The definition of a route, which is used to parse requests and to create the OpenAPI document. */
export interface Operation<Path extends string = string, Query = unknown, Body = unknown>
  extends Description<Query, Body> {
  readonly method: Method;
  readonly path: Path;
}

/** Creates the definition of a route. `path` contains `{name}` for each id, e.g. `/conversations/{conversationId}`. */
export const operation = <const Path extends string, Query, Body>(
  method: Method,
  path: Path,
  description: Description<Query, Body>,
): Operation<Path, Query, Body> => ({ ...description, method, path });

/** Responds with `{ success: true, data }`. */
const answer = (context: Context<ServerEnvironment>, data: unknown): Response =>
  context.json({ success: true, data });

/** Responds with `{ success: false, error }` and the failure's status. */
export function answerFailure(context: Context<ServerEnvironment>, failure: HttpFailure): Response {
  const { status, code, message, retryable, retryAfterSeconds, conversationId, turnId } = failure;
  if (retryAfterSeconds !== undefined) context.header("retry-after", String(Math.ceil(retryAfterSeconds)));
  if (failure.closesConnection) context.header("connection", "close");
  const requestId = context.get("requestId");
  // JSON omits undefined fields.
  const error = { code, message, requestId, retryable, conversationId, turnId };
  return context.json({ success: false, error }, status);
}

/** The ids in a path, by their names in the path. */
type Ids<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & Ids<Rest>
  : unknown;

type RouteRequest<Path extends string, Query, Body> = Ids<Path> & {
  readonly context: Context<ServerEnvironment>;
  /** The id of the authenticated user. Can't be used in routes without authentication, e.g. `/health`. */
  readonly userId: string;
  readonly query: Query;
  readonly body: Body;
};

interface Check<Path extends string> {
  /** Runs before the request's body is read. Throws an `HttpFailure` if the request can be refused without the body. */
  readonly check?: (ids: Ids<Path>) => void;
}

/**
 * Adds a route. The handler gets the parsed query and body, and returns the `data` of a JSON response or a whole
 * `Response`.
 */
export type Route = <Path extends string, Query, Body>(
  operation: Operation<Path, Query, Body> & Check<Path>,
  handler: (request: RouteRequest<Path, Query, Body>) => unknown,
) => void;

export function createRouter(app: Hono<ServerEnvironment>, limits: BodyLimits) {
  const bodyOf = ({ req, env }: Context<ServerEnvironment>): Promise<unknown> => {
    // Hono's type says that `env` is present. It is absent if the app's `fetch` is called without an HTTP server.
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
