import type { Middleware, ModelFallback, ModelProvider, RunSettings } from "@jaf/core";
import type { MemoryProvider } from "@jaf/memory";
import { checkRelease, extendObject, parseOptions } from "@jaf/memory/internal";
import type { UserMemory } from "@jaf/user-memory";
import { context, type Meter, metrics, type Tracer, trace } from "@opentelemetry/api";
import * as z from "zod";
import { observe } from "./events.ts";
import { observedMemoryProvider } from "./memory-provider.ts";
import { createInstruments, type Instruments } from "./metrics.ts";
import { observedModelProvider } from "./model-provider.ts";
import { setAgent } from "./run-span.ts";
import { createRuns } from "./runs.ts";
import type { Scope } from "./scope.ts";
import { type Observed, observedUserMemory } from "./user-memory.ts";

/** Options of {@link createTelemetry}. */
export interface TelemetryOptions {
  /** Makes the spans. Default: the tracer `"@jaf/otel"` of the SDK that the process registers, now or later. */
  readonly tracer?: Tracer;
  /** Makes the metrics. Default: the meter `"@jaf/otel"` of the SDK that is registered when the first run begins. */
  readonly meter?: Meter;
  /**
   * Whether spans get what users, models and tools say: instructions, messages, arguments, results, facts and queries.
   * Default `false`: spans get names, ids and numbers only.
   */
  readonly content?: boolean;
}

/** The settings of runs that {@link Telemetry.instrument} observes: of a run, an agent client or a server. */
// biome-ignore lint/suspicious/noExplicitAny: telemetry looks at no context, and works with every one
type Instrumentable = Partial<RunSettings<any>>;
// biome-ignore lint/suspicious/noExplicitAny: likewise
type AnyModelProvider = ModelProvider<any>;

/** Spans and metrics of runs, model calls, tools and memory. See docs/telemetry.md. */
export interface Telemetry {
  /**
   * Returns the settings of a run, an agent client or a server, with telemetry added: each run, model call and tool call
   * gets a span, and what it calls has this span as its active one. Observers and middleware in the settings stay.
   */
  readonly instrument: <Settings extends Instrumentable>(settings: Settings) => Settings;
  /** Wraps a memory provider, so that each operation on conversations gets a span. */
  readonly provider: <P extends MemoryProvider>(provider: P) => P;
  /**
   * Wraps a user memory, so that each operation on facts gets a span. The result has no link to runs: pass it to
   * `setUserMemory` or `asUserMemory`.
   */
  readonly userMemory: <M extends UserMemory>(memory: M) => Observed<M>;
  /**
   * Wraps a model provider, so that its HTTP requests are parts of the `chat` spans. `instrument` does it with the model
   * provider in the settings; model providers that are registered elsewhere (e.g. in `AiRegistry`) need it.
   */
  readonly modelProvider: <P extends AnyModelProvider>(provider: P) => P;
}

const schema = z.strictObject({
  tracer: z
    .custom<Tracer>((value) => hasMethod(value, "startSpan"), { error: "expected a Tracer" })
    .optional(),
  meter: z
    .custom<Meter>((value) => hasMethod(value, "createCounter"), { error: "expected a Meter" })
    .optional(),
  content: z.boolean().optional(),
});

const hasMethod = (value: unknown, method: string): boolean =>
  typeof (value as Record<string, unknown> | null | undefined)?.[method] === "function";

const NAME = "@jaf/otel";

/**
 * Creates telemetry by OpenTelemetry's semantic conventions for generative AI. Without a registered SDK, it does nothing.
 * Throws a `TypeError` if an option is invalid.
 *
 * @example
 * ```ts
 * import { type Agent, createAgentClient, type ModelProvider } from "@jaf/core";
 * import { createInMemoryProvider } from "@jaf/memory";
 * import { createTelemetry } from "@jaf/otel";
 *
 * declare const modelProvider: ModelProvider<object>;
 * declare const agent: Agent<object, string>;
 *
 * const telemetry = createTelemetry();
 * const store = telemetry.provider(createInMemoryProvider());
 * export const client = createAgentClient(agent, telemetry.instrument({ modelProvider, store, context: {} }));
 * ```
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  checkRelease(globalThis.JAF_RELEASE);
  const {
    tracer = trace.getTracer(NAME),
    meter,
    content = false,
  } = parseOptions(schema, options, "telemetry options");
  let instruments: Instruments | undefined;
  const scope: Scope = {
    tracer,
    content,
    runs: createRuns(),
    instruments: () => {
      instruments ??= createInstruments(meter ?? metrics.getMeter(NAME));
      return instruments;
    },
  };
  const middleware = middlewareOf(scope);
  const modelProvider = <P extends AnyModelProvider>(provider: P): P =>
    observedModelProvider(scope, provider);
  return {
    instrument: (settings) => {
      const { modelProvider: model, modelFallback, middleware: own = [], onEvent } = settings;
      return extendObject(settings, {
        ...(model && { modelProvider: modelProvider(model) }),
        ...(modelFallback && { modelFallback: observedFallback(modelFallback, modelProvider) }),
        middleware: [middleware, ...own],
        onEvent: (event: Parameters<NonNullable<typeof onEvent>>[0]) => {
          try {
            observe(scope, event);
          } finally {
            onEvent?.call(settings, event);
          }
        },
      });
    },
    provider: (provider) => observedMemoryProvider(scope, provider),
    userMemory: (memory) => observedUserMemory(scope, memory),
    modelProvider,
  };
}

const observedFallback = <Ctx>(
  fallback: ModelFallback<Ctx>,
  observed: (provider: ModelProvider<Ctx>) => ModelProvider<Ctx>,
): ModelFallback<Ctx> => ({
  ...fallback,
  models: fallback.models.map((each) =>
    typeof each === "string" || each.modelProvider === undefined
      ? each
      : { ...each, modelProvider: observed(each.modelProvider) },
  ),
});

/** Returns the middleware that makes the spans of runs and tool calls the active ones. */
function middlewareOf(scope: Scope): Middleware<unknown> {
  const { runs } = scope;
  return {
    name: NAME,
    wrapRun: ({ runId, agentName }, next) => {
      const run = runs.find(runId);
      if (run === undefined) return next();
      setAgent(scope, run, agentName);
      context.with(run.open?.context ?? context.active(), next);
    },
    wrapToolCall: ({ runId, toolCallId }, next) => {
      const tool = runs.find(runId)?.tools.get(toolCallId);
      return tool === undefined ? next() : context.with(tool.context, () => next());
    },
  };
}
