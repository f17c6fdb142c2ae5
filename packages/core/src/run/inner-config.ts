import { present } from "@jaf/memory/internal";
import type { Agent } from "../agent.ts";
import type { InnerCall } from "../inner-runs.ts";
import { DEFAULT_LEASE_MS, durabilityOf, type MemoryConfig } from "../memory-config.ts";
import type { Middleware } from "../middleware.ts";
import type { Resume, RunConfig } from "../run-config.ts";
import type { RunScope } from "../run-scope.ts";
import type { MaybeRemembers, RemembersDeclaration } from "../user-memory.ts";

/** How much longer than a lease an inner run waits for the lease of its conversation, in milliseconds. */
const QUEUE_MARGIN_MS = 15_000;

interface InnerConfigOptions {
  /** The id of the inner run's conversation. `undefined`: nothing is stored. */
  readonly conversationId: string | undefined;
  readonly resume: Resume;
  readonly signal: AbortSignal | undefined;
}

/** The fields that concern only the user's own turn. The inner run shares the budget through its `OuterRun`. */
const OF_THE_OUTER_RUN = {
  budget: undefined,
  finalOutputGuardrails: undefined,
  initialInputGuardrails: undefined,
  onEvent: undefined,
  validate: undefined,
} as const;

/** Returns the configuration of an inner run: the outer run's, without what concerns only the user's own turn. */
export function innerConfig<Ctx>(
  { config, journal }: RunScope<Ctx>,
  { tool: { agent, agents, maxTurns } }: Pick<InnerCall<Ctx>, "tool">,
  { conversationId, resume, signal }: InnerConfigOptions,
): RunConfig<Ctx> {
  const isStored = journal !== undefined && conversationId !== undefined;
  const inner = {
    ...config,
    ...OF_THE_OUTER_RUN,
    agentRegistry: new Map([...config.agentRegistry, ...agents, [agent.name, agent]]),
    conversationId,
    memory: isStored
      ? storedMemory(journal.memory, journal.history().stored?.userId)
      : config.memory && { ...withoutInbox(config.memory), autoStore: false },
    resume,
    signal,
    maxTurns: maxTurns ?? config.maxTurns,
    middleware: config.middleware?.map(wrappingOnly),
    remembers: config.remembers === false ? (false as const) : recallOnly(agent),
  };
  return present(inner) as RunConfig<Ctx>;
}

/** Removes the inbox, since its entries are what the user says to the outer agent. */
const withoutInbox = ({ inbox: _, ...memory }: MemoryConfig): MemoryConfig => memory;

/** Returns the memory settings of an inner run. `owner`: the owner of the outer conversation. */
function storedMemory(memory: MemoryConfig, owner: string | undefined): MemoryConfig {
  const { leaseMs = DEFAULT_LEASE_MS, userId = owner } = memory;
  return {
    ...withoutInbox(memory),
    ...present({ userId }),
    // An inner run is resumed by its stored input, so the input is stored first.
    durability: durabilityOf(memory) === "step" ? "step" : "turn",
    // After a crash, the lease of the inner conversation can end later than that of the outer one.
    concurrency: "queue",
    queueTimeoutMs: leaseMs + QUEUE_MARGIN_MS,
  };
}

/** Returns the middleware without the hooks that concern the user's turn as a whole. */
const wrappingOnly = <Ctx>(middleware: Middleware<Ctx>): Middleware<Ctx> => ({
  name: middleware.name,
  // Called on the middleware, because it can be an instance of a class.
  ...present({
    wrapModelCall: middleware.wrapModelCall?.bind(middleware),
    wrapToolCall: middleware.wrapToolCall?.bind(middleware),
    wrapRun: middleware.wrapRun?.bind(middleware),
  }),
});

/** Returns the agent's user memory settings without the storing of facts. */
// The user messages of an inner run are what a model wrote, so no fact about the user may be taken from them.
// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
function recallOnly<Ctx>(agent: Agent<Ctx, any>): RemembersDeclaration<Ctx> | false {
  const { remembers } = agent;
  if (!remembers) return false;
  if (typeof remembers !== "function") return { ...remembers, extract: false };
  return async (context) => withoutExtraction(await remembers.call(agent, context));
}

const withoutExtraction = (spec: MaybeRemembers): MaybeRemembers => spec && { ...spec, extract: false };
