import type { ConversationStore, Message } from "@jaf/memory";
import { createRunState, type RunState } from "../state.ts";
import type { ClientSettings } from "./config.ts";
import type { StoredPlan } from "./conversation.ts";
import { declaredFor } from "./conversational.ts";
import { type GivenByClient, parseDecisions } from "./decisions.ts";
import { getConversationStore } from "./default-store.ts";
import { checkOptions, type PromptInput, type PromptOptions, saidBy, spokenOf } from "./options.ts";
import { type Explicit, type Plan, planOf } from "./plan.ts";

/** One prompt, as it was asked for. */
export interface PromptCall<Ctx> {
  readonly explicit: Explicit;
  readonly input: PromptInput;
  readonly options: PromptOptions<Ctx>;
}

/** A prompt that is understood, before any store is asked. */
export interface Opening<Ctx> {
  /** What is new; where nothing is stored, what was said before too. */
  readonly state: RunState<Ctx>;
  /** Of `state.messages`, what was there before. */
  readonly history: readonly Message[];
  /** Absent: nothing is stored. */
  readonly stored: StoredOpening | undefined;
  readonly decisions: GivenByClient;
  /** How many of the last messages the model sees at most. */
  readonly historyLimit: number | undefined;
}

interface StoredOpening {
  readonly store: ConversationStore;
  readonly plan: StoredPlan;
}

/**
 * Rejects with a `TypeError` for what the caller did wrong, with `ContinuationValidationError` for decisions that are
 * none, and with what the application's own functions throw.
 */
export async function openPrompt<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  { explicit, input, options }: PromptCall<Ctx>,
): Promise<Opening<Ctx>> {
  checkOptions(options);
  const said = saidBy(input, options);
  const decisions = parseDecisions(options);
  const context = await contextOf(settings, options);
  const { agent } = settings;
  const own = spokenOf(options);
  const spoken = own === null ? await declaredFor(agent.conversational, context) : own;
  const plan = planOf(explicit, spoken, agent.name);
  const history = plan.kind === "stateless" ? historyOf(options) : [];
  const messages = [...history, ...said];
  checkNews(plan, { messages, options });
  const stored = plan.kind === "stateless" ? undefined : { store: storeOf(settings), plan };
  const { traceId, runId } = options;
  const state = createRunState<Ctx>({
    agentName: agent.name,
    context,
    messages,
    ...(traceId === undefined ? {} : { traceId }),
    ...(runId === undefined ? {} : { runId }),
  });
  return { state, history, stored, decisions, historyLimit: spoken?.historyLimit };
}

async function contextOf<Ctx, Out>(
  settings: ClientSettings<Ctx, Out>,
  options: PromptOptions<Ctx>,
): Promise<Readonly<Ctx>> {
  if (options.context !== undefined) return options.context;
  const { context } = settings;
  return typeof context === "function" ? (context as () => Ctx | Promise<Ctx>)() : (context as Readonly<Ctx>);
}

/** Where nothing is stored, there is nothing to compare a history with. */
function historyOf<Ctx>({ messages = [] }: PromptOptions<Ctx>): readonly Message[] {
  if (Array.isArray(messages)) return messages;
  throw new TypeError("Invalid prompt options: messages: expected an array.");
}

function checkNews<Ctx>(
  { kind }: Plan,
  { messages, options }: { readonly messages: readonly Message[]; readonly options: PromptOptions<Ctx> },
): void {
  if (messages.length > 0 || (kind !== "stateless" && kind !== "new")) return;
  if (kind === "new" && options.messages !== undefined) return;
  throw new TypeError(
    "Invalid prompt input: expected a message, since there is no conversation to go on with.",
  );
}

/** Throws a `TypeError` where there is none. */
export function storeOf<Ctx, Out>({
  store = getConversationStore(),
}: ClientSettings<Ctx, Out>): ConversationStore {
  if (store !== undefined) return store;
  throw new TypeError(
    "No conversation store: call setConversationStore(store) first, or give createAgentClient a store.",
  );
}
