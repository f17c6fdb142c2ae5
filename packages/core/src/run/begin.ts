import { createMemoryValidationError, parseOptions, sanitizeConversation } from "@jaf/memory/internal";
import { type Agent, findAgent } from "../agent.ts";
import type { JAFError } from "../errors.ts";
import { isUndecided } from "../interruption.ts";
import { abortError, runAborted } from "../limits/abort.ts";
import { checkInstallable, faultOf, labelOfRun } from "../middleware/install.ts";
import { type RunConfig, runSettingsSchema } from "../run-config.ts";
import { fail, failMemory, OPERATION, type RunProgress, type RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { lastUserMessages } from "../stored/user-messages.ts";
import { beginStored } from "./begin-stored.ts";
import { checkInput } from "./guardrails.ts";
import { findOpenCalls } from "./open-calls.ts";
import { resume } from "./resume.ts";

/**
 * Checks the run's configuration and prepares the state for the first step. Loads the conversation if the run stores
 * messages.
 */
export async function begin<Ctx>(scope: RunScope<Ctx>, state: RunState<Ctx>): Promise<RunProgress<Ctx>> {
  const { config, journal } = scope;
  const aborted = abortError(config.signal);
  if (aborted !== undefined) return fail(state, aborted);
  const found = findAgent(config, state.currentAgentName);
  if (!found.ok) return fail(state, found.error);
  const fault = configFault(config, found.agent);
  if (fault !== undefined) return fail(state, fault);
  try {
    if (journal !== undefined) return await beginStored(scope, state, journal);
    return config.memory?.autoStore === true ? failWithoutId(state) : await beginUnstored(scope, state);
  } catch (thrown) {
    if (config.signal?.aborted !== true) throw thrown;
    return fail(state, runAborted(config.signal));
  }
}

/**
 * Begins a run with a history that the caller passed. An unanswered call runs only if a decision about it was passed.
 */
async function beginUnstored<Ctx>(scope: RunScope<Ctx>, state: RunState<Ctx>): Promise<RunProgress<Ctx>> {
  if (scope.sent !== undefined) return failWithoutStore(state);
  if (scope.config.memory?.inbox !== undefined) return failWithInbox(state);
  // Guardrails check the sanitized messages. Otherwise a message that the sanitizer drops could hide an earlier message.
  const messages = sanitizeConversation(state.messages);
  const blocked = await checkInput(scope, state, lastUserMessages(messages));
  if (blocked !== undefined) return blocked;
  if (isUndecided(scope.given))
    return { state: messages === state.messages ? state : { ...state, messages } };
  const stopped = await findOpenCalls(scope, state, { messages: state.messages, stored: null });
  return resume(scope, stopped, scope.given);
}

function failWithoutId<Ctx>(state: RunState<Ctx>): RunProgress<Ctx> {
  const issue = { path: "RunConfig.conversationId", expected: "an id, because memory.autoStore is true" };
  return failMemory(state, createMemoryValidationError([issue], { operation: OPERATION }));
}

function failWithoutStore<Ctx>(state: RunState<Ctx>): RunProgress<Ctx> {
  const expected = "memory.autoStore, because a history from a client is compared with the stored one";
  const issue = { path: "RunConfig.resume.messages", expected };
  return failMemory(state, createMemoryValidationError([issue], { operation: OPERATION }));
}

function failWithInbox<Ctx>(state: RunState<Ctx>): RunProgress<Ctx> {
  const expected = "memory.autoStore, because the messages of the inbox are stored in the conversation";
  const issue = { path: "RunConfig.memory.inbox", expected };
  return failMemory(state, createMemoryValidationError([issue], { operation: OPERATION }));
}

/** Returns the fault of a run's configuration, without its `memory`; `undefined` if it is valid. */
function configFault<Ctx, Out>(config: RunConfig<Ctx>, agent: Agent<Ctx, Out>): JAFError | undefined {
  try {
    parseOptions<unknown>(runSettingsSchema, config, "RunConfig");
    checkInstallable(config, agent, labelOfRun);
    return undefined;
  } catch (thrown) {
    return faultOf(thrown);
  }
}
