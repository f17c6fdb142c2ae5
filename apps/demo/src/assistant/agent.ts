import { type Agent, createTool, ToolErrorCodes, ToolResponse } from "@jaf/core";
import { holdsSecret } from "@jaf/user-memory";
import * as z from "zod";
import { calculate } from "./calculator.ts";

/** A user's notes, numbered from 1 in the order of the list. */
export interface Notes {
  readonly add: (userId: string, text: string) => Promise<void>;
  readonly list: (userId: string) => Promise<readonly string[]>;
  /** Returns the removed note; `undefined` if there is none with this number. */
  readonly remove: (userId: string, number: number) => Promise<string | undefined>;
}

export interface AssistantContext {
  readonly userId: string;
  readonly notes: Notes;
  readonly now: () => Date;
  /** Lists the known facts about the user, one per line with its source. Absent: they can't be listed. */
  readonly knownFacts?: () => Promise<readonly string[]>;
  /** Whether the conversation is not stored. Default `false`. */
  readonly isPrivate?: boolean;
}

export const clock = createTool({
  name: "clock",
  description: "The current date and time, in an IANA time zone or that of this machine.",
  parameters: z.object({ timeZone: z.string().max(100).optional() }),
  execute: async ({ timeZone }, { now }: AssistantContext) => {
    try {
      const format = new Intl.DateTimeFormat("en-GB", {
        dateStyle: "full",
        timeStyle: "short",
        ...(timeZone === undefined ? {} : { timeZone }),
      });
      return ToolResponse.success(
        `It is ${format.format(now())}${timeZone === undefined ? "" : ` in ${timeZone}`}.`,
      );
    } catch {
      return ToolResponse.error(
        ToolErrorCodes.INVALID_INPUT,
        `I don't know the time zone of ${timeZone ?? "this machine"}. Name a large city near it, e.g. Paris, or a zone such as Europe/Paris.`,
      );
    }
  },
});

const calculator = createTool({
  name: "calculator",
  description: "Works out an arithmetic expression: + - * / % ^ and parentheses.",
  parameters: z.object({ expression: z.string().min(1).max(200) }),
  execute: async ({ expression }, _context: AssistantContext) => {
    try {
      const value = calculate(expression);
      // The page shows Markdown, where `2*3*4` has an emphasized 3.
      const shown = expression.replaceAll(/(?<=[\d)])\s*([-+*/%^])\s*/g, " $1 ");
      return ToolResponse.success(`${shown} = ${Number(value.toPrecision(12))}`);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError || thrown instanceof RangeError)) throw thrown;
      return ToolResponse.error(ToolErrorCodes.INVALID_INPUT, thrown.message);
    }
  },
});

export const NO_SECRETS = "That looks like a secret: notes keep no passwords, PINs, keys or card numbers.";

const KEEPS_NOTHING =
  "This conversation is private: nothing of it is kept. Notes are changed in any other one.";

const notes = createTool({
  name: "notes",
  description: "Keeps the user's notes: add one, list them, or remove one by its number.",
  parameters: z.discriminatedUnion("action", [
    z.object({ action: z.literal("add"), text: z.string().min(1).max(2_000) }),
    z.object({ action: z.literal("list") }),
    z.object({ action: z.literal("remove"), number: z.int().min(1) }),
  ]),
  execute: async (args, { notes, userId, isPrivate = false }: AssistantContext) => {
    if (isPrivate && args.action !== "list")
      return ToolResponse.error(ToolErrorCodes.PERMISSION_DENIED, KEEPS_NOTHING);
    switch (args.action) {
      case "add":
        if (holdsSecret(args.text)) return ToolResponse.error(ToolErrorCodes.PERMISSION_DENIED, NO_SECRETS);
        await notes.add(userId, args.text);
        return ToolResponse.success(`Noted: ${args.text}`);
      case "list": {
        const listed = await notes.list(userId);
        if (listed.length === 0) return ToolResponse.success("You have no notes.");
        return ToolResponse.success(
          ["Your notes:", ...listed.map((text, index) => `${index + 1}. ${text}`)].join("\n"),
        );
      }
      case "remove": {
        const removed = await notes.remove(userId, args.number);
        if (removed === undefined)
          return ToolResponse.error(ToolErrorCodes.NOT_FOUND, "There is no note of that number.");
        return ToolResponse.success(`Removed: ${removed}`);
      }
    }
  },
});

/** The limit of the list. A command or a page shows the rest. */
const MOST_LISTED = 20;

const knownFacts = createTool({
  name: "known_facts",
  description:
    "Lists what is remembered of the user in all conversations, with where it comes from. For questions such as: what do you know about me?",
  parameters: z.object({}),
  execute: async (_args, { knownFacts }: AssistantContext) => {
    if (knownFacts === undefined)
      return ToolResponse.error(ToolErrorCodes.NOT_FOUND, "What is remembered can't be listed here.");
    const known = await knownFacts();
    if (known.length === 0)
      return ToolResponse.success('I don\'t know anything about you yet: tell me, e.g. "My name is Ada."');
    const more = known.length - MOST_LISTED;
    return ToolResponse.success(
      [
        "This is what I know about you:",
        ...known.slice(0, MOST_LISTED).map((line) => `- ${line}`),
        ...(more > 0 ? [`… and ${more} more.`] : []),
      ].join("\n"),
    );
  },
});

/** High, because many facts may share the words of a question. */
const INJECTED = 20;

export const ASSISTANT = "assistant";
/** The default user id. */
export const DEFAULT_USER_ID = "you";

/** The assistant's instructions, before facts about the user are added. */
export const instructionsFor = ({ userId, isPrivate = false }: AssistantContext): string =>
  [
    `You help ${userId === DEFAULT_USER_ID ? "the user" : userId}. Answer from the conversation; use the tools for time, arithmetic and notes, and to list what you know of the user.`,
    "Never ask for passwords or other secrets, and don't offer to remember them.",
    ...(isPrivate ? ["The conversation is private: nothing of it is kept."] : []),
  ].join(" ");

export const assistant: Agent<AssistantContext, string> = {
  name: ASSISTANT,
  instructions: ({ context }) => instructionsFor(context),
  tools: [clock, calculator, notes, knownFacts],
  // Private conversations use known facts, but learn no new ones.
  remembers: ({ userId, isPrivate = false }) => ({
    user: userId,
    extract: isPrivate ? false : "verbatim",
    injectLimit: INJECTED,
  }),
};
