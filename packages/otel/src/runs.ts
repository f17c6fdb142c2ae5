import type { RunId } from "@jaf/memory";
import { type Context, context, createContextKey, type Span, type SpanContext } from "@opentelemetry/api";

/** A span that is open, with the context that makes it the active one. */
export interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

/** A model call of a run. Its span opens with its first attempt. */
export interface ChatCall {
  /** The model's name. `undefined`: the model provider chooses the model. */
  readonly model: string | undefined;
  readonly agentName: string | undefined;
  readonly startedAt: number;
  readonly begun: number;
  open: OpenSpan | undefined;
  /** Whether the prompt begins with a summary of older messages. */
  isCompacted: boolean;
  /** Whether the engine is about to call the model provider. */
  isDue: boolean;
  /** The conventions' name of the service. `undefined`: not known so far. */
  provider: string | undefined;
  responseModel: string | undefined;
  /** The class of the last failed attempt. `undefined`: none has failed. */
  errorType: string | undefined;
}

/** A tool call of a run. */
export interface ToolCall extends OpenSpan {
  readonly name: string;
  readonly agentName: string | undefined;
  /** The run of the agent that the tool asks. `undefined`: it has none so far. */
  inner: RunRecord | undefined;
}

/** What is known of a run that is under way in this process. */
export interface RunRecord {
  readonly runId: RunId | undefined;
  readonly traceId: string;
  readonly conversationId: string | undefined;
  readonly startedAt: number;
  readonly begun: number;
  /** The context in which the run began. */
  readonly parent: Context;
  open: OpenSpan | undefined;
  /** The agent that the run began with, then the one at work. `undefined`: not known so far. */
  agentName: string | undefined;
  firstAgent: string | undefined;
  chat: ChatCall | undefined;
  readonly tools: Map<string, ToolCall>;
  steps: number;
  chats: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cost: number | undefined;
  /** The number of messages that the sanitizer changed in the prompt with the most changes. */
  repaired: number;
  finishReason: string | undefined;
}

/** The runs that are under way in this process, and where interrupted ones ended. */
export interface Runs {
  readonly add: (run: RunRecord) => void;
  readonly remove: (run: RunRecord) => void;
  /** Returns the run with this id; of several executions of it, the one whose context is active. */
  readonly find: (runId: RunId | undefined) => RunRecord | undefined;
  /** Remembers the span of an interrupted run, so that the run that continues it has a link to it. */
  readonly interrupted: (key: string, span: SpanContext) => void;
  /** Returns and forgets the span of an interrupted run. */
  readonly takeInterrupted: (key: string) => SpanContext | undefined;
}

const RUN = createContextKey("@jaf/otel run");

/** Returns the context with the run, for `find`. */
export const withRun = (to: Context, run: RunRecord): Context => to.setValue(RUN, run);

/** How many interrupted runs are remembered. The oldest are forgotten first. */
const MAX_INTERRUPTED = 1_000;

export function createRuns(): Runs {
  const underWay = new Map<RunId | undefined, RunRecord[]>();
  const waiting = new Map<string, SpanContext>();
  return {
    add: (run) => {
      underWay.set(run.runId, [...(underWay.get(run.runId) ?? []), run]);
    },
    remove: (run) => {
      const left = underWay.get(run.runId)?.filter((each) => each !== run) ?? [];
      if (left.length === 0) underWay.delete(run.runId);
      else underWay.set(run.runId, left);
    },
    find: (runId) => {
      const all = underWay.get(runId);
      if (all === undefined || all.length === 1) return all?.[0];
      const active = context.active().getValue(RUN);
      return all.find((run) => run === active) ?? all.at(-1);
    },
    interrupted: (key, span) => {
      waiting.delete(key);
      waiting.set(key, span);
      for (const oldest of waiting.keys()) {
        if (waiting.size <= MAX_INTERRUPTED) return;
        waiting.delete(oldest);
      }
    },
    takeInterrupted: (key) => {
      const span = waiting.get(key);
      waiting.delete(key);
      return span;
    },
  };
}
