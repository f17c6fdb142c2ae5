import type { Agent } from "@jaf/core";
import type { MemoryProvider, VersionedMemoryProvider } from "@jaf/memory";
import { createInMemoryTurnLog } from "@jaf/memory/adapter";
import { isVersionedProvider } from "@jaf/memory/client";
import { idIssue } from "@jaf/memory/engine";
import { Hono } from "hono";
import { readDocument, readHealth, aboutRoutes } from "./routes/about.ts";
import { answerFailure, type ServerEnvironment, type Operation, createRouter } from "./http/router.ts";
import { factsFailure, HttpFailure, notFound, storeFailure } from "./http/failure.ts";
import { guardHost, guardOrigin, secureHeaders } from "./http/security.ts";
import { openApiDocument } from "./http/openapi.ts";
import { createUserLimits } from "./http/rate-limit.ts";
import type { Identity, TurnService } from "./turns/turn-service.ts";
import { parseSettings, type ServedAgents, type ServerAppOptions, type ServerRunConfig } from "./options.ts";
import { aiSdkRoutes } from "./routes/ai-sdk.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { chatRoutes, editRoutes } from "./routes/chat.ts";
import { conversationRoutes } from "./routes/conversations.ts";
import { factRoutes } from "./routes/facts.ts";
import { turnRoutes } from "./routes/turns.ts";
import type { ServerParts } from "./server-parts.ts";
import { createTurnService } from "./jobs/create-turn-service.ts";
import type { TurnServiceOptions } from "./jobs/options.ts";
import { TurnStoreError } from "./turns/turn-errors.ts";

/** A server without a network: what answers requests. */
export interface ServerApp {
  /** For any runtime or framework that hands on web requests. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Runs the turns. */
  readonly service: TurnService;
  /**
   * Ends all streams, whose clients come back, and finishes the running turns or, after `shutdownMs`, hands them over. The stores stay
   * open.
   */
  readonly close: () => Promise<{ readonly handedOver: number }>;
}

const LOCAL: Identity = { userId: "local" };

/** Makes the server's app. Throws a `TypeError` that names what is wrong with an option. */
export async function createServerApp<Ctx>(
  agents: ServedAgents<Ctx>,
  config: ServerRunConfig<Ctx>,
  options: ServerAppOptions<Ctx> = {},
): Promise<ServerApp> {
  const { app, service, close } = await createRoutedApp(agents, config, options);
  return { service, close, fetch: (request) => app.fetch(request) };
}

interface RoutedApp extends Omit<ServerApp, "fetch"> {
  readonly app: Hono<ServerEnvironment>;
  readonly operations: readonly Operation[];
}

/** The same, for a server that can break connections off. */
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
  const parts = await partsOf(agents, config, options, { ...own, onError });
  const { service } = parts;
  const app = new Hono<ServerEnvironment>();
  const { route, operations } = createRouter(app, settings.limits);

  app.use(async (context, next) => {
    const requestId = crypto.randomUUID();
    context.set("requestId", requestId);
    await next();
    context.res.headers.set("x-request-id", requestId);
    // Its body is sent to nobody, so nobody would end a stream.
    if (context.req.method === "HEAD") await context.res.body?.cancel();
  });
  app.use(secureHeaders);
  if (options.authenticate === undefined || options.allowedHosts !== undefined)
    app.use(guardHost(options.allowedHosts));
  app.use(guardOrigin(settings.cors));
  route(readHealth, () => ({ status: "ok" }));
  app.use(async (context, next) => {
    const identity = await identityOf(context.req.raw, options.authenticate);
    parts.limits.request(identity.userId);
    context.set("identity", identity);
    await next();
  });
  route(readDocument, ({ context }) => context.json(document));
  for (const addRoutes of [
    aboutRoutes,
    chatRoutes,
    conversationRoutes,
    editRoutes,
    turnRoutes,
    approvalRoutes,
    factRoutes,
    aiSdkRoutes,
  ])
    addRoutes(route, parts);
  const document = openApiDocument(operations);

  app.notFound((context) => answerFailure(context, notFound()));
  app.onError((thrown, context) => {
    const failure = failureOf(thrown);
    // Who leaves before the answer is no failure of the server's.
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

async function identityOf(
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

/** What was thrown, as a failure that tells a client no more than it may know. */
function failureOf(thrown: unknown): HttpFailure {
  if (thrown instanceof HttpFailure) return thrown;
  if (thrown instanceof TurnStoreError) return storeFailure(thrown.error);
  return (
    factsFailure(thrown) ?? new HttpFailure("internal", "Something failed in the server.", { cause: thrown })
  );
}

async function partsOf<Ctx>(
  given: ServedAgents<Ctx>,
  config: ServerRunConfig<Ctx>,
  options: ServerAppOptions<Ctx>,
  {
    onError,
    ...own
  }: Pick<ServerParts, "settings" | "closing" | "report"> & { readonly onError: (error: unknown) => void },
): Promise<ServerParts> {
  const agents = agentsOf(given);
  const [first] = agents.keys();
  const defaultAgent = options.defaultAgent ?? first;
  if (defaultAgent === undefined || !agents.has(defaultAgent))
    throw new TypeError("Invalid server options: defaultAgent: expected the name of one of the agents.");
  const provider = versioned(options.defaultMemoryProvider ?? config.memory?.provider);
  const log = options.turnLog ?? inMemoryLog();
  const { userMemory } = options;
  const { context = (identity: Identity) => identity as unknown as Ctx } = options;
  const service = createTurnService<Ctx>({
    ...options.turns,
    ...{ log, agents: [...agents.values()], context, onError },
    config: { ...config, memory: { ...config.memory, autoStore: true, provider } },
    ...(await userMemoryOf(userMemory)),
  } as TurnServiceOptions<Ctx>);
  const limits = createUserLimits(own.settings.limits);
  return { ...own, provider, log, service, userMemory, agents, defaultAgent, limits };
}

/** By their names, under which requests call them. */
function agentsOf<Ctx>(
  given: ServedAgents<Ctx>,
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
): ReadonlyMap<string, Agent<Ctx, any>> {
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  const list: readonly (readonly [string, Agent<Ctx, any>])[] =
    given instanceof Map
      ? [...given]
      : // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
        [...(given as readonly Agent<Ctx, any>[])].map((agent) => [agent.name, agent] as const);
  const agents = new Map(
    list.map(([name, agent]) => [name, agent.name === name ? agent : { ...agent, name }]),
  );
  if (agents.size < list.length)
    throw new TypeError("Invalid agents: expected a name of its own for each agent.");
  return agents;
}

function versioned(provider: MemoryProvider | undefined): VersionedMemoryProvider {
  if (provider === undefined)
    throw new TypeError(
      "Invalid server options: defaultMemoryProvider: expected a memory provider, here or as memory.provider of the run configuration.",
    );
  if (!isVersionedProvider(provider))
    throw new TypeError(
      "Invalid server options: defaultMemoryProvider: expected a provider with readConversation(), as those of JAF have.",
    );
  return provider;
}

function inMemoryLog() {
  process.emitWarning(
    "The server logs turns in this process alone: they end with it, and no other process sees them. Give it a turnLog, e.g. createRedisTurnLog(client).",
    { type: "JAFServerWarning" },
  );
  return createInMemoryTurnLog();
}

/** So that what the model saw names the facts that it was given. */
async function userMemoryOf(store: ServerAppOptions<unknown>["userMemory"]) {
  if (store === undefined) return {};
  const { asUserMemory } = await import("@jaf/user-memory");
  return {
    userMemory: ({
      onInjected,
    }: {
      readonly onInjected: (facts: readonly { readonly id: string }[]) => void;
    }) => asUserMemory(store, { inject: { onInjected } }),
  };
}
