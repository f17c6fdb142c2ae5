import { idIssue } from "@jaf/memory/internal";
import type { HonoRequest, MiddlewareHandler } from "hono";
import type { Identity } from "../turns/turn-service.ts";
import { HttpFailure } from "./failure.ts";
import { isJsonType } from "./request-body.ts";
import type { ServerEnvironment } from "./router.ts";

type Guard = MiddlewareHandler<ServerEnvironment>;

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/**
 * Rejects requests whose `Host` header isn't in `allowed`. If `allowed` is `undefined`, only loopback hosts are
 * allowed.
 */
export const hostGuard = (allowed: readonly string[] | undefined): Guard => {
  // Prevents DNS rebinding: requests of a page whose domain resolves to this server have that domain as `Host`.
  const isAllowed = (host: string): boolean =>
    allowed === undefined
      ? LOOPBACK.test(host)
      : allowed.some((name) => name.toLowerCase() === host.toLowerCase());
  return async ({ req }, next) => {
    // An app that is called without a network gets no `Host` header.
    const host = req.header("host") ?? new URL(req.url).host;
    if (!isAllowed(host))
      throw new HttpFailure("forbidden", "The host name isn't allowed. To allow it, set allowedHosts.");
    await next();
  };
};

export type Cors = boolean | { readonly origins: readonly string[] };

const METHODS = "GET, POST, PUT, PATCH, DELETE";
const PREFLIGHT_SECONDS = "600";

const originOf = (url: string): string | undefined => {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
};

/**
 * Throws an `HttpFailure` if a request of another origin may carry the user's credentials. Used with `cors: true`,
 * which allows all origins, but no credentials.
 */
function checkWithoutCredentials(req: HonoRequest): void {
  if (req.header("cookie") !== undefined)
    throw new HttpFailure(
      "forbidden",
      "Pages of other origins can't send cookies. To allow an origin, set cors.",
    );
  // A form could send this request. Browsers send it without a preflight request, and may add credentials.
  if (req.method === "POST" && !isJsonType(req.header("content-type")))
    throw new HttpFailure(
      "forbidden",
      "Pages of other origins must send content-type: application/json, even without a body.",
    );
}

/**
 * Rejects requests from pages of other origins, except the origins that `cors` allows. Allows requests of clients that
 * aren't browsers.
 */
export const originGuard = (cors: Cors): Guard => {
  const origins = typeof cors === "object" ? new Set(cors.origins.map(originOf)) : undefined;
  const isAllowed = (origin: string): boolean => cors === true || origins?.has(origin) === true;
  const corsHeaders = (origin: string) => ({
    "access-control-allow-origin": cors === true ? "*" : origin,
    "access-control-expose-headers": "x-request-id, retry-after",
    // The page has another origin, which is allowed.
    "cross-origin-resource-policy": "cross-origin",
    ...(cors === true ? {} : { "access-control-allow-credentials": "true", vary: "origin" }),
  });
  // Only the application knows the headers that authenticate a request, so all are allowed.
  const preflightHeaders = (origin: string, asked = "content-type") => ({
    ...corsHeaders(origin),
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": asked,
    "access-control-max-age": PREFLIGHT_SECONDS,
  });
  return async (context, next) => {
    const { req } = context;
    // Clients that aren't browsers send no `Origin` header.
    const origin = req.header("origin");
    const host = req.header("host") ?? new URL(req.url).host;
    // The scheme is ignored, since a proxy may terminate TLS.
    const isOwn = origin !== undefined && originOf(origin)?.replace(/^https?:\/\//, "") === host;
    const isCrossSite = req.header("sec-fetch-site") === "cross-site";
    if (origin !== undefined && !isOwn) {
      if (!isAllowed(origin))
        throw new HttpFailure("forbidden", "The origin isn't allowed. To allow it, set cors.");
      if (req.method === "OPTIONS")
        return new Response(null, {
          status: 204,
          headers: preflightHeaders(origin, req.header("access-control-request-headers")),
        });
      if (cors === true) checkWithoutCredentials(req);
      await next();
      for (const [name, value] of Object.entries(corsHeaders(origin))) context.res.headers.set(name, value);
      return;
    }
    if (origin === undefined && isCrossSite && req.header("sec-fetch-mode") !== "navigate") {
      // A request without an origin from another site, e.g. for an image.
      throw new HttpFailure(
        "forbidden",
        "Requests from other sites aren't allowed. To allow an origin, set cors.",
      );
    }
    await next();
  };
};

const SECURE_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store, no-transform",
} as const;

/** Adds the security headers that a response doesn't have. */
export const secureHeaders: Guard = async (context, next) => {
  // A `Response` that the handler creates wouldn't contain headers that were set earlier.
  await next();
  const { headers } = context.res;
  for (const [name, value] of Object.entries(SECURE_HEADERS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
};

const LOCAL: Identity = { userId: "local" };

/**
 * Returns the user that `authenticate` returns for a request. Default: the user `"local"`. Throws an `HttpFailure` with
 * status 401 if `authenticate` returns `null`.
 */
export async function identityOf(
  request: Request,
  authenticate: (request: Request) => Identity | null | Promise<Identity | null> = () => LOCAL,
): Promise<Identity> {
  let identity: Identity | null;
  try {
    identity = await authenticate(request);
  } catch (thrown) {
    // Hono passes only Error objects to its error handler.
    throw thrown instanceof Error
      ? thrown
      : new Error("authenticate() threw a value that isn't an Error.", { cause: thrown });
  }
  if (identity === null) throw new HttpFailure("not-authenticated", "Authentication required.");
  const issue = idIssue("userId", identity.userId);
  if (issue === undefined) return identity;
  throw new TypeError(
    `authenticate() returned an invalid userId: expected ${issue.expected}. To reject a request, return null.`,
  );
}
