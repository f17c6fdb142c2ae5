import { setTimeout as sleep } from "node:timers/promises";
import { createTool, ToolErrorCodes, ToolResponse } from "@jaf/core";
import * as z from "zod";
import type { PageContext } from "./page-context.ts";

/** Waits for a decision, since it leaves the house. */
export const sendEmail = createTool({
  name: "send_email",
  description: "Sends an email. It needs the user's approval. In this demo it is only written to the notes.",
  parameters: z.object({ to: z.string().min(1).max(200), text: z.string().min(1).max(2_000) }),
  needsApproval: true,
  execute: async ({ to, text }, { notes, userId }: PageContext) => {
    await notes.add(userId, `Email to ${to}: ${text}`);
    return ToolResponse.success(`Sent to ${to} (that is, written to your notes): ${text}`);
  },
});

const LONGEST_SECONDS = 60;

/** Takes its time, so that there is a middle of a tool call to kill the server in. */
export const timer = createTool({
  name: "timer",
  description: "Waits for some seconds, and says when they are over.",
  parameters: z.object({ seconds: z.number().min(1).max(LONGEST_SECONDS) }),
  timeoutMs: (LONGEST_SECONDS + 10) * 1_000,
  execute: async ({ seconds }, _context: PageContext, call) => {
    await sleep(seconds * 1_000, undefined, call === undefined ? {} : { signal: call.signal });
    return ToolResponse.success(`The ${seconds} seconds are over.`);
  },
});

const MOST_SENTENCES = 10;

/** What a page says of the user is nobody's word but the page's: each sentence waits until the user agrees. */
export const keepPage = createTool({
  name: "keep_page",
  description:
    "Keeps what a page or a document that the user pasted says about the user. It isn't used until the user agrees.",
  parameters: z.object({ text: z.string().min(1).max(4_000) }),
  execute: async ({ text }, { userId, userMemory, isPrivate = false }: PageContext, call) => {
    if (isPrivate) return ToolResponse.error(ToolErrorCodes.PERMISSION_DENIED, "Nothing is kept here.");
    const sentences = text
      .split(/\n+|(?<=[.!?])\s+/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence.length > 3)
      .slice(0, MOST_SENTENCES);
    const conversationId = call?.turn.conversationId;
    for (const sentence of sentences) {
      await userMemory.remember(userId, sentence, {
        trust: "external",
        provenance: { conversationId, extractor: "keep_page", saidAt: new Date() },
      });
    }
    return ToolResponse.success(
      `The page says ${sentences.length} things. They wait under "What I know about you" until you agree, and I don't use them before.`,
    );
  },
});
