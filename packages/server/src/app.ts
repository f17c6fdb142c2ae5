import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import { failureOf, notFound } from "./http/failure.ts";
import { openApiDocument } from "./http/openapi.ts";
import { answerFailure, createRouter, type Operation, type ServerEnvironment } from "./http/router.ts";
import { hostGuard, identityOf, originGuard, secureHeaders } from "./http/security.ts";
import { createNodeHandler, type NodeHandler } from "./node-handler.ts";
import { parseSettings, type ServedAgents, type ServerAppOptions, type ServerRunConfig } from "./options.ts";
import { readDocument, readHealth } from "./routes/about.ts";
import { addRoutes } from "./routes/index.ts";
import { partsOf, type ServerParts } from "./server-parts.ts";
import type { TurnService } from "./turns/turn-service.ts";

/** A server that handles requests but listens on no port; see {@link createServerApp}. */
export interface ServerApp {
  /**
   * Responds to a web-standard `Request`. Pass it to a runtime or framework that uses such requests (e.g. Bun or Hono).
   */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /**
   * Handles a request of Node.js, for frameworks such as Express and Fastify. If the framework has already read the
   * body of the request, the handler takes the parsed body from `incoming.body`.
   */
  readonly nodeHandler: NodeHandler;
  /**
   * The service that runs the turns. With it, your own code can start turns without an HTTP request. The server
   * doesn't call the option `clientFiles` for these turns.
   */
  readonly service: TurnService;
  /**
   * Ends all event streams, so that clients reconnect to another process. Waits for running turns, for at most
   * `shutdownMs`. Turns that still run after this time are handed over: another process continues them. Resolves with
   * the number of turns that were handed over. Doesn't close the stores.
   */
  readonly close: () => Promise<{ readonly handedOver: number }>;
}

/**
 * Creates a server that listens on no port, for any runtime or framework with web-standard requests. On Node.js, use
 * `runServer` to listen on a port. Rejects with a `TypeError` that names the invalid option.
 *
 * @example
 * ```ts
 * import type { Agent, ModelProvider } from "@jaf/core";
 * import { createInMemoryProvider } from "@jaf/memory";
 * import { createServerApp } from "@jaf/server";
 *
 * declare const modelProvider: ModelProvider<unknown>;
 * const agent: Agent<unknown, string> = { name: "assistant", instructions: "Help the user." };
 * const defaultMemoryProvider = createInMemoryProvider();
 *
 * const app = await createServerApp([agent], { modelProvider }, { defaultMemoryProvider });
 * export default { fetch: app.fetch };
 * ```
 */
export async function createServerApp<Ctx>(
  agents: ServedAgents<Ctx>,
  config: ServerRunConfig<Ctx>,
  options: ServerAppOptions<Ctx> = {},
): Promise<ServerApp> {
  const { app, service, close } = await createRoutedApp(agents, config, options);
  return { service, close, fetch: (request) => app.fetch(request), nodeHandler: createNodeHandler(app) };
}

interface RoutedApp extends Omit<ServerApp, "fetch" | "nodeHandler"> {
  readonly app: Hono<ServerEnvironment>;
  readonly operations: readonly Operation[];
}

/** Returns a function that removes `basePath` from the start of a request's path. */
const pathBelow =
  (basePath = ""): ((request: Request) => string) =>
  (request) => {
    const path = getPath(request);
    return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
  };

/** Creates the Hono app with all routes, for `createServerApp` and for `runServer`. */
export async function createRoutedApp<Ctx>(
  agents: ServedAgents<Ctx>,
  config: ServerRunConfig<Ctx>,
  options: ServerAppOptions<Ctx>,
): Promise<RoutedApp> {
  const { onError = console.error } = options;
  const settings = parseSettings(options);
  const closing = new AbortController();
  const report: ServerParts["report"] = (thrown, requestId) =>
    onError(failureOf(thrown).cause ?? thrown, { requestId });
  const own = { settings, closing: closing.signal, report };
  const parts = partsOf(agents, config, options, { ...own, onError });
  const { service } = parts;
  const app = new Hono<ServerEnvironment>({ getPath: pathBelow(settings.basePath) });
  const { route, operations } = createRouter(app, settings.limits);

  app.use(async (context, next) => {
    const requestId = crypto.randomUUID();
    context.set("requestId", requestId);
    await next();
    context.res.headers.set("x-request-id", requestId);
    // A HEAD response sends no body, so no client would end the stream.
    if (context.req.method === "HEAD") await context.res.body?.cancel();
  });
  app.use(secureHeaders);
  if (options.authenticate === undefined || options.allowedHosts !== undefined)
    app.use(hostGuard(options.allowedHosts));
  app.use(originGuard(settings.cors));
  route(readHealth, () => ({ status: "ok" }));
  app.use(async (context, next) => {
    const identity = await identityOf(context.req.raw, options.authenticate);
    parts.limits.request(identity.userId);
    context.set("identity", identity);
    await next();
  });
  route(readDocument, ({ context }) => context.json(document));
  addRoutes(route, parts);
  const document = openApiDocument(operations);

  app.notFound((context) => answerFailure(context, notFound()));
  app.onError((thrown, context) => {
    const failure = failureOf(thrown);
    // A client that leaves before the response isn't a server error.
    const isLeft = context.req.raw.signal.aborted && failure.cause === undefined;
    if (failure.status >= 500 && !failure.isExpected && !isLeft) report(thrown, context.get("requestId"));
    return answerFailure(context, failure);
  });

  return {
    app,
    operations,
    service,
    close: async () => {
      const drained = service.drain({ timeoutMs: settings.shutdownMs });
      closing.abort();
      const { handedOver } = await drained;
      await service.close();
      return { handedOver };
    },
  };
}
