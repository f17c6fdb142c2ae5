import {
  bearerAuthChallengeResponse,
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  OAuthError,
  OAuthErrorCode,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { createMemoryServer, type MemoryServerOptions } from "../server.ts";

/** Options of {@link createMemoryHandler}. */
export interface MemoryHandlerOptions extends Omit<MemoryServerOptions, "userId"> {
  /**
   * Returns the user of a request's bearer token; `undefined`: the token doesn't count. `token` is `undefined` if the
   * request has none.
   */
  readonly userOf: (token: string | undefined) => Promise<string | undefined>;
  /**
   * The names of this server that requests may name in their headers `Host` and `Origin`, without port. They protect
   * against DNS rebinding. Default: those of loopback.
   */
  readonly hostnames?: readonly string[] | undefined;
}

/** A handler of HTTP requests. */
export interface MemoryHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends what is under way. */
  readonly close: () => Promise<void>;
}

/** Maximum size of a request in bytes. The longest argument of a tool has 4,000 bytes. */
const MAX_REQUEST_BYTES = 256 * 1_024;
const PATH = "/mcp";
const BEARER = /^bearer +(?<token>[\w.~+/-]+=*)$/i;

/**
 * Creates a handler for MCP over streamable HTTP at the path `/mcp`. Each request needs a bearer token, and works with
 * the memory of the token's user.
 *
 * @example
 * ```ts
 * import { createMemoryHandler, openStores } from "@jaf/mcp-memory";
 *
 * const stores = await openStores("memory:");
 * const users = new Map([["a long random token", "ada"]]);
 * const { fetch } = createMemoryHandler({ stores, userOf: async (token = "") => users.get(token) });
 * export default { fetch };
 * ```
 */
export function createMemoryHandler({ userOf, hostnames, ...options }: MemoryHandlerOptions): MemoryHandler {
  const allowed = [...(hostnames ?? localhostAllowedHostnames())];
  const handler = createMcpHandler(
    // The user was put there below, after the token was checked.
    ({ authInfo }) => createMemoryServer({ ...options, userId: authInfo?.clientId ?? "" }),
    {
      maxRequestBodySize: MAX_REQUEST_BYTES,
      ...(options.onError === undefined ? {} : { onerror: options.onError }),
    },
  );
  return {
    close: () => handler.close(),
    fetch: async (request) => {
      const rejected =
        hostHeaderValidationResponse(request, allowed) ?? originValidationResponse(request, allowed);
      if (rejected !== undefined) return rejected;
      if (new URL(request.url).pathname !== PATH) return new Response(null, { status: 404 });
      const token = tokenOf(request);
      const userId = await userOf(token);
      if (userId === undefined || userId === "") return unauthorized();
      return handler.fetch(request, { authInfo: { token: token ?? "", clientId: userId, scopes: [] } });
    },
  };
}

const tokenOf = (request: Request): string | undefined =>
  BEARER.exec(request.headers.get("authorization") ?? "")?.groups?.["token"];

const unauthorized = (): Response =>
  bearerAuthChallengeResponse(
    new OAuthError(
      OAuthErrorCode.InvalidToken,
      "A bearer token is needed. Make one: jaf-mcp-memory token add --user <name>",
    ),
  );
