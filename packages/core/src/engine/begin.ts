import {
  type ConversationMemory,
  createMemoryConflictError,
  createMemoryValidationError,
  type MemoryErrorUnion,
  type Message,
  messageText,
  sanitizeConversation,
} from "@jaf/memory";
import { checkGuardrails } from "../guardrails/check.ts";
import { memoryConfigIssues } from "../memory/check-config.ts";
import type { Journal } from "../memory/journal.ts";
import { loadConversation } from "../memory/load.ts";
import { unsaidMessages } from "../memory/unsaid.ts";
import type { RunState } from "../state.ts";
import { abortable, abortError, runAborted } from "./abort.ts";
import { findAgent } from "./find-agent.ts";
import { resume } from "./resume.ts";
import type { RunScope } from "./scope.ts";
import { fail, failMemory, type Step } from "./step.ts";

const OPERATION = "run";

/** From the state that the caller gave to one that the first turn can be taken at. */
export async function begin<Ctx>(scope: RunScope<Ctx>, state: RunState<Ctx>): Promise<Step<Ctx>> {
  const { config, journal } = scope;
  const aborted = abortError(config.signal);
  if (aborted !== undefined) return fail(state, aborted);
  const found = findAgent(config, state.currentAgentName);
  if (!found.ok) return fail(state, found.error);
  if (journal !== undefined) return beginStored(scope, state, journal);
  return config.memory?.autoStore === true ? failWithoutId(state) : beginUnstored(scope, state);
}

/** A history from the caller: its unanswered calls aren't run, since nobody knows who made them. */
async function beginUnstored<Ctx>(scope: RunScope<Ctx>, state: RunState<Ctx>): Promise<Step<Ctx>> {
  // What the guardrails judge is what the model sees, so nothing that is dropped may hide what was said before it.
  const messages = sanitizeConversation(state.messages);
  const blocked = await judgeInput(scope, state, lastSaid(messages));
  return blocked ?? { state: messages === state.messages ? state : { ...state, messages } };
}

/** The last user messages in a row, whatever stands behind them. */
function lastSaid(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role === "user") + 1;
  const before = messages.findLastIndex(({ role }, index) => index < end && role !== "user");
  return messages.slice(before + 1, end);
}

async function beginStored<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  journal: Journal,
): Promise<Step<Ctx>> {
  const { signal } = scope.config;
  const { memory, conversationId } = journal;
  const issues = memoryConfigIssues(memory, state);
  if (issues.length > 0) {
    return failMemory(state, createMemoryValidationError(issues, { operation: OPERATION }));
  }
  const loading = loadConversation(memory, conversationId);
  // It never rejects of itself, so a rejection is the abort.
  const loaded = await abortable(loading, signal).catch(() => undefined);
  if (loaded === undefined) return fail(state, runAborted(signal));
  if (!loaded.success) return failMemory(state, loaded.error);
  const stored = loaded.data;
  const messageCount = stored?.messages.length ?? 0;
  scope.emit?.({ type: "memory_loaded", data: { conversationId, messageCount } });
  const unsaid = unsaidMessages(state.messages, stored);
  if (unsaid === undefined) return failMemory(state, historyConflict(stored));
  if (unsaid.length === 0 && stored !== null) return resume(scope, state, stored);
  return hear(scope, state, { journal, unsaid, stored });
}

/** Takes in what is new. */
async function hear<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  heard: {
    readonly journal: Journal;
    readonly unsaid: readonly Message[];
    readonly stored: ConversationMemory | null;
  },
): Promise<Step<Ctx>> {
  const { journal, unsaid, stored } = heard;
  // On its own: a call of the caller's is never stored as open, and a result of theirs never answers a stored call.
  const added = sanitizeConversation(unsaid);
  if (added.length === 0 && unsaid.length > 0) return failMemory(state, nothingToAdd());
  const blocked = await judgeInput(scope, state, added);
  if (blocked !== undefined) return blocked;
  const aborted = abortError(scope.config.signal);
  if (aborted !== undefined) return fail(state, aborted);
  const messages = [...sanitizeConversation(stored?.messages ?? []), ...added];
  const next = { ...state, messages };
  const saved = await journal.incoming(added, { agentName: state.currentAgentName });
  return saved.success ? { state: next } : failMemory(next, saved.error);
}

async function judgeInput<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  messages: readonly Message[],
): Promise<Step<Ctx> | undefined> {
  const { initialInputGuardrails, signal } = scope.config;
  if (initialInputGuardrails === undefined) return undefined;
  const said = messages.filter(({ role }) => role === "user");
  if (said.length === 0) return undefined;
  const verdict = await checkGuardrails(scope, initialInputGuardrails, {
    stage: "input",
    value: said.map(messageText).join("\n"),
    context: state.context,
  });
  const aborted = abortError(signal);
  if (aborted !== undefined) return fail(state, aborted);
  if (verdict.isValid) return undefined;
  return fail(state, { _tag: "InputGuardrailTripwire", reason: verdict.errorMessage });
}

function failWithoutId<Ctx>(state: RunState<Ctx>): Step<Ctx> {
  const issue = { path: "RunConfig.conversationId", expected: "an id, because memory.autoStore is true" };
  return failMemory(state, createMemoryValidationError([issue], { operation: OPERATION }));
}

function historyConflict(stored: ConversationMemory | null): MemoryErrorUnion {
  const version: unknown = stored?.metadata?.["version"];
  const actualVersion = typeof version === "number" ? { actualVersion: version } : {};
  return createMemoryConflictError("version", { operation: OPERATION, ...actualVersion });
}

function nothingToAdd(): MemoryErrorUnion {
  const expected =
    "user messages, replies, or tool calls together with their results; a call without its result, or a result without its call, can't be added to a conversation";
  return createMemoryValidationError([{ path: "RunState.messages", expected }], { operation: OPERATION });
}
