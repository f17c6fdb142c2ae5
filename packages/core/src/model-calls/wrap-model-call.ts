import type { ContentPart, RichMessage, RichToolCall } from "@jaf/memory";
import { calledTool, present, sameJson } from "@jaf/memory/internal";
import * as z from "zod";
import { type JAFError, JAFErrorHandler } from "../errors.ts";
import { overlay } from "../immutable/overlay.ts";
import { abortError } from "../limits/abort.ts";
import { agentLimitFault, modelLimit, openTimeLimit, type TimeLimit } from "../limits/time-limit.ts";
import type { Middleware, ModelCallChanges, ModelCallRequest, NextModelCall } from "../middleware.ts";
import type { ModelCompletion } from "../model/completion.ts";
import { settingsFault, settingsForCall } from "../model/model-config.ts";
import { parseReply } from "../model/reply.ts";
import type { RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { thrownOf } from "../thrown.ts";
import { type Attempt, failedCall, modelCallError } from "./call-once.ts";
import { callModels } from "./call-with-fallback.ts";
import type { ModelCall } from "./call-with-retries.ts";
import { openStreamedReply, type StreamedReply } from "./streamed-reply.ts";

/**
 * The error with which `next` rejects in a `wrapModelCall` hook: the model call has failed after all retries. Its `cause` is
 * the error that the model provider threw (e.g. an `OpenAIError`), if it threw one.
 *
 * @example
 * ```ts
 * import { type Middleware, ModelCallFailure } from "@jaf/core";
 *
 * export const shorter: Middleware<unknown> = {
 *   name: "shorter",
 *   wrapModelCall: ({ messages }, next) =>
 *     next().catch((failure: unknown) => {
 *       if (failure instanceof ModelCallFailure && failure.status === 413) return next({ messages: messages.slice(-4) });
 *       throw failure;
 *     }),
 * };
 * ```
 */
export class ModelCallFailure extends Error {
  override readonly name = "ModelCallFailure";
  /** The error with which the run ends, unless a middleware handles this failure. */
  readonly error: JAFError;
  /** The HTTP status. Absent: the model provider's error has none. */
  readonly status?: number;
  /** Whether the model call might succeed if it is made again. */
  readonly isRetryable: boolean;
  constructor(error: JAFError) {
    super(JAFErrorHandler.format(error), present({ cause: thrownOf(error) }));
    this.error = error;
    this.isRetryable = JAFErrorHandler.isRetryable(error);
    if (error._tag === "ModelCallError" && error.status !== undefined) this.status = error.status;
  }
}

/** How far a wrapped model call has got. */
interface Progress {
  /**
   * The result of the last model call. `undefined`: the model hasn't been called, or the result's text was retracted.
   */
  last: Attempt | undefined;
  attempts: number;
  /** Whether a model call is running. */
  isUnderWay: boolean;
}

interface Wrapping<Ctx> {
  readonly hooks: readonly Middleware<Ctx>[];
  /** The run's state, with the whole conversation. */
  readonly state: RunState<Ctx>;
}

/** Calls the model through the `wrapModelCall` hooks. Never rejects. */
export async function callThroughMiddleware<Ctx>(
  scope: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { hooks, state }: Wrapping<Ctx>,
): Promise<Attempt> {
  const timeLimit = openTimeLimit(modelLimit(scope.config, call.agent), scope.config.signal);
  const progress: Progress = { last: undefined, attempts: 0, isUnderWay: false };
  const request = requestOf(scope, call, { state, signal: timeLimit.signal });
  const asking = scopeWithin(scope, timeLimit);
  const ask = openAsking(asking, call, { request, timeLimit, progress });
  try {
    const wrapped = hooks.reduceRight<Next<Ctx>>((next, hook) => wrappedBy(hook, next), ask);
    const completion = await timeLimit.race((async () => wrapped(request))());
    // Aborts model calls that a hook started but didn't await, before text of another reply is emitted.
    timeLimit.end();
    return concluded(scope, call, { completion, progress });
  } catch (thrown) {
    const error = abortError(scope.config.signal) ?? errorOf(scope, timeLimit.exceeded() ?? thrown, progress);
    // Retracts the text of a usable reply. The text of a failed call is retracted when the failure is reported.
    if (progress.last?.ok === true && error._tag !== "RunAborted") progress.last.text.retract();
    return failedCall(error, progress);
  } finally {
    timeLimit.end();
  }
}

type Next<Ctx> = (request: ModelCallRequest<Ctx>) => Promise<ModelCompletion>;

/** Returns a function that calls a hook with `next`. */
const wrappedBy =
  <Ctx>(hook: Middleware<Ctx>, next: Next<Ctx>): Next<Ctx> =>
  async (request) => {
    const go: NextModelCall = async (changes) => next(changed(request, changes));
    // All middleware in this list have the hook.
    // Called as a method, because the middleware can be an instance of a class.
    return hook.wrapModelCall === undefined ? go() : hook.wrapModelCall(request, go);
  };

/** Returns a scope whose model calls are aborted when the hooks have ended. */
function scopeWithin<Ctx>(scope: RunScope<Ctx>, { signal }: TimeLimit): RunScope<Ctx> {
  return { ...scope, config: overlay(scope.config, { signal }) };
}

interface Asking<Ctx> {
  /** The request that the first hook gets, for a comparison with the request after all hooks. */
  readonly request: ModelCallRequest<Ctx>;
  readonly timeLimit: TimeLimit;
  readonly progress: Progress;
}

/** Returns the `next` function of the last hook, which calls the model. */
function openAsking<Ctx>(
  scope: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { request: first, timeLimit, progress }: Asking<Ctx>,
): Next<Ctx> {
  return async (request) => {
    timeLimit.signal.throwIfAborted();
    if (progress.isUnderWay) throw new Error("next() is still running: call it again after it has ended");
    retract(scope, call, progress);
    progress.isUnderWay = true;
    timeLimit.pause();
    try {
      const asking = request.model === first.model ? scope : scopeFor(scope, request.model);
      const last = await callModels(asking, request === first ? call : callFor(call, request));
      progress.last = last;
      progress.attempts += last.attempts;
      if (!last.ok) throw new ModelCallFailure(last.error);
      return last.completion;
    } finally {
      progress.isUnderWay = false;
      timeLimit.resume();
    }
  };
}

/** Emits `llm_retract` if text was emitted that isn't part of the reply. */
function retract<Ctx>(
  { emit, streaming }: RunScope<Ctx>,
  { state }: ModelCall<Ctx>,
  progress: Progress,
): void {
  const { last, isUnderWay } = progress;
  progress.last = undefined;
  if (last?.ok === true) last.text.retract();
  else if (last?.discardText === true || (isUnderWay && streaming))
    emit?.({ type: "llm_retract", data: { agentName: state.currentAgentName } });
}

/** Returns a scope whose model calls begin with the model that a hook chose. */
function scopeFor<Ctx>(scope: RunScope<Ctx>, model: string | undefined): RunScope<Ctx> {
  return { ...scope, config: overlay(scope.config, { modelOverride: model }), modelInUse: new Map() };
}

/** Converts the reply that the hooks returned into the result of the model call. An unusable reply is a failed call. */
function concluded<Ctx>(
  scope: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { completion, progress }: { readonly completion: ModelCompletion; readonly progress: Progress },
): Attempt {
  const reply = parseReply(completion);
  const { last } = progress;
  if (!reply.ok) {
    retract(scope, call, progress);
    return failedCall({ _tag: "ModelBehaviorError", detail: reply.detail }, progress);
  }
  const { message } = reply;
  if (last?.ok === true && streamsAlike(last, { message, completion }))
    return { ...last, message, completion };
  retract(scope, call, progress);
  const text = openStreamedReply(scope, call.state.currentAgentName);
  if (scope.streaming) {
    for (const part of streamedParts(message)) addPart(text, part);
    for (const [index, called] of (message.tool_calls ?? []).entries()) addCall(text, index, called);
  }
  return { ok: true, message, completion, text, attempts: progress.attempts };
}

const streamedParts = ({ content }: RichMessage): readonly ContentPart[] =>
  typeof content === "string" || content === null
    ? [{ type: "text", text: content ?? "" }]
    : content.filter(({ type }) => type !== "tool-call");

interface Replied {
  readonly message: RichMessage;
  readonly completion: ModelCompletion;
}

/** Returns whether both replies emit the same text, reasoning, parts and calls when they are streamed. */
const streamsAlike = (one: Replied, other: Replied): boolean =>
  sameJson(streamedParts(one.message), streamedParts(other.message)) &&
  sameJson(one.message["reasoning_content"], other.message["reasoning_content"]) &&
  // As the hooks saw them: the messages can have different ids for calls without one.
  sameJson(one.completion.message?.tool_calls ?? [], other.completion.message?.tool_calls ?? []);

function addPart(to: StreamedReply, part: ContentPart): void {
  const { type, text } = part;
  const isText = type === "text" || type === "reasoning";
  if (!isText || typeof text !== "string") to.addPart(part);
  else if (text !== "") (type === "text" ? to.add : to.addReasoning)(text);
}

function addCall(to: StreamedReply, index: number, call: RichToolCall): void {
  const { name: toolName, input } = calledTool(call);
  to.addCall({ index, toolCallId: call.id, toolName, arguments: input });
}

function errorOf<Ctx>({ config }: RunScope<Ctx>, thrown: unknown, { attempts }: Progress): JAFError {
  return thrown instanceof ModelCallFailure
    ? thrown.error
    : modelCallError(config.modelRetry, thrown, attempts);
}

interface Seen<Ctx> {
  readonly state: RunState<Ctx>;
  readonly signal: AbortSignal;
}

/** Returns the request that the first hook gets. */
function requestOf<Ctx>(
  { config }: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { state, signal }: Seen<Ctx>,
): ModelCallRequest<Ctx> {
  const { agent } = call;
  const model = config.modelOverride ?? agent.modelConfig?.name;
  return Object.freeze({
    state,
    agentName: call.state.currentAgentName,
    instructions: agent.instructions(call.state),
    messages: call.state.messages,
    tools: Object.freeze((agent.tools ?? []).map(({ schema }) => schema.name)),
    modelConfig: agent.modelConfig ?? Object.freeze({}),
    ...present({ model }),
    signal,
  });
}

const changesSchema = z.strictObject({
  instructions: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })).optional(),
  tools: z.array(z.string()).optional(),
  modelConfig: z.looseObject({}).optional(),
  model: z.string().min(1).optional(),
});

/**
 * Returns the request with the changes that a hook passed to `next`. Throws a `TypeError` if the changes are invalid.
 */
function changed<Ctx>(
  request: ModelCallRequest<Ctx>,
  changes: ModelCallChanges | undefined,
): ModelCallRequest<Ctx> {
  if (changes === undefined) return request;
  const parsed = changesSchema.safeParse(changes);
  if (!parsed.success) {
    const paths = parsed.error.issues.map(({ path }) => path.join(".") || "the whole");
    throw new TypeError(`Invalid changes of a model call: ${paths.join(", ")}`);
  }
  const given: ModelCallChanges = Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  );
  const next = { ...request, ...given };
  const { messages, tools, modelConfig } = next;
  const fault =
    settingsFault(modelConfig, (name) => tools.includes(name)) ?? agentLimitFault({ modelConfig });
  if (fault !== undefined) throw new TypeError(`Invalid changes of a model call: ${fault}`);
  return Object.freeze({
    ...next,
    messages: Object.freeze([...messages]),
    tools: Object.freeze([...tools]),
  });
}

/** Returns the model call for a request that hooks have changed. */
function callFor<Ctx>(
  { state, agent, emitContext }: ModelCall<Ctx>,
  { instructions, messages, tools, modelConfig }: ModelCallRequest<Ctx>,
): ModelCall<Ctx> {
  const offered = agent.tools?.filter(({ schema }) => tools.includes(schema.name));
  const changes = offered === undefined ? {} : { tools: Object.freeze(offered) };
  return {
    state: Object.freeze({ ...state, messages }),
    agent: Object.freeze(
      overlay(agent, {
        ...changes,
        instructions: () => instructions,
        modelConfig: settingsForCall(modelConfig, messages),
      }),
    ),
    emitContext,
  };
}
