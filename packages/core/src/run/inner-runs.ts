import type { ConversationMemory, Message, ParentConversation, Result } from "@jaf/memory";
import { createRunId, createSuccess, sha256 } from "@jaf/memory/internal";
import { nestedCallId } from "../approvals/nested-ids.ts";
import type { JAFError } from "../errors.ts";
import type { Emit } from "../events.ts";
import { storableMessage } from "../immutable/messages.ts";
import type { BegunRun, InnerCall, InnerEnd, InnerResume } from "../inner-runs.ts";
import { type Interruption, nothingGiven } from "../interruption.ts";
import { abortable } from "../limits/abort.ts";
import { type RunScope, type ScopeOptions, timeOf } from "../run-scope.ts";
import type { RunOutcome, RunState } from "../state.ts";
import { loadConversation } from "../stored/load.ts";
import { readMetadata } from "../stored/metadata.ts";
import { userTurnOf } from "../tool-calls/call-info.ts";
import { innerConfig } from "./inner-config.ts";
import { findOpenCalls } from "./open-calls.ts";
import { onlyAsks, onlyWaits } from "./resume.ts";
import { openScope } from "./scope.ts";

const DEFAULT_MAX_AGENT_DEPTH = 5;

/** The id of an inner run. It is the same in each execution of the outer run, so the inner run is resumed. */
const runIdOf = <Ctx>({ callScope, call }: InnerCall<Ctx>) =>
  createRunId(`inner_${sha256(JSON.stringify([callScope, call.id]), "base64url")}`);

function conversationIdOf<Ctx>(
  call: InnerCall<Ctx>,
  { conversationId, incarnation }: ParentConversation,
): string {
  const { thread } = call;
  const own = thread === undefined ? ["call", runIdOf(call)] : ["thread", thread];
  return `inner_${sha256(JSON.stringify([conversationId, incarnation, ...own]), "base64url")}`;
}

const parentOf = async <Ctx>(
  { journal }: RunScope<Ctx>,
  { agentName }: InnerCall<Ctx>,
): Promise<Result<ParentConversation | undefined>> =>
  journal === undefined ? createSuccess(undefined) : journal.asParent({ agentName });

/** Returns the message that asks the agent. Throws a `TypeError` if the tool's `input` returned no valid message. */
function inputOf<Ctx>({ tool, args }: InnerCall<Ctx>): Message {
  const storable = storableMessage({ role: "user", content: tool.input(args) });
  if (storable.ok) return storable.message;
  throw new TypeError(`The input for the agent "${tool.agent.name}" is no message: ${storable.problem}.`);
}

interface Prepared<Ctx> {
  readonly state: RunState<Ctx>;
  readonly options: ScopeOptions;
}

function prepare<Ctx>(
  scope: RunScope<Ctx>,
  call: InnerCall<Ctx>,
  {
    parent,
    messages,
  }: { readonly parent: ParentConversation | undefined; readonly messages: readonly Message[] },
): Prepared<Ctx> {
  const { traceId, streaming, spending, depth, writes, journal } = scope;
  const { context, tool } = call;
  const state = {
    runId: runIdOf(call),
    traceId,
    messages,
    currentAgentName: tool.agent.name,
    context,
    turnCount: 0,
  };
  const turn = userTurnOf(scope, call.messages);
  const outer = { depth: depth + 1, turn, spending, account: scope.ledger?.account, parent };
  const options: ScopeOptions = {
    streaming,
    outer,
    ...(scope.emit && { sink: innerSink(scope.emit, call) }),
    // The outer run's hook decides whether the process may still write. Its other duties concern the outer conversation.
    ...(writes && {
      writes: {
        beforeWrite: async (known) => {
          const start = await writes.beforeWrite(journal?.history().known ?? known);
          return start?.refused && { refused: start.refused };
        },
        onWritten: () => {},
      },
    }),
  };
  return { state, options };
}

/** Returns a function that emits the events of an inner run as the outer run's. */
const innerSink =
  <Ctx>(emit: Emit, { call }: InnerCall<Ctx>): Emit =>
  (event) => {
    const {
      depth,
      path,
      event: inner,
    } = event.type === "inner_event" ? event.data : { depth: 0, path: [], event };
    emit({ type: "inner_event", data: { depth: depth + 1, path: [call.id, ...path], event: inner } });
  };

/** Resolves with the inner run of an open call, as the store has it; with `undefined` if it hasn't begun. */
export async function begunRun<Ctx>(
  scope: RunScope<Ctx>,
  call: InnerCall<Ctx>,
): Promise<Result<BegunRun | undefined>> {
  const parent = await parentOf(scope, call);
  if (!parent.success) return parent;
  if (parent.data === undefined) return createSuccess(undefined);
  const conversationId = conversationIdOf(call, parent.data);
  const { signal } = scope.config;
  const config = innerConfig(scope, call, { conversationId, resume: nothingGiven, signal });
  if (config.memory === undefined) return createSuccess(undefined);
  const loaded = await abortable(loadConversation(config.memory, conversationId, { signal }), signal);
  if (!loaded.success) return loaded;
  const stored = loaded.data.conversation;
  if (stored === null || !isTurnOf(call, stored)) return createSuccess(undefined);
  const { state, options } = prepare(scope, call, { parent: parent.data, messages: [] });
  const inner = openScope(state, config, options, scope.execute);
  try {
    inner.journal?.loaded(loaded.data);
    const { open, calls, found } = await findOpenCalls(inner, state, { messages: stored.messages, stored });
    if (!found.ok && found.error._tag === "MemoryError") return { success: false, error: found.error.error };
    const waits = calls !== undefined && onlyWaits(calls) && !open.waiting.some(isExpired(timeOf(scope)));
    return createSuccess({
      open,
      waiting: nested(call, open.waiting),
      onlyWaits: waits,
      onlyAsks: calls !== undefined && onlyAsks(calls),
      outdated: found.ok || found.error._tag !== "CallOutdated" ? undefined : found.error,
    });
  } finally {
    inner.close();
  }
}

/** Returns whether the last turn of the inner conversation is that of this call. */
// The id is stored together with the question. What is stored isn't compared with the arguments: a hook can have changed
// them, and the store can have dropped the question.
const isTurnOf = <Ctx>(call: InnerCall<Ctx>, stored: ConversationMemory): boolean =>
  readMetadata(stored).runId === runIdOf(call);

const isExpired =
  (now: number) =>
  (interruption: Interruption): boolean =>
    interruption.type === "approval" &&
    interruption.expiresAt !== undefined &&
    interruption.expiresAt.getTime() <= now;

/** Runs the agent of a call. */
export async function runAgent<Ctx>(
  scope: RunScope<Ctx>,
  call: InnerCall<Ctx>,
  { resume: { given, hasBegun }, signal }: { readonly resume: InnerResume; readonly signal: AbortSignal },
): Promise<InnerEnd> {
  const { maxAgentDepth = DEFAULT_MAX_AGENT_DEPTH } = scope.config;
  if (scope.depth >= maxAgentDepth)
    return failed({
      _tag: "InternalError",
      detail: `agents call each other more than ${maxAgentDepth} levels deep`,
    });
  const found = await parentOf(scope, call);
  if (!found.success) return failed({ _tag: "MemoryError", error: found.error });
  const runIn = async (parent: ParentConversation | undefined) => {
    const conversationId = parent && conversationIdOf(call, parent);
    const config = innerConfig(scope, call, { conversationId, resume: given, signal });
    const { state, options } = prepare(scope, call, { parent, messages: hasBegun ? [] : [inputOf(call)] });
    return (await scope.execute(state, config, options)).result.outcome;
  };
  let parent = found.data;
  let outcome = await runIn(parent);
  if (parent !== undefined && isRefusedAsChild(outcome)) {
    parent = undefined;
    outcome = await runIn(parent);
  }
  switch (outcome.status) {
    case "completed":
      return outcome;
    case "error":
      return failed(outcome.error);
    case "interrupted":
      return parent === undefined
        ? failed({ _tag: "InternalError", detail: UNSTORED })
        : { status: "interrupted", interruptions: nested(call, outcome.interruptions) };
  }
}

/** Returns whether the store refused the first write because it can't hold children, e.g. a store of five methods. */
const isRefusedAsChild = (outcome: RunOutcome<unknown>): boolean =>
  outcome.status === "error" &&
  outcome.error._tag === "MemoryError" &&
  outcome.error.error._tag === "MemoryValidationError" &&
  outcome.error.error.issues.some(({ path }) => path === "options.childOf");

const UNSTORED =
  "a call of the agent waits for an approval or for the client, which needs memory.autoStore with a provider that has child conversations";

/** Returns what an inner run waits for, by the ids that the calls have in the outer run. */
const nested = <Ctx>(
  { call }: InnerCall<Ctx>,
  interruptions: readonly Interruption[],
): readonly Interruption[] =>
  interruptions.map((each) => Object.freeze({ ...each, toolCallId: nestedCallId(call.id, each.toolCallId) }));

/** After these errors the outer run can't go on either. */
const ENDS_RUN: readonly JAFError["_tag"][] = [
  "BudgetExceeded",
  "CallOutdated",
  "ContinuationRejected",
  "MemoryError",
];

const failed = (error: JAFError): InnerEnd => ({
  status: "error",
  error,
  endsRun: ENDS_RUN.includes(error._tag),
});
