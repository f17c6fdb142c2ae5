import { codeOf } from "../errors.ts";
import { itemsFromProposals } from "../evidence/extracted-items.ts";
import { readUserInput, type UserInput } from "../evidence/user-input.ts";
import { rememberItem } from "../extraction/remember-turn.ts";
import type { ToolCallInfo } from "../run-types.ts";
import { type ErasureMark, isStore } from "../store.ts";
import type { UserMemory } from "../user-memory.ts";
import type { MemoryToolsOptions, RememberArguments } from "./options.ts";

export const REMEMBER_TOOL = "remember_fact";

const WAITS =
  "It is from a text of someone else's, so it is kept for review and isn't known yet. Go on without it, and don't tell the user that it is remembered.";
const REMEMBERED = "Remembered, in the user's own words.";
const NOT_SAID =
  "Not remembered: the user didn't say it in this turn. Remember only what the user said, and copy the words that say it.";
const FORGOTTEN =
  "Not remembered: it was forgotten after the user said it. Only what the user says from now on can be remembered.";
const UNWANTED = "Not remembered: the user asked not to keep it.";

interface RememberToolScope<Ctx> {
  readonly memory: UserMemory;
  readonly userId: string;
  readonly settings: MemoryToolsOptions<Ctx>;
  readonly context: Readonly<Ctx>;
  readonly call: ToolCallInfo | undefined;
  /** When the tool was called. */
  readonly calledAt: Date;
}

/**
 * Stores the user's words that the model's arguments point at. Returns a text that tells the model whether the words
 * were stored and, if not, why.
 */
export async function rememberFact<Ctx>(
  { fact, evidence }: RememberArguments,
  scope: RememberToolScope<Ctx>,
): Promise<string> {
  const { memory, userId, settings, call } = scope;
  const start = await startOf(scope);
  const input = await userInputOf(scope);
  if (input === "private") return UNWANTED;
  const [item] = await itemsFromProposals(input, [{ fact, evidence, score: 1 }], async () => false);
  // A user memory without trust would show facts from third-party text as the user's statements.
  if (item === undefined || (item.kind === "third-party" && !isStore(memory))) return NOT_SAID;
  const extractor = `${REMEMBER_TOOL} of ${call?.agentName ?? "an agent"}`;
  const { conversationId } = call?.turn ?? {};
  const source = { ...start, userId, conversationId, position: input.position, extractor };
  try {
    const remembered = await rememberItem(memory, item, { ...source, tags: settings.tags ?? [] });
    return "status" in remembered && remembered.status === "quarantined" ? WAITS : REMEMBERED;
  } catch (thrown) {
    if (["erased", "forgotten"].includes(codeOf(thrown) ?? "")) return FORGOTTEN;
    throw thrown;
  }
}

/** Reads the user's messages of the turn: from the option `said` or, if it isn't set, from the engine. */
async function userInputOf<Ctx>({
  settings,
  context,
  call,
}: RememberToolScope<Ctx>): Promise<UserInput | "private"> {
  const given = await settings.said?.(context, call);
  if (given === undefined) return readUserInput(call?.turn ?? { messages: [], userMessages: [] });
  const userMessages = given.map((content) => ({ role: "user", content }) as const);
  return readUserInput({ messages: call?.turn.messages ?? [], userMessages });
}

/**
 * Returns the turn's start time, and an erasure mark. If the user's memory is erased later, a write with this mark is
 * refused.
 */
async function startOf<Ctx>({ memory, userId, settings, context, call, calledAt }: RememberToolScope<Ctx>) {
  const byEngine = call === undefined ? calledAt : new Date(call.turn.startedAt);
  const { startedAt: saidAt = byEngine, since } = (await settings.turnStart?.(context, call)) ?? {};
  return { saidAt, since: since ?? (await erasureMarkOf(memory, userId)) };
}

const erasureMarkOf = async (memory: UserMemory, userId: string): Promise<ErasureMark> =>
  isStore(memory) ? memory.mark(userId) : (0 as ErasureMark);
