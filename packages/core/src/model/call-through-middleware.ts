import type { ContentPart, RichMessage } from "@jaf/memory";
import { sameJson } from "@jaf/memory/engine";
import type { RunScope } from "../engine/run-scope.ts";
import type { JAFError } from "../errors.ts";
import { overlay } from "../immutable/overlay.ts";
import type { Middleware } from "../middleware/middleware.ts";
import type { RunState } from "../state.ts";
import { abortError } from "../timing/abort.ts";
import { modelLimit } from "../timing/limits.ts";
import { openTimeLimit, type TimeLimit } from "../timing/time-limit.ts";
import { modelCallError } from "./call-error.ts";
import { ModelCallFailure } from "./call-failure.ts";
import { type Attempt, failedCall } from "./call-once.ts";
import type { ModelCall } from "./call-with-retries.ts";
import type { ModelCompletion } from "./completion.ts";
import { callModels } from "./fallback.ts";
import type { ModelCallRequest, NextModelCall } from "./model-call-request.ts";
import { parseReply } from "./reply.ts";
import { openReplyText, type ReplyText } from "./reply-text.ts";
import { callFor, changed, requestOf } from "./wrapped-request.ts";

/** The state of a wrapped call. */
interface Progress {
  /** The result of the last model call. */
  last: Attempt | undefined;
  attempts: number;
  /** Whether a model call is under way. */
  isUnderWay: boolean;
}

interface Wrapping<Ctx> {
  readonly hooks: readonly Middleware<Ctx>[];
  /** Of the run, with the whole conversation. */
  readonly state: RunState<Ctx>;
}

/** Calls the model through the middleware. */
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
    // Ends model calls that a hook has left under way, before other text is emitted.
    timeLimit.end();
    return concluded(scope, call, { completion, progress });
  } catch (thrown) {
    const error = abortError(scope.config.signal) ?? errorOf(scope, timeLimit.exceeded() ?? thrown, progress);
    // Retracts the text of a usable reply; that of a failed call is retracted with the failure.
    if (progress.last?.ok === true && error._tag !== "RunAborted") progress.last.text.retract();
    return failedCall(error, progress);
  } finally {
    timeLimit.end();
  }
}

type Next<Ctx> = (request: ModelCallRequest<Ctx>) => Promise<ModelCompletion>;

/** A hook is called on its middleware, which may be an instance of a class. */
const wrappedBy =
  <Ctx>(hook: Middleware<Ctx>, next: Next<Ctx>): Next<Ctx> =>
  async (request) => {
    const go: NextModelCall = async (changes) => next(changed(request, changes));
    // Only those that have one are here.
    return hook.wrapModelCall === undefined ? go() : hook.wrapModelCall(request, go);
  };

/** Model calls within the hooks end with them. */
function scopeWithin<Ctx>(scope: RunScope<Ctx>, { signal }: TimeLimit): RunScope<Ctx> {
  return { ...scope, config: overlay(scope.config, { signal }) };
}

interface Asking<Ctx> {
  /** What the first hook gets. */
  readonly request: ModelCallRequest<Ctx>;
  readonly timeLimit: TimeLimit;
  readonly progress: Progress;
}

/** What the last hook's `next` does. */
function openAsking<Ctx>(
  scope: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { request: first, timeLimit, progress }: Asking<Ctx>,
): Next<Ctx> {
  return async (request) => {
    timeLimit.signal.throwIfAborted();
    if (progress.isUnderWay) throw new Error("next() is under way: it can be called again once it has ended");
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

/** Retracts text that was emitted and isn't the reply's. */
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

/** A model that a hook chose is called first, whichever replied last. */
function scopeFor<Ctx>(scope: RunScope<Ctx>, model: string | undefined): RunScope<Ctx> {
  return { ...scope, config: overlay(scope.config, { modelOverride: model }), modelInUse: new Map() };
}

/** The reply that the hooks have returned. */
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
  if (last?.ok === true && isShownAlike(last.message, message)) return { ...last, message, completion };
  retract(scope, call, progress);
  const text = openReplyText(scope, call.state.currentAgentName);
  if (scope.streaming) for (const part of partsShown(message)) addPart(text, part);
  return { ok: true, message, completion, text, attempts: progress.attempts };
}

const partsShown = ({ content }: RichMessage): readonly ContentPart[] =>
  typeof content === "string" || content === null
    ? [{ type: "text", text: content ?? "" }]
    : content.filter(({ type }) => type !== "tool-call");

/** Whether both messages would be streamed as the same pieces. */
const isShownAlike = (one: RichMessage, other: RichMessage): boolean =>
  sameJson(partsShown(one), partsShown(other)) &&
  sameJson(one["reasoning_content"], other["reasoning_content"]);

function addPart(to: ReplyText, part: ContentPart): void {
  const { type, text } = part;
  const isText = type === "text" || type === "reasoning";
  if (!isText || typeof text !== "string") to.addPart(part);
  else if (text !== "") (type === "text" ? to.add : to.addReasoning)(text);
}

function errorOf<Ctx>({ config }: RunScope<Ctx>, thrown: unknown, { attempts }: Progress): JAFError {
  return thrown instanceof ModelCallFailure
    ? thrown.error
    : modelCallError(config.modelRetry, thrown, attempts);
}
