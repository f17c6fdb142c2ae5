import { spentIn } from "@jaf/core";
import { messageText } from "@jaf/memory/history";
import { Failure } from "../exit.ts";
import type { Chat, ChatCommand } from "./command.ts";
import { describeConversation, isUnanswered, listConversations } from "./conversations.ts";
import { FACT_COMMANDS } from "./fact-commands.ts";
import { printable } from "./render.ts";
import { contextRows, costOf, counted, type Row, tableOf, tokensOf } from "./stats.ts";

function context({ injected, lastStats, terminal, instructions }: Chat): void {
  const last = lastStats();
  if (last.calls === 0) {
    terminal.print("There is no answer yet.");
    return;
  }
  const facts = injected()?.facts.length ?? 0;
  terminal.print("What the model saw for the last answer:");
  terminal.print(printable(tableOf(contextRows(last, { instructions: instructions(), facts }))));
}

async function stats(chat: Chat): Promise<void> {
  const { store, userId, terminal, session, totalStats, learned } = chat;
  await learned();
  const { conversationId, load } = session();
  const loaded = await load();
  const found = await store.provider.getStats(userId);
  if (!found.success) throw new Failure(found.error.message);
  const facts = await store.userMemory.list(userId, { status: ["active", "quarantined", "superseded"] });
  const having = (status: string): number => facts.filter((fact) => fact.status === status).length;
  const messages = loaded?.messages ?? [];
  const said = (role: string): number => messages.filter((message) => message.role === role).length;
  const stored =
    conversationId === undefined ? undefined : await store.provider.getConversation(conversationId);
  const total = stored?.success && stored.data !== null ? spentIn(stored.data) : undefined;
  const { totalConversations, totalMessages, oldestConversation } = found.data;
  const since =
    oldestConversation === undefined ? "" : `, since ${oldestConversation.toLocaleDateString("sv-SE")}`;
  const waiting = having("quarantined");
  const conversation: readonly Row[] = [
    [
      "messages",
      `${messages.length}: ${said("user")} from you, ${said("assistant")} replies, ${said("tool")} from tools`,
    ],
    ["tokens", tokensOf(total?.usage ?? totalStats().usage)],
    ["cost", costOf(total?.cost ?? totalStats().cost)],
  ];
  const kept: readonly Row[] = [
    [
      "conversations",
      `${counted(totalConversations, "conversation")}, ${counted(totalMessages, "message")}${since}`,
    ],
    [
      "facts",
      `${having("active")} remembered, ${having("superseded")} replaced by newer ones, ${waiting} waiting for your review`,
    ],
    ["notes", counted((await store.notes.list(userId)).length, "note")],
    ["store", store.notice ?? "this machine, in the demo's folder (--data)"],
  ];
  terminal.print(`This conversation${conversationId === undefined ? " (private, not stored)" : ""}`);
  terminal.print(tableOf(conversation));
  terminal.print("Stored about you");
  terminal.print(printable(tableOf(kept)));
}

async function list({ store, userId, terminal, session }: Chat): Promise<void> {
  const listed = await listConversations(store.provider, userId);
  if (listed.length === 0) terminal.print("No conversations yet.");
  for (const [index, conversation] of listed.entries()) {
    const current = conversation.conversationId === session().conversationId;
    terminal.print(describeConversation(conversation, index + 1, current));
  }
}

async function openListed(chat: Chat, argument: string): Promise<void> {
  const chosen = (await listConversations(chat.store.provider, chat.userId))[Number(argument) - 1];
  if (chosen !== undefined) await chat.open(chosen.conversationId);
  else chat.terminal.print(`There is no conversation "${argument}". /list shows their numbers.`);
}

async function retry({ session, reply, terminal }: Chat): Promise<void> {
  const { messages = [] } = (await session().load()) ?? {};
  if (!isUnanswered(messages)) return terminal.print("There is no unanswered message.");
  const said = messages.findLast(({ role }) => role === "user");
  await reply(said === undefined ? "" : messageText(said), (options) => session().resume(options));
}

async function forget(chat: Chat): Promise<void> {
  const existed = await chat.session().forget();
  chat.terminal.print(existed ? "This conversation is forgotten." : "There was nothing to forget.");
  chat.start();
}

const PRIVATE =
  "A private conversation: nothing of it is stored or remembered. It ends with /new, /open or when you leave.";

const COMMANDS: readonly ChatCommand[] = [
  {
    name: "/new",
    help: "start a new conversation",
    run: ({ start, terminal }) => {
      start();
      terminal.print("A new conversation.");
    },
  },
  {
    name: "/private",
    help: "start a private conversation: nothing is stored, but known facts are used",
    run: ({ start, terminal }) => {
      start({ isPrivate: true });
      terminal.print(PRIVATE);
    },
  },
  { name: "/list", help: "list your conversations, newest first", run: list },
  { name: "/open", argument: "N", help: "open conversation N of the list", run: openListed },
  { name: "/retry", help: "answer the last message again, if its reply was interrupted", run: retry },
  { name: "/forget", help: "delete this conversation; facts stay", run: forget },
  ...FACT_COMMANDS,
  { name: "/context", help: "what the model saw for the last reply, and what was left out", run: context },
  { name: "/stats", help: "messages, tokens, cost, and stored data about you", run: stats },
  { name: "/help", help: "these commands", run: ({ terminal }) => terminal.print(CHAT_COMMANDS) },
  {
    name: "/quit",
    help: "leave, like Ctrl-D and Ctrl-C, even during a reply",
    run: ({ leave }) => leave(),
  },
];

export const CHAT_COMMANDS = COMMANDS.map(({ name, argument = "", help }) =>
  `${`${name} ${argument}`.padEnd(16)} ${help}`.trimEnd(),
).join("\n");

/** Runs a line that begins with a slash. */
export async function runCommand(chat: Chat, line: string): Promise<void> {
  const [name, ...rest] = line.split(/\s+/);
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) chat.terminal.print(`Unknown command "${name}". /help lists the commands.`);
  else await command.run(chat, rest.join(" "));
}
