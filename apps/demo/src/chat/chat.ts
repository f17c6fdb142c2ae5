import type { ModelProvider, TraceEvent } from "@jaf/core";
import { asUserMemory, type ExtractionOptions, type MemoryEntry, processExtractions } from "@jaf/user-memory";
import { type AssistantContext, instructionsFor } from "../assistant/agent.ts";
import { extractionOptions, withOwnWordsOnly } from "../assistant/extraction.ts";
import type { Store } from "../storage/open-store.ts";
import { createApprovals } from "./approvals.ts";
import type { Chat, Injected } from "./command.ts";
import { runCommand } from "./commands.ts";
import {
  createPrivateSession,
  createSession,
  isUnanswered,
  LEARNING_MS,
  listConversations,
  newConversationId,
  type OtherTools,
  type Session,
} from "./conversations.ts";
import { knownFacts } from "./facts.ts";
import { createReplyRenderer, printable, renderHistory } from "./render.ts";
import { addedStats, NO_STATS, withEvent } from "./stats.ts";
import type { Terminal } from "./terminal.ts";

export interface ChatOptions {
  readonly store: Store;
  readonly userId: string;
  readonly modelProvider: ModelProvider<AssistantContext>;
  /** Lines about the model and the store, printed first. */
  readonly notices: readonly string[];
  readonly terminal: Terminal;
  /** Aborted when the user leaves, even during a reply. */
  readonly signal: AbortSignal;
  /** Programs whose tools the assistant has. Default: none. */
  readonly servers?: OtherTools;
}

const NOT_LEARNED = "  What you said could not be remembered for other conversations.";

/** Runs the chat until the input ends, `/quit` or an abort. Returns `false` if a reply failed; an interruption isn't a failure. */
export async function chat(options: ChatOptions): Promise<boolean> {
  const { store, userId, notices, terminal, signal } = options;
  const extract = { ...extractionOptions, onError: () => terminal.print(terminal.dim(NOT_LEARNED)) };
  const state = { left: false, answered: true };
  const self = createChat(options, extract, state);
  for (const notice of notices) terminal.print(terminal.dim(notice));
  // Facts that a killed process hasn't extracted yet.
  await processExtractions(store.userMemory, { ...extract, extract: "verbatim" });
  const [latest] = await listConversations(store.provider, userId, 1);
  if (latest !== undefined) await self.open(latest.conversationId);
  for await (const raw of terminal.lines()) {
    await hear(self, raw.trim());
    if (state.left || signal.aborted) break;
  }
  await self.learned();
  return state.answered;
}

const contextOf = (store: Store, userId: string): AssistantContext => ({
  userId,
  notes: store.notes,
  now: () => new Date(),
  knownFacts: () => knownFacts(store, userId),
});

/** Writes to `state` whether the user left and whether a reply failed. */
function createChat(
  { store, userId, modelProvider, terminal, signal, servers }: ChatOptions,
  extract: ExtractionOptions,
  state: { left: boolean; answered: boolean },
): Chat {
  const context = contextOf(store, userId);
  let injected: Injected | undefined;
  let lastStats = NO_STATS;
  let totalStats = NO_STATS;
  const onInjected = (facts: readonly MemoryEntry[]): void => {
    injected &&= { ...injected, facts };
  };
  const userMemory = asUserMemory(withOwnWordsOnly(store.userMemory), { inject: { onInjected }, extract });
  const sessionOptions = { provider: store.provider, userMemory, modelProvider, context, signal, servers };
  const approvals = createApprovals(terminal);
  const sessionOf = (conversationId: string) => createSession(sessionOptions, conversationId);
  let current = sessionOf(newConversationId());

  const turnTo = (session: Session): void => {
    if (isPrivate(current)) terminal.print(terminal.dim("The private conversation is deleted."));
    current = session;
    approvals.forget();
    terminal.setPrivate(isPrivate(session));
  };

  return {
    ...{ store, userId, terminal, approvals },
    learned: () => userMemory.drain({ timeoutMs: LEARNING_MS }),
    session: () => current,
    injected: () => injected,
    lastStats: () => lastStats,
    totalStats: () => totalStats,
    instructions: () => instructionsFor({ ...context, isPrivate: isPrivate(current) }),
    start: (options) =>
      turnTo(options?.isPrivate ? createPrivateSession(sessionOptions) : sessionOf(newConversationId())),
    open: async (conversationId) => {
      turnTo(sessionOf(conversationId));
      const { messages = [] } = (await current.load()) ?? {};
      renderHistory(terminal, messages);
      if (isUnanswered(messages))
        terminal.print(terminal.dim("The last answer was cut off: /retry finishes it."));
    },
    reply: async (said, run) => {
      injected = { said, facts: [] };
      lastStats = NO_STATS;
      const renderer = createReplyRenderer(terminal, isPrivate(current));
      const onEvent = (event: TraceEvent): void => {
        lastStats = withEvent(lastStats, event);
        renderer.onEvent(event);
      };
      const result = await run({ onEvent });
      if (!approvals.ask(result.outcome) && !renderer.finish(result)) state.answered = false;
      totalStats = addedStats(totalStats, lastStats);
    },
    leave: () => {
      state.left = true;
    },
  };
}

const isPrivate = ({ conversationId }: Session): boolean => conversationId === undefined;

async function hear(chat: Chat, line: string): Promise<void> {
  const { terminal, reply, session } = chat;
  if (line === "") return;
  if (line.startsWith("/")) return runCommand(chat, line);
  // Piped input isn't echoed, and a transcript with only replies is hard to read.
  const you = isPrivate(session()) ? "you (private):" : "you:";
  if (!terminal.interactive) terminal.print(`${terminal.bold(you)} ${printable(line)}`);
  const { approvals } = chat;
  if (!approvals.areWaited()) return reply(line, (options) => session().send(line, options));
  const decisions = approvals.decide(line);
  if (decisions !== undefined)
    await reply(line, (options) => session().resume({ ...options, approvals: decisions }));
}
