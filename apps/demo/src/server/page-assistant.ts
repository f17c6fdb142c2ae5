import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, asTool, createTool, ToolErrorCodes, ToolResponse } from "@jaf/core";
import { timerTools } from "@jaf/server";
import {
  createMessageSearchTool,
  holdsSecret,
  type MessageSearch,
  type UserMemoryStore,
} from "@jaf/user-memory";
import * as z from "zod";
import { type AssistantContext, assistant, clock, NO_SECRETS } from "../assistant/agent.ts";

/** The context of the page's tools, which extends the terminal's. */
export interface PageContext extends AssistantContext {
  readonly userMemory: UserMemoryStore;
}

/** Needs an approval, because emails leave the system. Emails with secrets are refused without asking. */
const sendEmail = createTool({
  name: "send_email",
  description: "Sends an email. It needs the user's approval. In this demo it is only written to the notes.",
  parameters: z.object({ to: z.string().min(1).max(200), text: z.string().min(1).max(2_000) }),
  needsApproval: (email) => !holdsSecret(wordsOf(email)),
  execute: async (email, { notes, userId }: PageContext) => {
    const { to, text } = email;
    if (holdsSecret(wordsOf(email))) return ToolResponse.error(ToolErrorCodes.PERMISSION_DENIED, NO_SECRETS);
    await notes.add(userId, `Email to ${to}: ${text}`);
    return ToolResponse.success(`Sent to ${to} (that is, written to your notes): ${text}`);
  },
});

const wordsOf = ({ to, text }: { readonly to: string; readonly text: string }): string => `${to}: ${text}`;

const LONGEST_SECONDS = 600;

/** Runs slowly, so the server can be killed during a tool call. */
const timer = createTool({
  name: "timer",
  description: `Waits for some seconds, at most ${LONGEST_SECONDS}, and says when they are over.`,
  // The limits are in the error text, so a reply can repeat them.
  parameters: z.object({ seconds: z.number() }),
  timeoutMs: (LONGEST_SECONDS + 10) * 1_000,
  execute: async ({ seconds }, _context: PageContext, call) => {
    if (!(seconds >= 1 && seconds <= LONGEST_SECONDS))
      return ToolResponse.error(
        ToolErrorCodes.INVALID_INPUT,
        `A timer runs from 1 second to ${LONGEST_SECONDS / 60} minutes here, since the reply waits for it.`,
      );
    await sleep(seconds * 1_000, undefined, call === undefined ? {} : { signal: call.signal });
    return ToolResponse.success(overText(seconds));
  },
});

function overText(seconds: number): string {
  const isMinutes = seconds >= 60 && seconds % 60 === 0;
  const [amount, unit] = isMinutes ? [seconds / 60, "minute"] : [seconds, "second"];
  return amount === 1 ? `The ${unit} is over.` : `The ${amount} ${unit}s are over.`;
}

const MOST_SENTENCES = 10;

/** Sentences about the user from a page are third-party text: each waits for the user's review. */
const keepPage = createTool({
  name: "keep_page",
  description:
    "Keeps what a page or a document that the user pasted says about the user. It isn't used until the user agrees.",
  parameters: z.object({ text: z.string().min(1).max(4_000) }),
  execute: async ({ text }, { userId, userMemory, isPrivate = false }: PageContext, call) => {
    if (isPrivate) return ToolResponse.error(ToolErrorCodes.PERMISSION_DENIED, "Nothing is kept here.");
    const { sentences, hasSecrets } = sentencesOf(text);
    const leftOut = hasSecrets ? [LEFT_OUT] : [];
    if (sentences.length === 0)
      return ToolResponse.success(["Nothing of the page is kept.", ...leftOut].join(" "));
    const conversationId = call?.turn.conversationId;
    for (const sentence of sentences) {
      await userMemory.remember(userId, sentence, {
        trust: "external",
        provenance: { conversationId, extractor: "keep_page", saidAt: new Date() },
      });
    }
    return ToolResponse.success(
      [
        sentences.length === 1
          ? `The page says one thing. It waits under "What I know about you" until you agree, and I don't use it before.`
          : `The page says ${sentences.length} things. They wait under "What I know about you" until you agree, and I don't use them before.`,
        ...leftOut,
      ].join(" "),
    );
  },
});

const LEFT_OUT = "What looks like a secret is left out.";
/** Matches a Markdown heading or rule. */
const NO_SENTENCE = /^(?:#{1,6}(?:\s|$)|[-=*_\s]+$)/;

/** The first sentences of a page, without headings and secrets; none if a secret spans several sentences. */
function sentencesOf(text: string): { readonly sentences: readonly string[]; readonly hasSecrets: boolean } {
  const all = text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 3 && !NO_SENTENCE.test(sentence));
  const harmless = all.filter((sentence) => !holdsSecret(sentence));
  const sentences = holdsSecret(harmless.join(" ")) ? [] : harmless;
  return { sentences: sentences.slice(0, MOST_SENTENCES), hasSecrets: sentences.length < all.length };
}

/** Runs as a tool of the assistant: it sees only its task, and its email waits for the user as one of the assistant does. */
const planner: Agent<PageContext, string> = {
  name: "planner",
  instructions:
    "Arrange what you are asked. Use clock for the time at the place, and send_email to invite people.",
  tools: [clock, sendEmail],
};

const askPlanner = asTool(planner, { description: "Arranges a meeting with someone, e.g. a dinner." });

/** Creates the terminal's assistant with additional tools for the page. */
export const createPageAssistant = (search: MessageSearch): Agent<PageContext, string> => ({
  ...assistant,
  instructions: async (state) =>
    [
      typeof assistant.instructions === "string"
        ? assistant.instructions
        : await assistant.instructions(state),
      "Use send_email to send an email, timer to wait, set_timer to remind the user later, keep_page if the user pastes a page to keep, planner to arrange a meeting, and search_conversations for what was said in other conversations.",
    ].join(" "),
  tools: [
    ...(assistant.tools ?? []),
    ...[sendEmail, timer, keepPage, askPlanner],
    createMessageSearchTool<PageContext>({ search, user: ({ userId }) => userId }),
    ...timerTools<PageContext>(),
  ],
});
