import { type AgentClient, type AgentClientConfig, createAgentClient, type Middleware } from "@jaf/core";
import type { VersionedMemoryProvider } from "@jaf/memory";
import { ConversationStoreError, createConversationStore } from "@jaf/memory";
import type { Identity } from "../identity.ts";
import type { TurnSettings } from "./options.ts";
import type { Recorder } from "./recorder.ts";

/** What is special about the client of one turn. */
export interface TurnClientOptions<Ctx> {
  readonly agentName: string;
  readonly identity: Identity;
  readonly middleware: Middleware<Ctx>;
  readonly onInjected: Recorder["onInjected"];
  /** The run takes the place of one whose process may have left a lease: it waits for that to end. */
  readonly isTakenOver: boolean;
  /** A conversation that the first prompt without `continue` makes. */
  readonly newConversation?: NewConversation | undefined;
}

export interface NewConversation {
  readonly conversationId: string;
  readonly title: string | undefined;
  /** Of the write that makes it. */
  readonly key: string;
}

/** How long a run that takes over waits for the lease of the one before, beyond that lease. */
const QUEUE_MARGIN_MS = 15_000;

/** `undefined`: there is no such agent. */
export function clientOfTurn<Ctx>(
  settings: TurnSettings<Ctx>,
  provider: VersionedMemoryProvider,
  options: TurnClientOptions<Ctx>,
): AgentClient<unknown, Ctx> | undefined {
  const agent = settings.agents.get(options.agentName);
  if (agent === undefined) return undefined;
  const { agentRegistry, memory, middleware = [], userMemory, ...run } = settings.config;
  const ownMemory = settings.userMemory?.({ onInjected: options.onInjected }) ?? userMemory;
  const config: AgentClientConfig<Ctx> = {
    ...run,
    context: () => settings.context(options.identity),
    agents: new Map([...(agentRegistry ?? []), ...settings.agents]),
    memory: memoryOfTurn(settings, options.isTakenOver),
    middleware: [...middleware, options.middleware],
    ...(ownMemory === undefined ? {} : { userMemory: ownMemory }),
    store: storeOfTurn(provider, options),
  };
  return createAgentClient<Ctx, unknown>(agent, config);
}

function memoryOfTurn<Ctx>({ config, leaseSeconds }: TurnSettings<Ctx>, isTakenOver: boolean) {
  const { provider: _, autoStore: __, userId: ___, ...memory } = config.memory;
  const turnLeaseMs = memory.turnLeaseMs ?? Math.max(1_000, leaseSeconds * 1_000);
  return {
    ...memory,
    ...(memory.durability === undefined && memory.storeOnCompletion === undefined
      ? ({ durability: "step" } as const)
      : {}),
    turnLeaseMs,
    // The log says who has the turn; a run that isn't of this server has to be waited for by the client.
    ...(isTakenOver
      ? ({ concurrency: "queue", queueTimeoutMs: turnLeaseMs + QUEUE_MARGIN_MS } as const)
      : ({ concurrency: "reject" } as const)),
  };
}

/** The conversation is made once the engine has judged the request, so that a refused one leaves none behind. */
function storeOfTurn<Ctx>(
  provider: VersionedMemoryProvider,
  { identity: { userId }, newConversation }: TurnClientOptions<Ctx>,
) {
  const store = createConversationStore(provider);
  if (newConversation === undefined) return store;
  const { conversationId, title, key } = newConversation;
  return {
    ...store,
    create: async () => {
      const metadata = { userId, ...(title === undefined ? {} : { title }) };
      const options = { createIfMissing: true, idempotencyKey: key };
      const made = await provider.appendMessages(conversationId, [], metadata, options);
      if (made.success) return conversationId;
      // As the client's own store does: the engine makes a refusal or an outcome of it.
      throw new ConversationStoreError(made.error);
    },
  };
}
