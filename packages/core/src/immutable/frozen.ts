import type { Agent } from "../agent.ts";
import type { Resume, RunConfig } from "../config.ts";
import type { RunState } from "../state.ts";
import type { Tool } from "../tools/tool.ts";
import { changedState } from "./changed-state.ts";
import { frozenCopy } from "./copy.ts";
import { type FieldFactories, NOT_COMPUTED, withLazyFields } from "./lazy-fields.ts";
import { memoize } from "./memoize.ts";
import { frozenMessages, ownMessages, ownUnstoredMessages } from "./messages.ts";
import { overlay } from "./overlay.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** A frozen copy of a state, for callers and middleware. `context` belongs to the application and isn't frozen. */
export const frozenState = <Ctx>(state: RunState<Ctx>): RunState<Ctx> =>
  Object.freeze(
    changedState(state, {
      // Anything but a list has ended the run.
      messages: Array.isArray(state.messages) ? frozenMessages(state.messages) : state.messages,
    }),
  );

/** The same for the model provider, which never passes the state back, so its lists needn't be recognised again. */
export const frozenModelState = <Ctx>(state: RunState<Ctx>, messages = state.messages): RunState<Ctx> =>
  Object.freeze(changedState(state, { messages: Object.freeze([...messages]) }));

/**
 * A copy of a caller's state, which the caller may change afterwards. Anything but a list of messages is refused later.
 * `isStored`: whether a store checks the messages.
 */
export function ownState<Ctx>(state: RunState<Ctx>, isStored: boolean): RunState<Ctx> {
  const { runId, traceId, messages, currentAgentName, context, turnCount } = state;
  const copied = isStored ? ownMessages : ownUnstoredMessages;
  const own = Array.isArray(messages) ? copied(messages) : messages;
  return { ...state, runId, traceId, messages: own, currentAgentName, context, turnCount };
}

/** A frozen copy of an agent for the model provider. Schemas aren't copied. */
export const frozenAgent: <Ctx>(agent: AnyAgent<Ctx>) => AnyAgent<Ctx> = memoize(
  ({ tools, handoffs, modelConfig, cacheable }) => [
    tools,
    ...(tools ?? []).flatMap((tool) => [tool, tool.schema]),
    handoffs,
    modelConfig,
    cacheable,
  ],
  (agent) => {
    const { tools, handoffs, modelConfig, cacheable } = agent;
    return Object.freeze(
      overlay(agent, {
        ...(tools && { tools: Object.freeze(tools.map(frozenTool)) }),
        ...(handoffs && { handoffs: frozenCopy(handoffs) }),
        ...(modelConfig && { modelConfig: Object.freeze(overlay(modelConfig, {})) }),
        ...(cacheable && { cacheable: frozenCopy(cacheable) }),
      }),
    );
  },
);

const frozenTool = <Ctx>(tool: AnyTool<Ctx>): AnyTool<Ctx> =>
  Object.freeze(overlay(tool, { schema: Object.freeze(overlay(tool.schema, {})) }));

/** Of a call of the model. */
interface ConfigSource {
  readonly limit: { readonly signal: AbortSignal };
  // biome-ignore lint/suspicious/noExplicitAny: runs differ in their contexts
  readonly agentRegistry: RunConfig<any>["agentRegistry"];
}

// biome-ignore lint/suspicious/noExplicitAny: runs differ in their contexts
const FACTORIES: FieldFactories<RunConfig<any>, ConfigSource> = {
  signal: ({ limit }) => limit.signal,
  // Made for each call, as a `Map` can't be frozen.
  agentRegistry: ({ agentRegistry }) => frozenRegistry(agentRegistry),
};

/**
 * Configurations for the model provider, one for each call, with the signal of that. Providers, observers and user memories
 * in them are the application's own.
 */
export function openFrozenConfig<Ctx>(
  config: RunConfig<Ctx>,
): (limit: ConfigSource["limit"], agent: Pick<AnyAgent<Ctx>, "cacheable">) => RunConfig<Ctx> {
  let given: RunConfig<Ctx> | undefined;
  return (limit, { cacheable }) => {
    given ??= overlay(config, Object.assign(frozenParts(config), unread<Ctx>()));
    const cache = config.cache ?? cacheable;
    const fields = cache === undefined ? copied(given) : overlay(given, { cache: frozenCopy(cache) });
    return withLazyFields(fields, FACTORIES, { limit, agentRegistry: config.agentRegistry });
  };
}

const unread = <Ctx>() =>
  ({ signal: NOT_COMPUTED, agentRegistry: NOT_COMPUTED }) as Pick<RunConfig<Ctx>, "signal" | "agentRegistry">;

/** Of what is an overlay. */
const copied = <T extends object>(made: T): T =>
  Object.getPrototypeOf(made) === Object.prototype ? { ...made } : overlay(made, {});

function frozenParts<Ctx>(config: RunConfig<Ctx>): Partial<RunConfig<Ctx>> {
  const { memory, modelRetry, middleware, initialInputGuardrails, finalOutputGuardrails } = config;
  const { resume, modelFallback } = config;
  const changes: { -readonly [Key in keyof RunConfig<Ctx>]?: RunConfig<Ctx>[Key] } = {};
  if (memory) changes.memory = Object.freeze(overlay(memory, {}));
  if (modelRetry) changes.modelRetry = Object.freeze(overlay(modelRetry, {}));
  if (middleware) changes.middleware = Object.freeze([...middleware]);
  if (initialInputGuardrails) changes.initialInputGuardrails = Object.freeze([...initialInputGuardrails]);
  if (finalOutputGuardrails) changes.finalOutputGuardrails = Object.freeze([...finalOutputGuardrails]);
  if (modelFallback) {
    const models = modelFallback.models.map((each) =>
      typeof each === "string" ? each : Object.freeze(overlay(each, {})),
    );
    changes.modelFallback = Object.freeze(overlay(modelFallback, { models: Object.freeze(models) }));
  }
  if (resume) changes.resume = frozenResume(resume);
  return changes;
}

/** Field by field, as it may be an instance of a class. */
function frozenResume({ messages, historyToken, approvals, toolResults }: Resume): Resume {
  return Object.freeze({
    ...(messages === undefined ? {} : { messages: frozenCopy(messages) }),
    ...(historyToken === undefined ? {} : { historyToken }),
    ...(approvals === undefined ? {} : { approvals: frozenCopy(approvals) }),
    ...(toolResults === undefined ? {} : { toolResults: frozenCopy(toolResults) }),
  });
}

const frozenRegistry = <Ctx>(registry: RunConfig<Ctx>["agentRegistry"]): RunConfig<Ctx>["agentRegistry"] =>
  registry instanceof Map
    ? new Map(Array.from(registry, ([key, agent]) => [key, frozenAgent(agent)]))
    : registry;
