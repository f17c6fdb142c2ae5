import type { AnyConversationStore, MemoryProvider } from "@jaf/memory";
import { checkRelease, createTraceId, generateRunId, parseOptions } from "@jaf/memory/internal";
import * as z from "zod";
import type { Agent } from "../agent.ts";
import { overlay } from "../immutable/overlay.ts";
import { type MemoryConfig, memoryConfigIssues } from "../memory-config.ts";
import { checkInstallable } from "../middleware/install.ts";
import { functionSchema } from "../middleware.ts";
import { priced, type RunConfig, type RunSettings, settingsShape } from "../run-config.ts";
import { zodSchemaOf } from "../standard-schema.ts";
import { idSchema } from "./conversation.ts";
import { toConversationStore } from "./conversation-store.ts";

/** The memory settings of a run, without the fields that an agent client sets itself. */
export interface ClientMemoryConfig extends Omit<MemoryConfig, "provider" | "autoStore" | "userId"> {}

/** The settings of an agent client. */
export interface AgentClientConfig<Ctx> extends RunSettings<Ctx> {
  /**
   * The context of every run, or a sync or async function that creates a context for each prompt. If the context itself
   * is a function, pass a function that returns it.
   */
  readonly context: Readonly<Ctx> | (() => Readonly<Ctx> | Promise<Readonly<Ctx>>);
  /** The store of the conversations. Default: the store that `setConversationStore` has set when the prompt begins. */
  readonly store?: AnyConversationStore | MemoryProvider;
  /**
   * The agents that can take part in handoffs, by their registry keys. The agent client adds its own agent under the
   * agent's name.
   */
  // biome-ignore lint/suspicious/noExplicitAny: each agent has its own output
  readonly agents?: ReadonlyMap<string, Agent<Ctx, any>>;
  /** Settings for storing conversations (e.g. the durability), and for the part of the history that the model sees. */
  readonly memory?: ClientMemoryConfig;
}

/** The checked configuration of an agent client. */
export interface ClientSettings<Ctx, Out> {
  readonly agent: Agent<Ctx, Out>;
  readonly run: RunSettings<Ctx> & Pick<RunConfig<Ctx>, "agentRegistry">;
  readonly memory: ClientMemoryConfig;
  readonly context: AgentClientConfig<Ctx>["context"];
  /** The agent client's own store. `undefined`: prompts use the conversation store of the process. */
  readonly store: AnyConversationStore | undefined;
}

const agentSchema = z.object({
  name: idSchema,
  instructions: z.union([z.string(), functionSchema], {
    error: "expected a text or a function",
  }),
  conversational: z.unknown().optional(),
});

const configSchema = priced(
  z.strictObject({
    ...settingsShape,
    context: z.unknown(),
    store: z.unknown().optional(),
    agents: z.custom<unknown>((value) => value instanceof Map, { error: "expected a Map" }).optional(),
    memory: z
      .looseObject({
        provider: z.undefined("expected nothing: pass the provider as store").optional(),
        autoStore: z.undefined("expected nothing: a conversation is stored if it has a user").optional(),
        userId: z.undefined("expected nothing: the user is that of forUser or conversational").optional(),
      })
      .optional(),
  }),
);

const WHAT = "agent client configuration";

/** Checks an agent client's configuration. Throws a `TypeError` that names the invalid fields. */
export function parseClientConfig<Ctx, Out>(
  agent: Agent<Ctx, Out>,
  config: AgentClientConfig<Ctx>,
): ClientSettings<Ctx, Out> {
  checkRelease(globalThis.JAF_RELEASE);
  parseOptions(agentSchema, agent, "agent");
  if (agent.outputCodec !== undefined) zodSchemaOf(agent.outputCodec, "Invalid agent: outputCodec");
  parseOptions<unknown>(configSchema, config, WHAT);
  const { store, agents = new Map(), memory = {} } = config;
  checkMemory(memory, agent.name);
  checkInstallable(config, agent, (field) => `${WHAT}: ${field}`);
  // Copied, so later changes of the configuration have no effect. Its functions are still called on the original object.
  const own = overlay(config, {});
  return {
    agent,
    run: { ...runSettingsOf(own), agentRegistry: registryOf(agent, agents) },
    memory: overlay(memory, {}),
    context: own.context,
    store: store === undefined ? undefined : toConversationStore(store, `${WHAT}: store`),
  };
}

/** Returns the fields of the configuration that are settings of a run. */
function runSettingsOf<Ctx>(config: RunSettings<Ctx>): RunSettings<Ctx> {
  const fields = Object.keys(settingsShape) as (keyof RunSettings<Ctx>)[];
  // Read one by one, because the configuration can be an instance of a class with fields on its prototype.
  const given = fields.filter((field) => config[field] !== undefined);
  return Object.fromEntries(given.map((field) => [field, config[field]])) as unknown as RunSettings<Ctx>;
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

/** Throws a `TypeError` for memory settings that every run would refuse. */
function checkMemory(memory: ClientMemoryConfig, agentName: string): void {
  const written = { runId: generateRunId(), traceId: createTraceId("check"), currentAgentName: agentName };
  const issues = memoryConfigIssues(memory as MemoryConfig, written);
  if (issues.length === 0) return;
  const found = issues.map(
    ({ path, expected }) => `${path.replace(/^RunConfig\./, "")}: expected ${expected}`,
  );
  throw new TypeError(`Invalid ${WHAT}: ${found.join("; ")}.`);
}
