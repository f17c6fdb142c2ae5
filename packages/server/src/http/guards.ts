import type { Context, MiddlewareHandler } from "hono";
import type { ServerEnvironment } from "./environment.ts";
import { HttpFailure } from "./failure.ts";

type Guard = MiddlewareHandler<ServerEnvironment>;

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i;

/** Refuses requests by another name than the server's: a page whose name was made to point here sends its own. */
export const guardHost = (allowed: readonly string[] | undefined): Guard => {
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
const HEADERS = "authorization, content-type, last-event-id, x-request-id";
const PREFLIGHT_SECONDS = "600";

const originOf = (url: string): string | undefined => {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
};

/**
 * Lets pages of the allowed origins use the server, and refuses what a browser sends for any other page. What isn't from a browser
 * has no origin, and passes.
 */
export const guardOrigin = (cors: Cors): Guard => {
  const origins = typeof cors === "object" ? new Set(cors.origins.map(originOf)) : undefined;
  const isAllowed = (origin: string): boolean => cors === true || origins?.has(origin) === true;
  const allow = ({ header }: Context<ServerEnvironment>, origin: string): void => {
    header("access-control-allow-origin", cors === true ? "*" : origin);
    header("access-control-expose-headers", "x-request-id, retry-after");
    if (cors === true) return;
    header("access-control-allow-credentials", "true");
    header("vary", "origin");
  };
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
      if (req.method === "OPTIONS") {
        allow(context, origin);
        context.header("access-control-allow-methods", METHODS);
        context.header("access-control-allow-headers", HEADERS);
        context.header("access-control-max-age", PREFLIGHT_SECONDS);
        return context.body(null, 204);
      }
      await next();
      return allow(context, origin);
    }
    if (origin === undefined && isCrossSite && req.header("sec-fetch-mode") !== "navigate") {
      // A page that doesn't say whose it is, e.g. by an image.
      throw new HttpFailure("forbidden", "Pages of other sites may not use this server; see cors.");
    }
    return next();
  };
};

/** What every answer says to a browser. */
export const secureHeaders: Guard = async (context, next) => {
  // After the answer is made: an encoder makes its own.
  await next();
  const { header, res } = context;
  header("x-content-type-options", "nosniff");
  header("x-frame-options", "DENY");
  header("referrer-policy", "no-referrer");
  header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  if (!res.headers.has("access-control-allow-origin")) header("cross-origin-resource-policy", "same-origin");
  header("cache-control", "no-store, no-transform");
};
