import { messageText } from "@jaf/memory";
import * as z from "zod";
import { abortError } from "../engine/abort.ts";
import { modelLimit } from "../engine/limits.ts";
import { type OwnTime, openOwnTime } from "../engine/own-time.ts";
import type { RunScope } from "../engine/scope.ts";
import type { JAFError } from "../errors.ts";
import { openConfigGivenOut } from "../immutable/given-out.ts";
import { overlay } from "../immutable/overlay.ts";
import type { Middleware } from "../middleware/middleware.ts";
import type { RunState } from "../state.ts";
import type { Attempt } from "./attempt.ts";
import { modelCallError } from "./call-error.ts";
import { ModelCallFailure } from "./call-failure.ts";
import type { ModelCall } from "./call-one.ts";
import type { ModelCompletion } from "./completion.ts";
import { callModels } from "./fallback.ts";
import type { ModelCallChanges, ModelCallRequest, NextModelCall } from "./model-call-request.ts";
import { parseReply } from "./reply.ts";
import { openReplyText } from "./reply-text.ts";
import { resolved } from "./resolved-agent.ts";
import { settingsShown } from "./settings.ts";

/** What of a wrapped call outlives its hooks. */
interface Progress {
  /** How asking the model ended last. */
  last: Attempt | undefined;
  attempts: number;
}

interface Wrapping<Ctx> {
  readonly hooks: readonly Middleware<Ctx>[];
  /** Of the run, with the whole conversation. */
  readonly state: RunState<Ctx>;
}

/** Asks the model by way of the middleware. */
export async function callWrapped<Ctx>(
  scope: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { hooks, state }: Wrapping<Ctx>,
): Promise<Attempt> {
  const ownTime = openOwnTime(modelLimit(scope.config, call.agent), scope.config.signal);
  const progress: Progress = { last: undefined, attempts: 0 };
  const request = requestOf(scope, call, { state, signal: ownTime.signal });
  const asking = scopeWithin(scope, ownTime);
  const ask = openAsking(asking, call, { request, ownTime, progress });
  try {
    const wrapped = hooks.reduceRight<Next<Ctx>>((next, hook) => wrappedBy(hook, next), ask);
    const completion = await ownTime.race((async () => wrapped(request))());
    return concluded(scope, call, { completion, progress });
  } catch (thrown) {
    const error = abortError(scope.config.signal) ?? errorOf(scope, ownTime.exceeded() ?? thrown, progress);
    // The text of a reply that was fit to be one is refused with it; that of a failed call the failure takes back.
    if (progress.last?.ok === true && error._tag !== "RunAborted") progress.last.text.retract();
    return failed(error);
  } finally {
    ownTime.close();
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

const changesSchema = z.strictObject({
  instructions: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })).optional(),
  tools: z.array(z.string()).optional(),
  modelConfig: z.looseObject({}).optional(),
  model: z.string().min(1).optional(),
});

/** Throws a `TypeError` into the hook for what are no changes. */
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
  const { messages = request.messages, tools = request.tools } = changes;
  return Object.freeze({
    ...request,
    ...changes,
    messages: Object.freeze([...messages]),
    tools: Object.freeze([...tools]),
  });
}

interface Seen<Ctx> {
  readonly state: RunState<Ctx>;
  readonly signal: AbortSignal;
}

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
    ...(model === undefined ? {} : { model }),
    signal,
  });
}

/** What is asked within the hooks ends with them. */
function scopeWithin<Ctx>(scope: RunScope<Ctx>, { signal }: OwnTime): RunScope<Ctx> {
  return { ...scope, config: overlay(scope.config, { signal }) };
}

interface Asking<Ctx> {
  /** What the first hook gets. */
  readonly request: ModelCallRequest<Ctx>;
  readonly ownTime: OwnTime;
  readonly progress: Progress;
}

/** What the last hook's `next` does. */
function openAsking<Ctx>(
  scope: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { request: first, ownTime, progress }: Asking<Ctx>,
): Next<Ctx> {
  let isUnderWay = false;
  return async (request) => {
    ownTime.signal.throwIfAborted();
    if (isUnderWay) throw new Error("next() is under way: it can be called again once it has ended");
    isUnderWay = true;
    ownTime.pause();
    takeBack(scope, call, progress);
    try {
      const asking = request.model === first.model ? scope : scopeFor(scope, request.model);
      const { last, attempts } = await callModels(asking, request === first ? call : callFor(call, request));
      progress.last = last;
      progress.attempts += attempts;
      if (!last.ok) throw new ModelCallFailure(last.error);
      return last.completion;
    } finally {
      isUnderWay = false;
      ownTime.resume();
    }
  };
}

/** The text that a reply has shown which isn't the reply. */
function takeBack<Ctx>({ emit }: RunScope<Ctx>, { state }: ModelCall<Ctx>, progress: Progress): void {
  const { last } = progress;
  progress.last = undefined;
  if (last?.ok === true) last.text.retract();
  else if (last?.discardText === true)
    emit?.({ type: "llm_retract", data: { agentName: state.currentAgentName } });
}

/** A model that a hook chose is asked first, whichever replied last. */
function scopeFor<Ctx>(scope: RunScope<Ctx>, model: string | undefined): RunScope<Ctx> {
  const config = overlay(scope.config, { modelOverride: model });
  return { ...scope, config, configGivenOut: openConfigGivenOut(config), modelInUse: new Map() };
}

function callFor<Ctx>(
  { state, agent, tellContext }: ModelCall<Ctx>,
  { instructions, messages, tools, modelConfig }: ModelCallRequest<Ctx>,
): ModelCall<Ctx> {
  const offered = agent.tools?.filter(({ schema }) => tools.includes(schema.name));
  const changed = overlay(agent, offered === undefined ? {} : { tools: Object.freeze(offered) });
  const settings = settingsShown(modelConfig, messages);
  return {
    state: Object.freeze({ ...state, messages }),
    agent: resolved(changed, instructions, settings),
    tellContext,
  };
}

/** What the hooks have made of it. */
function concluded<Ctx>(
  scope: RunScope<Ctx>,
  call: ModelCall<Ctx>,
  { completion, progress }: { readonly completion: ModelCompletion; readonly progress: Progress },
): Attempt {
  const reply = parseReply(completion);
  const { last } = progress;
  if (!reply.ok) {
    takeBack(scope, call, progress);
    return failed({ _tag: "ModelBehaviorError", detail: reply.detail });
  }
  const { message } = reply;
  const words = messageText(message);
  if (last?.ok === true && messageText(last.message) === words) return { ...last, message, completion };
  takeBack(scope, call, progress);
  const text = openReplyText(scope, call.state.currentAgentName);
  if (scope.streaming && words !== "") text.add(words);
  return { ok: true, message, completion, text };
}

const failed = (error: JAFError): Attempt => ({
  ok: false,
  error,
  retryable: false,
  retryAfterMs: undefined,
  discardText: false,
});

function errorOf<Ctx>({ config }: RunScope<Ctx>, thrown: unknown, { attempts }: Progress): JAFError {
  return thrown instanceof ModelCallFailure
    ? thrown.error
    : modelCallError(config.modelRetry, thrown, attempts);
}
