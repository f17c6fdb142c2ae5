import { idIssue } from "@jaf/memory/internal";
import type { HonoRequest, MiddlewareHandler } from "hono";
import type { ServerAppOptions } from "../options.ts";
import type { Identity } from "../turns/turn-service.ts";
import { HttpFailure } from "./failure.ts";
import { isJsonType } from "./request-body.ts";
import type { ServerEnvironment } from "./router.ts";

type Guard = MiddlewareHandler<ServerEnvironment>;

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** Refuses requests by another name than the server's: a page whose name was made to point here sends its own. */
export const hostGuard = (allowed: readonly string[] | undefined): Guard => {
  const isAllowed = (host: string): boolean =>
    allowed === undefined
      ? LOOPBACK.test(host)
      : allowed.some((name) => name.toLowerCase() === host.toLowerCase());
  return async ({ req }, next) => {
    // Of an app that is called without a network there is only the address.
    const host = req.header("host") ?? new URL(req.url).host;
    if (!isAllowed(host))
      throw new HttpFailure(
        "forbidden",
        "This server isn't to be called by that host name; see allowedHosts.",
      );
    await next();
  };
};

export type Cors = boolean | { readonly origins: readonly string[] };

const METHODS = "GET, POST, PATCH, DELETE";
const PREFLIGHT_SECONDS = "600";

const originOf = (url: string): string | undefined => {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
};

/**
 * Refuses what a page of any origin may make a browser send without asking first, with what the browser knows of the user: a POST
 * that a form could send, also without a body. What needs a preflight is sent without credentials, since none are allowed.
 */
function checkWithoutCredentials(req: HonoRequest): void {
  if (req.header("cookie") !== undefined)
    throw new HttpFailure("forbidden", "Pages of other origins may not send cookies here; see cors.");
  if (req.method === "POST" && !isJsonType(req.header("content-type")))
    throw new HttpFailure(
      "forbidden",
      "Pages of other origins send content-type: application/json, also without a body.",
    );
}

/**
 * Lets pages of the allowed origins use the server, and refuses what a browser sends for any other page. What isn't from a browser
 * has no origin, and passes.
 */
export const originGuard = (cors: Cors): Guard => {
  const origins = typeof cors === "object" ? new Set(cors.origins.map(originOf)) : undefined;
  const isAllowed = (origin: string): boolean => cors === true || origins?.has(origin) === true;
  const corsHeaders = (origin: string) => ({
    "access-control-allow-origin": cors === true ? "*" : origin,
    "access-control-expose-headers": "x-request-id, retry-after",
    // The page is of another origin, as it may be.
    "cross-origin-resource-policy": "cross-origin",
    ...(cors === true ? {} : { "access-control-allow-credentials": "true", vary: "origin" }),
  });
  // Which headers say who asks is the application's to know.
  const preflightHeaders = (origin: string, asked = "content-type") => ({
    ...corsHeaders(origin),
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": asked,
    "access-control-max-age": PREFLIGHT_SECONDS,
  });
  return async (context, next) => {
    const { req } = context;
    const origin = req.header("origin");
    const host = req.header("host") ?? new URL(req.url).host;
    // A proxy may end TLS in front of the server, so the scheme doesn't count.
    const isOwn = origin !== undefined && originOf(origin)?.replace(/^https?:\/\//, "") === host;
    const isCrossSite = req.header("sec-fetch-site") === "cross-site";
    if (origin !== undefined && !isOwn) {
      if (!isAllowed(origin))
        throw new HttpFailure("forbidden", "Pages of that origin may not use this server; see cors.");
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
      // A page that doesn't say whose it is, e.g. by an image.
      throw new HttpFailure("forbidden", "Pages of other sites may not use this server; see cors.");
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

/** What every answer says to a browser. Set afterwards, since answers that a handler makes by itself take over no header. */
export const secureHeaders: Guard = async (context, next) => {
  await next();
  const { headers } = context.res;
  for (const [name, value] of Object.entries(SECURE_HEADERS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
};

const LOCAL: Identity = { userId: "local" };

/** Who sends a request. Without `authenticate` everybody is the same user. */
export async function identityOf(
  request: Request,
  authenticate: ServerAppOptions<unknown>["authenticate"] = () => LOCAL,
): Promise<Identity> {
  let identity: Identity | null;
  try {
    identity = await authenticate(request);
  } catch (thrown) {
    // Hono passes on only errors to its handler.
    throw thrown instanceof Error ? thrown : new Error("authenticate() threw no error.", { cause: thrown });
  }
  if (identity === null) throw new HttpFailure("not-authenticated", "Say who you are.");
  const issue = idIssue("userId", identity.userId);
  if (issue === undefined) return identity;
  throw new TypeError(
    `authenticate() gave no valid userId: expected ${issue.expected}. For nobody, it returns null.`,
  );
}
