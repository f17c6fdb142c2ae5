import type { AnyConversationStore, MemoryProvider } from "@jaf/memory";
import { createTraceId, generateRunId, lazy, parseOptions } from "@jaf/memory/engine";
import * as z from "zod";
import type { Agent } from "../agent.ts";
import type { RunConfig } from "../config.ts";
import { budgetSchema, pricesSchema } from "../cost/budget.ts";
import { memoryConfigIssues } from "../engine/check-memory-config.ts";
import { overlay } from "../immutable/overlay.ts";
import type { MemoryConfig } from "../memory/config.ts";
import { checkInstallable } from "../middleware/install.ts";
import { fallbackSchema } from "../model/fallback-config.ts";
import { isTimeLimit, TIME_LIMIT } from "../timing/limits.ts";
import { idSchema } from "./conversational-option.ts";
import { toConversationStore } from "./default-store.ts";

/** The settings of a run's memory that an agent client doesn't determine itself. */
export type ClientMemoryConfig = Omit<MemoryConfig, "provider" | "autoStore" | "userId">;

const RUN_SETTINGS = [
  "modelProvider",
  "modelOverride",
  "modelRetry",
  "modelFallback",
  "outputRepairs",
  "maxTurns",
  "prices",
  "budget",
  "initialInputGuardrails",
  "finalOutputGuardrails",
  "onToolError",
  "maxParallelTools",
  "timeouts",
  "unjudgedText",
  "maskSecrets",
  "approvalTtlMs",
  "middleware",
  "userMemory",
] as const;

/** The settings that a client passes on to each of its runs unchanged. */
type RunSettings<Ctx> = Pick<RunConfig<Ctx>, (typeof RUN_SETTINGS)[number]>;

/** Everything that an agent client needs in addition to the input. */
export interface AgentClientConfig<Ctx>
  extends RunSettings<Ctx>,
    Pick<RunConfig<Ctx>, "onEvent" | "validate"> {
  /**
   * The context of every run, or a function that creates one for each prompt and may be async. If the context itself is a
   * function, pass a function that returns it.
   */
  readonly context: Readonly<Ctx> | (() => Readonly<Ctx> | Promise<Readonly<Ctx>>);
  /** Where conversations are stored. Default: the store that is set with `setConversationStore` at the time of the prompt. */
  readonly store?: AnyConversationStore | MemoryProvider;
  /** The agents to which the conversation may be handed, by their registry keys. The client's own agent is added under its name. */
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly agents?: ReadonlyMap<string, Agent<Ctx, any>>;
  /** How conversations are stored, e.g. their durability, and which part of them the model sees. */
  readonly memory?: ClientMemoryConfig;
}

/** A client's configuration, checked. */
export interface ClientSettings<Ctx, Out> {
  readonly agent: Agent<Ctx, Out>;
  readonly run: RunSettings<Ctx> & Pick<RunConfig<Ctx>, "agentRegistry">;
  readonly memory: ClientMemoryConfig;
  readonly context: AgentClientConfig<Ctx>["context"];
  readonly onEvent: RunConfig<Ctx>["onEvent"];
  readonly validate: RunConfig<Ctx>["validate"];
  /** `undefined`: the store of the process. */
  readonly store: AnyConversationStore | undefined;
}

const isFunction = (value: unknown): boolean => typeof value === "function";
const hasMethod = (value: unknown, method: string): boolean =>
  typeof value === "object" && value !== null && isFunction((value as Record<string, unknown>)[method]);

const callback = lazy(() => z.custom<unknown>(isFunction, { error: "expected a function" }));
const timeLimit = lazy(() => z.custom<unknown>(isTimeLimit, { error: `expected ${TIME_LIMIT}` }));
const callbacks = lazy(() => z.array(callback()).readonly());

const agentSchema = lazy(() =>
  z.object({
    name: idSchema(),
    instructions: z.union([z.string(), callback()], { error: "expected a text or a function" }),
    conversational: z.unknown().optional(),
  }),
);

const configSchema = lazy(() =>
  z.strictObject({
    modelProvider: z.custom<unknown>((value) => hasMethod(value, "getCompletion"), {
      error: "expected a model provider with getCompletion()",
    }),
    context: z.unknown(),
    store: z.unknown().optional(),
    agents: z.custom<unknown>((value) => value instanceof Map, { error: "expected a Map" }).optional(),
    memory: z
      .looseObject({
        provider: z.undefined("expected nothing: give the provider as store").optional(),
        autoStore: z.undefined("expected nothing: a conversation is stored if it has a user").optional(),
        userId: z.undefined("expected nothing: the user is that of forUser or conversational").optional(),
      })
      .optional(),
    modelOverride: z.string().optional(),
    modelRetry: z.looseObject({}).optional(),
    modelFallback: fallbackSchema().optional(),
    outputRepairs: z.int().min(0).optional(),
    maxTurns: z.number().min(1).or(z.literal(Number.POSITIVE_INFINITY)).optional(),
    prices: pricesSchema().optional(),
    budget: budgetSchema().optional(),
    initialInputGuardrails: callbacks().optional(),
    finalOutputGuardrails: callbacks().optional(),
    onToolError: z.enum(["continue", "fail"]).optional(),
    maxParallelTools: z.number().min(1).or(z.literal(Number.POSITIVE_INFINITY)).optional(),
    timeouts: z
      .strictObject({
        modelMs: timeLimit().optional(),
        modelIdleMs: timeLimit().optional(),
        toolMs: timeLimit().optional(),
      })
      .optional(),
    unjudgedText: z.enum(["hold", "retract"]).optional(),
    maskSecrets: z
      .union([z.boolean(), callback()], { error: "expected true, false or a function" })
      .optional(),
    approvalTtlMs: z.number().min(0).optional(),
    middleware: z.unknown().optional(),
    userMemory: z.unknown().optional(),
    onEvent: callback().optional(),
    validate: callback().optional(),
  }),
);

const WHAT = "agent client configuration";

/** Throws a `TypeError` that names the field. */
export function parseClientConfig<Ctx, Out>(
  agent: Agent<Ctx, Out>,
  config: AgentClientConfig<Ctx>,
): ClientSettings<Ctx, Out> {
  parseOptions(agentSchema(), agent, "agent");
  parseOptions(configSchema(), config, WHAT);
  const { store, agents = new Map(), memory = {} } = config;
  checkMemory(memory, agent.name);
  checkInstallable(config, agent, (field) => `${WHAT}: ${field}`);
  // A copy, so that a later change of the configuration has no effect; its functions are still called on it.
  const own = overlay(config, {});
  const { context, onEvent, validate } = own;
  return {
    agent,
    run: { ...runSettingsOf(own), agentRegistry: registryOf(agent, agents) },
    memory: overlay(memory, {}),
    context,
    onEvent,
    validate,
    store: store === undefined ? undefined : toConversationStore(store, `${WHAT}: store`),
  };
}

/** Reads the fields one by one: an instance of a class may have them on its prototype. */
function runSettingsOf<Ctx>(config: RunSettings<Ctx>): RunSettings<Ctx> {
  const settings = RUN_SETTINGS.filter((field) => config[field] !== undefined).map(
    (field) => [field, config[field]] as const,
  );
  return Object.fromEntries(settings) as RunSettings<Ctx>;
}

function registryOf<Ctx, Out>(
  agent: Agent<Ctx, Out>,
  agents: NonNullable<AgentClientConfig<Ctx>["agents"]>,
): RunConfig<Ctx>["agentRegistry"] {
  const other = agents.get(agent.name);
  if (other !== undefined && other !== agent) {
    throw new TypeError(
      `Invalid ${WHAT}: agents: expected no other agent under the name of the client's own.`,
    );
  }
  return new Map([...agents, [agent.name, agent]]);
}

/** Refuses at once what every run would refuse. */
function checkMemory(memory: ClientMemoryConfig, agentName: string): void {
  const written = { runId: generateRunId(), traceId: createTraceId("check"), currentAgentName: agentName };
  const issues = memoryConfigIssues(memory as MemoryConfig, written);
  if (issues.length === 0) return;
  const found = issues.map(
    ({ path, expected }) => `${path.replace(/^RunConfig\./, "")}: expected ${expected}`,
  );
  throw new TypeError(`Invalid ${WHAT}: ${found.join("; ")}.`);
}
