import type { InboxEntry, Message } from "@jaf/memory";
import { warn } from "@jaf/memory/internal";
import type { TakeOptions } from "../inbox-engine.ts";
import { runAborted } from "../limits/abort.ts";
import { fail, failLease, failMemory, type RunProgress, type RunScope } from "../run-scope.ts";
import type { RunState } from "../state.ts";
import { parseEntry } from "../stored/inbox-entry.ts";
import { checkInput } from "./guardrails.ts";

/** Takes what waits in the inbox if the run goes on with a model call. Returns the progress after that. */
export async function withInbox<Ctx>(
  scope: RunScope<Ctx>,
  progress: RunProgress<Ctx>,
): Promise<RunProgress<Ctx>> {
  const { state, outcome } = progress;
  const { journal, config } = scope;
  if (outcome !== undefined || journal?.inbox === undefined) return progress;
  try {
    return (await takeInbox(scope, { state, journal, inbox: journal.inbox })) ?? progress;
  } catch (thrown) {
    if (config.signal?.aborted !== true) throw thrown;
    return fail(state, runAborted(config.signal));
  }
}

/**
 * Appends what waits in the inbox to the conversation, as user messages. Resolves with the progress after that;
 * `undefined` if the run has taken nothing. Rejects if the run is aborted.
 */
export async function takeInbox<Ctx>(
  scope: RunScope<Ctx>,
  { state, journal, inbox, takesLease = false }: TakeOptions<Ctx>,
): Promise<RunProgress<Ctx> | undefined> {
  const read = await inbox.read();
  if (!read.success) {
    reportFailure(scope, read.error.message);
    return undefined;
  }
  const found = await messagesOf(scope, state, read.data);
  if ("stopped" in found) return found.stopped;
  const { messages, readUpTo, refused } = found;
  for (const [reason, count] of refused) scope.emit?.({ type: "inbox_refused", data: { reason, count } });
  if (readUpTo === undefined) return undefined;
  if (messages.length === 0) {
    await inbox.dropped(readUpTo);
    return undefined;
  }
  const entry = { agentName: state.currentAgentName };
  const acquired = takesLease ? await journal.takeLease(entry) : undefined;
  if (acquired?.success === false) return failLease(state, acquired.error);
  const saved = await journal.taken(messages, readUpTo, entry);
  if (!saved.success) return failMemory(state, saved.error);
  scope.emit?.({ type: "inbox_taken", data: { count: messages.length, messages } });
  return { state: { ...state, messages: [...state.messages, ...messages] } };
}

interface FoundMessages {
  readonly messages: readonly Message[];
  /** The cursor of the last entry that is taken or refused. `undefined`: there is none. */
  readonly readUpTo: string | undefined;
  /** The number of refused entries, by the reason. */
  readonly refused: ReadonlyMap<string, number>;
}

/** Parses the entries and checks each with the input guardrails. */
async function messagesOf<Ctx>(
  scope: RunScope<Ctx>,
  state: RunState<Ctx>,
  entries: readonly InboxEntry[],
): Promise<FoundMessages | { readonly stopped: RunProgress<Ctx> }> {
  const messages: Message[] = [];
  const refused = new Map<string, number>();
  let readUpTo: string | undefined;
  for (const entry of entries) {
    const parsed = isOfOwner(scope, entry) ? parseEntry(entry) : OF_ANOTHER;
    // A newer release takes the entry, and what comes after it, to keep their order.
    if (parsed.kind === "newer") break;
    if (parsed.kind === "message") {
      const blocked = await checkInput(scope, state, [parsed.message]);
      const reason = blocked && blockedFor(blocked);
      if (blocked !== undefined && reason === undefined) return { stopped: blocked };
      if (reason === undefined) messages.push(parsed.message);
      else refused.set(reason, (refused.get(reason) ?? 0) + 1);
    } else refused.set(parsed.reason, (refused.get(parsed.reason) ?? 0) + 1);
    readUpTo = entry.cursor;
  }
  return { messages, readUpTo, refused };
}

const OF_ANOTHER = {
  kind: "invalid",
  reason: "the entry is of a user who doesn't own the conversation",
} as const;

/** Returns whether the entry is of the conversation's owner. Its id can have been another user's conversation before. */
function isOfOwner<Ctx>({ journal }: RunScope<Ctx>, { userId }: InboxEntry): boolean {
  const owner = journal?.history().stored?.userId ?? journal?.memory.userId;
  return owner === undefined || owner === userId;
}

/** Returns why a guardrail blocked an entry; `undefined` if the run is aborted. */
const blockedFor = <Ctx>({ outcome }: RunProgress<Ctx>): string | undefined =>
  outcome?.status === "error" && outcome.error._tag === "InputGuardrailTripwire"
    ? outcome.error.reason
    : undefined;

function reportFailure<Ctx>({ emit }: RunScope<Ctx>, reason: string): void {
  if (emit === undefined) warn(`The inbox couldn't be read: ${reason}`, { type: "JAFInboxWarning" });
  emit?.({ type: "inbox_failed", data: { reason } });
}
