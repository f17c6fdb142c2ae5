import type { Agent, ResolvedAgent } from "../agent.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { overlay } from "../immutable/overlay.ts";
import type { ModelFallback, Resume, RunConfig } from "../run-config.ts";
import { zodSchemaOf } from "../standard-schema.ts";
import type { Tool } from "../tools/tool.ts";

// biome-ignore lint/suspicious/noExplicitAny: an agent of any output
type AnyAgent<Ctx> = Agent<Ctx, any>;
// biome-ignore lint/suspicious/noExplicitAny: a tool of any arguments
type AnyTool<Ctx> = Tool<any, Ctx>;

/**
 * Returns a frozen copy of an agent for a call of the model provider, with the computed instructions. If `modelConfig`
 * is passed, it replaces the agent's.
 */
export const frozenAgent = <Ctx>(
  agent: AnyAgent<Ctx>,
  instructions: string,
  modelConfig = agent.modelConfig,
): ResolvedAgent<Ctx> =>
  // With these changes, the copy has the type `ResolvedAgent`.
  frozenWith(
    agent,
    { instructions: () => instructions, ...zodCodec(agent) },
    modelConfig,
  ) as ResolvedAgent<Ctx>;

const zodCodec = <Ctx>({ outputCodec }: AnyAgent<Ctx>): Pick<ResolvedAgent<Ctx>, "outputCodec"> =>
  outputCodec === undefined ? {} : { outputCodec: zodSchemaOf(outputCodec, "outputCodec") };

/** Returns a frozen copy of an agent with changed fields. The Zod schemas of its tools aren't copied. */
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
  Object.freeze(
    overlay(tool, {
      schema: frozenPart(tool.schema),
      ...(tool.providerOptions && { providerOptions: frozenCopy(tool.providerOptions) }),
    }),
  );

const frozenPart = <T extends object>(part: T): T => Object.freeze(overlay(part, {}));

const frozenList = <T>(list: readonly T[]): readonly T[] => Object.freeze([...list]);

interface ModelCallParts<Ctx> {
  readonly limit: { readonly signal: AbortSignal };
  readonly agent: Pick<AnyAgent<Ctx>, "cacheable">;
}

/**
 * Returns the configuration for one call of the model provider, with the call's own signal. Parts that belong to the
 * application (e.g. model providers, observers) aren't copied.
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
  // Spread into a plain object, because `resume` can be an instance of a class.
  resume: (resume: Resume) => frozenCopy({ ...overlay(resume, {}) }),
  timeouts: frozenPart,
  budget: frozenCopy,
  prices: frozenCopy,
} as const;

const COPIED = Object.keys(PART_COPIES) as readonly (keyof typeof PART_COPIES)[];
