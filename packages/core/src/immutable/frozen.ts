import type { Agent, ResolvedAgent } from "../agent.ts";
import type { ModelFallback, Resume, RunConfig } from "../config.ts";
import type { RunState } from "../state.ts";
import type { Tool } from "../tools/tool.ts";
import { frozenCopy } from "./copy.ts";
import { frozenMessages, ownMessages } from "./messages.ts";
import { overlay } from "./overlay.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/** A frozen copy of a state, for callers, middleware and model providers. `context` belongs to the application and isn't frozen. */
export const frozenState = <Ctx>(state: RunState<Ctx>, messages = state.messages): RunState<Ctx> =>
  // Anything but a list has ended the run.
  Object.freeze(
    Object.assign({}, state, { messages: Array.isArray(messages) ? frozenMessages(messages) : messages }),
  );

/** A copy of a caller's state, which the caller may change afterwards. Anything but a list of messages is refused later. */
export function ownState<Ctx>(state: RunState<Ctx>): RunState<Ctx> {
  const { runId, traceId, messages, currentAgentName, context, turnCount } = state;
  const own = Array.isArray(messages) ? ownMessages(messages) : messages;
  return { ...state, runId, traceId, messages: own, currentAgentName, context, turnCount };
}

/** A frozen copy of an agent for a call of the model provider, with its instructions and maybe other settings for that. */
export const frozenAgent = <Ctx>(
  agent: AnyAgent<Ctx>,
  instructions: string,
  modelConfig = agent.modelConfig,
): ResolvedAgent<Ctx> =>
  // Its instructions are those that are given here.
  frozenWith(agent, { instructions: () => instructions }, modelConfig) as ResolvedAgent<Ctx>;

/** Schemas aren't copied. */
function frozenWith<Ctx>(
  agent: AnyAgent<Ctx>,
  changes: Partial<ResolvedAgent<Ctx>>,
  modelConfig = agent.modelConfig,
): AnyAgent<Ctx> {
  const { tools, handoffs, cacheable } = agent;
  return Object.freeze(
    overlay(agent, {
      ...changes,
      ...(tools && { tools: Object.freeze(tools.map(frozenTool)) }),
      ...(handoffs && { handoffs: frozenCopy(handoffs) }),
      ...(modelConfig && { modelConfig: frozenPart(modelConfig) }),
      ...(cacheable && { cacheable: frozenCopy(cacheable) }),
    }),
  );
}

const frozenTool = <Ctx>(tool: AnyTool<Ctx>): AnyTool<Ctx> =>
  Object.freeze(overlay(tool, { schema: frozenPart(tool.schema) }));

const frozenPart = <T extends object>(part: T): T => Object.freeze(overlay(part, {}));

const frozenList = <T>(list: readonly T[]): readonly T[] => Object.freeze([...list]);

interface ModelCallParts<Ctx> {
  readonly limit: { readonly signal: AbortSignal };
  readonly agent: Pick<AnyAgent<Ctx>, "cacheable">;
}

/**
 * The configuration for one call of the model provider, with the signal of the call. Each part is copied when it is first read.
 * Providers, observers and user memories in them are the application's own.
 */
export function frozenConfig<Ctx>(
  config: RunConfig<Ctx>,
  { limit, agent }: ModelCallParts<Ctx>,
): RunConfig<Ctx> {
  const cache = config.cache ?? agent.cacheable;
  const made = overlay(config, cache === undefined ? {} : { cache: frozenCopy(cache) });
  const define = (field: keyof RunConfig<Ctx>, get: () => unknown) =>
    Object.defineProperty(made, field, { get, enumerable: true, configurable: true });
  define("signal", () => limit.signal);
  for (const field of COPIED) {
    const copy: (part: never) => unknown = PART_COPIES[field];
    let part: unknown;
    if (config[field] !== undefined)
      define(field, () => {
        part ??= copy(config[field] as never);
        return part;
      });
  }
  return made;
}

const PART_COPIES = {
  agentRegistry: <Ctx>(registry: RunConfig<Ctx>["agentRegistry"]) =>
    registry instanceof Map
      ? new Map(Array.from(registry, ([key, agent]) => [key, frozenWith(agent, {})]))
      : registry,
  memory: frozenPart,
  modelRetry: frozenPart,
  middleware: frozenList,
  initialInputGuardrails: frozenList,
  finalOutputGuardrails: frozenList,
  modelFallback: <Ctx>(fallback: ModelFallback<Ctx>) => {
    const models = fallback.models.map((each) => (typeof each === "string" ? each : frozenPart(each)));
    return Object.freeze(overlay(fallback, { models: Object.freeze(models) }));
  },
  // As an object of its own, since it may be an instance of a class.
  resume: (resume: Resume) => frozenCopy({ ...overlay(resume, {}) }),
  timeouts: frozenPart,
  budget: frozenCopy,
  prices: frozenCopy,
} as const;

const COPIED = Object.keys(PART_COPIES) as readonly (keyof typeof PART_COPIES)[];
